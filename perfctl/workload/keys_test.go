package workload

import (
	"fmt"
	"math"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sequence is the first statements of a client in a phase, as text.
func sequence(x Test, d Data, planSeed uint64, repeat, client int, phase string, n int) []string {
	k := newKeys(d, planSeed)
	k.begin(planSeed, repeat, client, phase)
	var out []string
	for len(out) < n {
		table := 1
		for _, s := range x.steps {
			for range max(1, s.times) {
				c := compile(s.sql, 1)
				if !c.same && !c.plain {
					table = k.table()
				}
				c = compile(s.sql, table)
				out = append(out, string(c.appendText(nil, k.values(c.args, nil))))
			}
		}
	}
	return out[:n]
}

func TestSequenceIsAFunctionOfItsFourInputs(t *testing.T) {
	d := Data{Tables: 3, Rows: 100000}
	base := sequence(test(t, "read-write"), d, 1, 2, 3, "count-0", 200)
	if diff := cmp.Diff(base, sequence(test(t, "read-write"), d, 1, 2, 3, "count-0", 200)); diff != "" {
		t.Errorf("the same inputs: %s", diff)
	}
	for name, other := range map[string][]string{
		"seed":   sequence(test(t, "read-write"), d, 2, 2, 3, "count-0", 200),
		"repeat": sequence(test(t, "read-write"), d, 1, 3, 3, "count-0", 200),
		"client": sequence(test(t, "read-write"), d, 1, 2, 4, "count-0", 200),
		"phase":  sequence(test(t, "read-write"), d, 1, 2, 3, "count-1", 200),
		"swap":   sequence(test(t, "read-write"), d, 1, 3, 2, "count-0", 200),
	} {
		equal := 0
		for i := range base {
			if base[i] == other[i] && base[i] != "BEGIN" && base[i] != "COMMIT" {
				equal++
			}
		}
		if equal > 2 { // by chance 1 in 300,000 a statement
			t.Errorf("another %s: %d of %d statements are the same", name, equal, len(base))
		}
	}
}

func TestSeedsDoNotCollide(t *testing.T) {
	seen := map[[2]uint64]string{}
	add := func(what, purpose string, of ...uint64) {
		a, b := seed(purpose, of...)
		if was, ok := seen[[2]uint64{a, b}]; ok {
			t.Fatalf("%s and %s have the same seed", was, what)
		}
		seen[[2]uint64{a, b}] = what
	}
	for s := range uint64(8) {
		for r := range uint64(8) {
			for c := range uint64(64) {
				for _, p := range []string{"warmup", "count-0", "count-1", "count-10", ""} {
					add(fmt.Sprint(s, r, c, p), "phase "+p, s, r, c)
				}
			}
		}
		add(fmt.Sprint("hot", s), "hot", s)
		for table := range uint64(8) {
			add(fmt.Sprint("load", s, table), "load", s, table)
		}
	}
}

func TestKeysAreUniform(t *testing.T) {
	const rows, draws = 100, 200000
	k := newKeys(Data{Tables: 4, Rows: rows}, 1)
	k.begin(1, 0, 0, "p")
	var count [rows + 1]int
	var tables [5]int
	for range draws {
		count[k.row()]++
		tables[k.table()]++
	}
	chi := func(counts []int, draws float64) float64 {
		want, sum := draws/float64(len(counts)), 0.0
		for _, n := range counts {
			sum += math.Pow(float64(n)-want, 2) / want
		}
		return sum
	}
	// The 0.1% points of chi-squared with 99 and 3 degrees of freedom. The
	// sequence is fixed, so this does not fail by chance.
	if x := chi(count[1:], draws); x > 148.2 {
		t.Errorf("ids: chi-squared %.1f", x)
	}
	if x := chi(tables[1:], draws); x > 16.3 {
		t.Errorf("tables: chi-squared %.1f", x)
	}
}

func TestHotIDsAreTheSameForAll(t *testing.T) {
	d := Data{Tables: 1, Rows: 5000}
	a := sequence(test(t, "hot-points"), d, 9, 0, 0, "x", 2)
	b := sequence(test(t, "hot-points"), d, 9, 4, 7, "y", 1)
	if a[0] != a[1] || a[0] != b[0] {
		t.Error("the hot ids differ between statements, clients, repeats or phases")
	}
	if c := sequence(test(t, "hot-points"), d, 10, 0, 0, "x", 1); c[0] == a[0] {
		t.Error("another plan seed has the same hot ids")
	}
}

func TestReinsertTakesTheDeletedID(t *testing.T) {
	deleted := regexp.MustCompile(`^DELETE FROM sbtest(\d) WHERE id=(\d+)$`)
	inserted := regexp.MustCompile(`^INSERT INTO sbtest(\d) \(id, k, c, pad\) VALUES \((\d+), \d+, '([0-9-]{119})', '([0-9-]{59})'\)$`)
	s := sequence(test(t, "write-only"), Data{Tables: 3, Rows: 100000}, 1, 0, 0, "x", 600)
	pairs := 0
	for i := range s {
		d := deleted.FindStringSubmatch(s[i])
		if d == nil {
			continue
		}
		in := inserted.FindStringSubmatch(s[i+1])
		if in == nil || in[1] != d[1] || in[2] != d[2] {
			t.Fatalf("%s is followed by %s", s[i], s[i+1])
		}
		pairs++
	}
	if pairs != 100 {
		t.Errorf("%d pairs in 600 statements", pairs)
	}
}

func TestDigits(t *testing.T) {
	k := newKeys(Data{Tables: 1, Rows: 1}, 1)
	form := regexp.MustCompile(`^\d{11}(-\d{11}){9}$`)
	b := make([]byte, cWidth)
	digits(k.rng, b)
	one := string(b)
	digits(k.rng, b)
	if !form.MatchString(one) || !form.Match(b) || one == string(b) {
		t.Errorf("%s, then %s", one, b)
	}
	b = make([]byte, padWidth)
	digits(k.rng, b)
	if !regexp.MustCompile(`^\d{11}(-\d{11}){4}$`).Match(b) {
		t.Errorf("pad %s", b)
	}
}
