package compare

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

func mixOf(base, now []result.Digest) Mix {
	return newMix(result.Window{Digests: base}, result.Window{Digests: now})
}

func rowOfText(t *testing.T, m Mix, text string) MixRow {
	t.Helper()
	for _, r := range m.Rows {
		if r.Text == text {
			return r
		}
	}
	t.Fatalf("no row %q in %+v", text, m.Rows)
	return MixRow{}
}

func same(t *testing.T, what string, got, want Split) {
	t.Helper()
	for _, p := range []struct {
		name     string
		got, exp float64
	}{{"base", got.Base, want.Base}, {"new", got.New, want.New}, {"mix", got.Mix, want.Mix}, {"cost", got.Cost, want.Cost}, {"unsplit", got.Unsplit, want.Unsplit}} {
		near(t, what+" "+p.name, &p.got, p.exp, 1e-12)
	}
}

// By hand: a goes from 60% at 100 µs to 50% at 120, b from 40% at 400 to 40% at
// 400, c is new with 10% at 300.
//
//	a  mix -0.1*110 = -11  cost 20*0.55 = 11
//	b  mix 0               cost 0
//	c  mix 0.1*300 = 30    cost 0
//	220 µs + 19 + 11 = 250 µs
func TestMix(t *testing.T) {
	m := mixOf(
		[]result.Digest{digest("d", "SELECT `c` FROM `t` WHERE `id` = ?", 600, 60_000), digest("d", "b", 400, 160_000)},
		[]result.Digest{digest("d", "b", 40, 16_000), digest("d", "SELECT c FROM t WHERE ID = ? ", 50, 6_000), digest("d", "c", 10, 3_000)})
	same(t, "all", *m.Latency, Split{Base: 220, New: 250, Mix: 19, Cost: 11})
	same(t, "a", rowOfText(t, m, "SELECT c FROM t WHERE ID = ? ").Latency, Split{Base: 60, New: 60, Mix: -11, Cost: 11})
	same(t, "b", rowOfText(t, m, "b").Latency, Split{Base: 160, New: 160})
	c := rowOfText(t, m, "c")
	same(t, "c", c.Latency, Split{New: 30, Mix: 30})
	if m.Rows[0].Text != "c" || c.BaseLatencyUS != nil || c.BaseCount != 0 || *c.NewLatencyUS != 300 || c.NewShare != 0.1 {
		t.Errorf("%+v", m.Rows)
	}
	if m.Base != 1000 || m.New != 100 || m.CPU != nil || m.Lack != nil {
		t.Errorf("%+v", m)
	}
}

// What is within a row of others cannot be told apart: 50% at 10 to 50% at 30.
func TestMixOfOthers(t *testing.T) {
	others := func(n int64, us float64) result.Digest {
		d := digest("", "", n, us)
		d.Others = 40
		return d
	}
	m := mixOf([]result.Digest{digest("d", "a", 10, 100), others(10, 100)}, []result.Digest{digest("d", "a", 10, 100), others(10, 300)})
	same(t, "all", *m.Latency, Split{Base: 10, New: 20, Unsplit: 10})
}

// Whatever the digests, rows add up to the totals, the totals' parts to their
// change, and the totals are what the windows' own sums give.
func TestMixAddsUp(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for trial := range 2000 {
		var sides [2][]result.Digest
		var latency, cpu, count [2]float64
		for side := range sides {
			for i := range 1 + rng.IntN(12) {
				if rng.IntN(3) == 0 {
					continue
				}
				c := math.Exp(20 * rng.Float64())
				d := digest(fmt.Sprint("s", i%2), fmt.Sprint("q", i/2), int64(rng.IntN(1_000_000)), math.Exp(25*rng.Float64()))
				d.CPUUS = &c
				if rng.IntN(8) == 0 {
					d.Others = 3
				}
				sides[side] = append(sides[side], d)
				if d.Count > 0 {
					latency[side] += d.LatencyUS
					cpu[side] += c
					count[side] += float64(d.Count)
				}
			}
		}
		m := mixOf(sides[0], sides[1])
		if count[0] == 0 || count[1] == 0 {
			if m.Lack == nil || m.Latency != nil {
				t.Fatalf("trial %d: a split of nothing: %+v", trial, m)
			}
			continue
		}
		var rows [2]Split
		for _, r := range m.Rows {
			rows[0].add(r.Latency)
			rows[1].add(*r.CPU)
		}
		for i, s := range []*Split{m.Latency, m.CPU} {
			total := [][2]float64{latency, cpu}[i]
			base, now := total[0]/count[0], total[1]/count[1]
			scale := math.Max(base, now)
			for what, off := range map[string]float64{
				"base": s.Base - base, "new": s.New - now, "change": s.Delta() - (now - base),
				"rows' mix": rows[i].Mix - s.Mix, "rows' cost": rows[i].Cost - s.Cost, "rows' unsplit": rows[i].Unsplit - s.Unsplit,
			} {
				if math.Abs(off) > 1e-9*scale {
					t.Fatalf("trial %d, %d: %s is off by %v of %v", trial, i, what, off, scale)
				}
			}
		}
		top := m.Top(2)
		var again Split
		for _, r := range top.Rows {
			again.add(r.Latency)
		}
		if off := again.Delta() - m.Latency.Delta(); math.Abs(off) > 1e-9*math.Max(m.Latency.Base, m.Latency.New) {
			t.Fatalf("trial %d: the top rows and the rest are off by %v", trial, off)
		}
	}
}

func TestMixCPUNeedsAllDigests(t *testing.T) {
	us := 5.0
	a, b := digest("d", "a", 1, 10), digest("d", "b", 1, 10)
	a.CPUUS = &us
	m := mixOf([]result.Digest{a, b}, []result.Digest{a, b})
	if m.CPU != nil {
		t.Errorf("a total of a part: %+v", m.CPU)
	}
	if r := rowOfText(t, m, "a"); r.CPU == nil || *r.NewCPUUS != 5 {
		t.Errorf("%+v", r)
	}
}

func TestMixDoubts(t *testing.T) {
	void := digest("d", "UPDATE t", 5, 5)
	void.State, void.Reason = result.Failed, "went back"
	long := digest("d", "SELECT "+strings.Repeat("x", textLimit), 1, 1)
	m := newMix(result.Window{Digests: []result.Digest{digest("d", "CALL `p` ( )", 1, 9), void, long}},
		result.Window{Digests: []result.Digest{long}, Readings: []result.Reading{
			{Name: "digest_statements", State: result.Partial, Reason: "half have none", Source: result.SourceServer}}})
	var codes []string
	for _, w := range m.Warnings {
		codes = append(codes, w.Code)
	}
	if fmt.Sprint(codes) != "[void cut calls]" {
		t.Errorf("%v", m.Warnings)
	}
	if m.Base != 2 || m.Latency == nil {
		t.Errorf("%+v", m)
	}
	if m.Lack == nil || m.Lack.State != result.Partial || m.Lack.Reason != "this window: half have none" {
		t.Errorf("%+v", m.Lack)
	}
}

func TestDigestKey(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		// The texts of MySQL and of MariaDB 10.11 for one statement.
		{"SELECT `c` FROM `sbtest1` WHERE `id` = ?", "SELECT `c` FROM `sbtest1` WHERE ID = ? ", true},
		{"SELECT COUNT(*) FROM `t`", "SELECT COUNT ( * ) FROM t", true},
		{"INSERT INTO `t` VALUES (...)", "insert into `t` values (...) ;", true},
		{"SELECT `a` . `b` FROM `a`", "SELECT a.b FROM a", true},
		{"SELECT\n\t?", "SELECT ?", true},
		{"SELECT `a` `b`", "SELECT `ab`", false},
		{"SELECT `a b`", "SELECT `ab`", false},
		{"SELECT ? - ?", "SELECT ? + ?", false},
		{"SELECT a FROM t", "SELECT b FROM t", false},
		{"SELECT `é` FROM t", "SELECT é FROM t", true},
	} {
		if got := digestKey("D", c.a) == digestKey("d", c.b); got != c.same {
			t.Errorf("%q and %q: same %v", c.a, c.b, got)
		}
	}
	if digestKey("a", "b") == digestKey("ab", "") || digestKey("a", "x") == digestKey("b", "x") {
		t.Error("schemas are mixed up")
	}
	if digestKey("a", "\xff") != digestKey("a", "\xfe") {
		t.Error("text that is no UTF-8 has no key")
	}
}
