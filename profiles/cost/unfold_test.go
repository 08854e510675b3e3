package cost

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/profiles"
)

// folded is the stacks by their functions, the root first.
func folded(p *profiles.Profile) map[string]int64 {
	m := map[string]int64{}
	for _, s := range p.Stacks {
		var names []string
		for i := len(s.Frames) - 1; i >= 0; i-- {
			names = append(names, p.Frames[s.Frames[i]].Function)
		}
		m[s.Thread+":"+strings.Join(names, ";")] += s.Weight
	}
	return m
}

func unfold(t *testing.T, p *profiles.Profile, limit int) *profiles.Profile {
	t.Helper()
	got, note, err := Unfold(p, limit)
	if err != nil {
		t.Fatal(err)
	}
	if p.Arcs != nil && (!strings.Contains(note, "in proportion") || got.Arcs != nil) {
		t.Errorf("an approximation without a note: %q", note)
	}
	return got
}

func TestUnfold(t *testing.T) {
	b := newBuild(t, true)
	b.add("t", 10, 0, "main")
	b.add("t", 30, 0, "f")
	b.add("t", 60, 0, "g")
	b.add("t", 10, 0, "h")
	b.call("t", "main", "f", 1, 50) // of which 20 in g, 2/7 of what f's 70 called
	b.call("t", "main", "h", 1, 50) // 40 in g
	b.call("t", "f", "g", 1, 20)
	b.call("t", "h", "g", 4, 40)
	b.add("other", 5, 0, "g")
	p := b.b.Profile()
	p.About.Version = "v"
	got := unfold(t, p, 0)
	want := map[string]int64{"t:main": 10, "t:main;f": 30, "t:main;f;g": 20, "t:main;h": 10, "t:main;h;g": 40, "other:g": 5}
	if diff := cmp.Diff(want, folded(got)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got.About != p.About || got.Event != p.Event {
		t.Errorf("%+v, %+v", got.About, got.Event)
	}
	// One stack of the limit: the others follow their heaviest caller.
	want = map[string]int64{"t:main": 10, "t:main;f": 30, "t:main;h": 10, "t:main;h;g": 60, "other:g": 5}
	if diff := cmp.Diff(want, folded(unfold(t, p, 1))); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestUnfoldRecursion(t *testing.T) {
	b := newBuild(t, true)
	b.add("", 1, 0, "main")
	b.add("", 10, 0, "f")
	b.add("", 20, 0, "f'2")
	b.call("", "main", "f", 1, 30)
	b.call("", "f", "f'2", 1, 20)
	b.call("", "f'2", "f'2", 1, 10)
	got := folded(unfold(t, b.b.Profile(), 0))
	var f int64
	for stack, w := range got {
		if strings.HasSuffix(stack, "f") {
			f += w
		}
		if strings.Count(stack, "f") > maxSame {
			t.Errorf("%s goes on for too long", stack)
		}
	}
	if f != 30 || got[":main"] != 1 || got[":main;f"] != 10 || got[":main;f;f"] < 10 {
		t.Errorf("%v", got)
	}
}

func TestUnfoldStacks(t *testing.T) {
	b := newBuild(t, false)
	b.add("", 1, 1, "f", "main")
	p := b.b.Profile()
	if got, note, err := Unfold(p, 0); got != p || note != "" || err != nil {
		t.Errorf("%v, %q, %v", got, note, err)
	}
}

// Any calls, sensible or not: the stacks add up, function by function.
func TestUnfoldAddsUp(t *testing.T) {
	check := func(name string, p *profiles.Profile, limit int) {
		t.Helper()
		want, got := Of(p), Of(unfold(t, p, limit))
		selfs := map[profiles.Frame]int64{}
		for _, r := range want.Rows {
			selfs[r.Key] += r.Self
		}
		for _, r := range got.Rows {
			selfs[r.Key] -= r.Self
			if r.Total > got.Weight {
				t.Errorf("%s: %+v of %d", name, r, got.Weight)
			}
		}
		for f, d := range selfs {
			if d != 0 {
				t.Errorf("%s, limit %d: %s is off by %d", name, limit, f.Function, d)
			}
		}
		if got.Weight != want.Weight || got.NoStack != want.NoStack {
			t.Errorf("%s: %d, want %d", name, got.Weight, want.Weight)
		}
	}
	for seed := range uint64(40) {
		for _, limit := range []int{1, 10, 1000} {
			p, _ := simulate(t, seed, 1+int(seed%30), seed%2 == 0)
			check("program", p, limit)

			r := rand.New(rand.NewPCG(seed, 2))
			b := newBuild(t, true)
			name := func() string { return string(rune('a' + r.IntN(20))) }
			for range 30 {
				b.add(name(), r.Int64N(math.MaxInt64/100), 0, name())
				b.call(name(), name(), name(), r.Int64N(9), r.Int64N(math.MaxInt64/100))
			}
			b.add("a", 3, 0)
			check("nonsense", b.b.Profile(), limit)
		}
	}
}

// A chain of calls that is longer than a stack may be.
func TestUnfoldLong(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{})
	const n = 5000
	var at [n]int32
	for i := range at {
		at[i] = b.Frame(profiles.Frame{Address: uint64(i + 1)})
		if err := b.Add("", at[i:i+1], 1, 0); err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			if err := b.Call("", at[i-1], at[i], 1, int64(n-i)); err != nil {
				t.Fatal(err)
			}
		}
	}
	p := b.Profile()
	if r := Of(p).Rows; r[0].Total != n || r[n-1].Total != 1 || r[0].Bound {
		t.Errorf("%+v, %+v", r[0], r[n-1])
	}
	got := unfold(t, p, 0)
	longest := 0
	for _, s := range got.Stacks {
		longest = max(longest, len(s.Frames))
	}
	if w, _ := got.Total(); w != n || longest != maxDepth {
		t.Errorf("%d of %d, the longest stack %d", w, n, longest)
	}
}

func TestApportion(t *testing.T) {
	tests := []struct {
		whole   int64
		weights []float64
		want    []int64
	}{
		{10, []float64{1}, []int64{10}},
		{10, []float64{0, 0}, []int64{10, 0}},
		{10, []float64{1, 1, 1}, []int64{4, 3, 3}},
		{10, []float64{0.26, 0.27, 0.47}, []int64{2, 3, 5}}, // 2.6, 2.7 and 4.7: two units are left for the largest remainders
		{1, []float64{1, 3}, []int64{0, 1}},
		{0, []float64{1, 3}, []int64{0, 0}},
		{5, []float64{math.Inf(1), 1}, []int64{5, 0}},
	}
	for _, tt := range tests {
		if diff := cmp.Diff(tt.want, apportion(tt.whole, tt.weights)); diff != "" {
			t.Errorf("%d by %v: -want +got\n%s", tt.whole, tt.weights, diff)
		}
	}
	for _, whole := range []int64{math.MaxInt64, math.MaxInt64 - 1, 1 << 60} {
		for n := 1; n < 50; n++ {
			weights := make([]float64, n)
			for i := range weights {
				weights[i] = 1 / float64(i+3)
			}
			left := whole
			for _, part := range apportion(whole, weights) {
				if part < 0 {
					t.Fatal(part)
				}
				left -= part
			}
			if left != 0 {
				t.Errorf("%d in %d: %d left", whole, n, left)
			}
		}
	}
}
