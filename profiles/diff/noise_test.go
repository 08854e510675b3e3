package diff

import (
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"opcost/profiles"
)

// TestSpread: reckoned by hand; t(0.995, 2) = 9.925 and t(0.995, 1) = 63.66 from
// printed tables.
func TestSpread(t *testing.T) {
	n := noise{confidence: ofRows}
	for _, c := range []struct {
		base, new []float64
		want      float64
		known     bool
	}{
		{[]float64{10, 12}, []float64{20, 22}, 9.925 * math.Sqrt2, true}, // pooled variance 2, 1/2+1/2
		{[]float64{10, 12}, []float64{20}, 63.657 * math.Sqrt(2*1.5), true},
		{[]float64{10}, []float64{20}, 0, false},
		{[]float64{5, 5}, []float64{7, 7}, 0, true},
	} {
		got, known := n.spread([2][]float64{c.base, c.new})
		if known != c.known || math.Abs(got-c.want) > 1e-3*math.Max(1, c.want) {
			t.Errorf("%v and %v: %v, %v; want %v, %v", c.base, c.new, got, known, c.want, c.known)
		}
	}
	if math.Abs(n.normal()-2.5758) > 1e-4 || math.Abs(n.student(10)-3.169) > 1e-3 {
		t.Errorf("quantiles %v and %v, want 2.5758 and 3.169", n.normal(), n.student(10))
	}
	if n = n.of(ofTotal); math.Abs(n.normal()-1.96) > 1e-3 || math.Abs(n.student(2)-4.303) > 1e-3 {
		t.Errorf("quantiles %v and %v, want 1.96 and 4.303", n.normal(), n.student(2))
	}
}

// TestSampled: 400 samples of period 2 against 900 of period 2, one operation: the
// variance is 4*(400+1) + 4*(900+1).
func TestSampled(t *testing.T) {
	e := profiles.Event{Name: "cycles", Unit: profiles.Cycles}
	side := func(n int64) []Side {
		b := profiles.NewBuilder(e)
		if err := b.Add("", []int32{b.Frame(profiles.Frame{Function: "f"})}, 2*n, n); err != nil {
			t.Fatal(err)
		}
		return []Side{{Profile: b.Profile(), Operations: 1}}
	}
	table := build(t, side(400), side(900), Options{})
	want := 2.5758 * math.Sqrt(4*401+4*901)
	if got := table.Rows[0].Uncertainty; got == nil || math.Abs(*got-want) > 0.01 {
		t.Errorf("uncertainty %v, want %v", got, want)
	}
	if table.Rows[0].State != Both || table.Rows[0].Delta != 1000 {
		t.Errorf("row %+v", table.Rows[0])
	}
	if w := table.Quality.Warnings; len(w) != 0 {
		t.Errorf("warnings %q", w)
	}
	if w := build(t, side(400), side(410), Options{}).Quality.Warnings; len(w) != 1 || !strings.Contains(w[0], "within its uncertainty") {
		t.Errorf("10 samples more of 400: warnings %q", w)
	}
	// Seen 3 times on one side only is no news; 30 times is.
	for n, want := range map[int64]State{3: Noise, 30: OnlyNew} {
		b := profiles.NewBuilder(e)
		for name, k := range map[string]int64{"f": 400, "new": n} {
			if err := b.Add("", []int32{b.Frame(profiles.Frame{Function: name})}, 2*k, k); err != nil {
				t.Fatal(err)
			}
		}
		got := build(t, side(400), []Side{{Profile: b.Profile(), Operations: 1}}, Options{})
		if got.Rows[0].State != want {
			t.Errorf("%d samples on one side: %+v, want %s", n, got.Rows[0], want)
		}
	}
}

// TestFoldsWhatMoves: two draws of one truth differ by noise alone, and nearly all
// rows are folded; at 99% one in a hundred may stand out.
func TestFoldsWhatMoves(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	kept, all := 0, 0
	for range 20 {
		truth := make([]fn, 300)
		for i := range truth {
			truth[i] = fn{profiles.Frame{Function: "f" + string(rune('a'+i%26)) + string(rune('a'+i/26))}, 1 + r.Int64N(2000)}
		}
		for _, repeats := range []int{1, 4} {
			sides := func() (s []Side) {
				for range repeats {
					drawn := make([]fn, len(truth))
					for i, f := range truth {
						f.weight = poisson(r, float64(f.weight))
						drawn[i] = f
					}
					s = append(s, profile(t, sampled, 1000, drawn))
				}
				return s
			}
			table := build(t, sides(), sides(), Options{})
			for _, row := range table.Rows {
				if row.State == Noise {
					all += row.Folded
				} else {
					kept++
				}
			}
		}
	}
	share := float64(kept) / float64(kept+all)
	t.Logf("%d of %d rows stand out without a cause: %.2f%%", kept, kept+all, 100*share)
	if share > 0.015 {
		t.Errorf("%.2f%% of the rows stand out, want about 1%%", 100*share)
	}
}

// TestFoldsNothingUnknown: counted once a side, every change counts.
func TestFoldsNothingUnknown(t *testing.T) {
	r := rand.New(rand.NewPCG(8, 8))
	fns := generated(r, 50)
	table := build(t, []Side{profile(t, instructions, 10, fns)}, []Side{profile(t, instructions, 10, change(r, fns))}, Options{})
	for _, row := range table.Rows {
		if row.State == Noise || row.Uncertainty != nil {
			t.Errorf("%+v", row)
		}
	}
	if table.Quality.Method != "" || table.Total.Uncertainty != nil {
		t.Errorf("method %q, uncertainty %v: want none", table.Quality.Method, table.Total.Uncertainty)
	}
}

// TestManyLittleChanges: 400 functions each 4% costlier, of 900 samples each, are
// within noise one by one (2.58 standard deviations of a difference are 12%), and
// far from it together (by 25 functions' worth): that is said.
func TestManyLittleChanges(t *testing.T) {
	side := func(samples int64) []Side {
		b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
		for i := range 400 {
			f := b.Frame(profiles.Frame{Function: "f" + strconv.Itoa(i)})
			if err := b.Add("", []int32{f}, samples*1000, samples); err != nil {
				t.Fatal(err)
			}
		}
		return []Side{{Profile: b.Profile(), Operations: 1}}
	}
	warned := func(table *Table) bool {
		return strings.Contains(strings.Join(table.Quality.Warnings, "\n"), "more than noise")
	}
	table := build(t, side(900), side(936), Options{})
	if r := table.Rows[0]; len(table.Rows) != 1 || r.State != Noise || r.Folded != 400 || r.Delta != 400*36*1000 || !warned(table) {
		t.Errorf("%+v, warnings %q", table.Rows, table.Quality.Warnings)
	}
	if table = build(t, side(900), side(900), Options{}); warned(table) {
		t.Errorf("nothing changed, and it warns: %q", table.Quality.Warnings)
	}
}
