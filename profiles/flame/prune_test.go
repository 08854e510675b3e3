package flame

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func TestPruneByHand(t *testing.T) {
	in := Input{
		Base: Side{Profile: profile(t, counted, 1, "main;big 90", "main;a;b 3", "main;a;c 2", "main;d 5")},
		New:  Side{Profile: profile(t, counted, 1, "main;big 80", "main;a;b 1", "main;a;c 1", "main;d 18")},
	}
	whole, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	got, p := whole.prune(10)
	// a (5 and 2), b and c are below 10 on both sides; d is 18 in New.
	want := Pruned{Boxes: 7, Folded: 3, BelowPercent: 10, HiddenPercent: [2]float64{5, 2}, Functions: 3}
	if p != want {
		t.Errorf("%+v, want %+v", p, want)
	}
	other := got.at("main;(other, 3 functions)")
	if other == nil || other.total != [2]int64{5, 2} || other.folded != 3 {
		t.Errorf("folded: %+v", other)
	}
	if x := got.at("main;d"); x == nil || x.total != [2]int64{5, 18} {
		t.Errorf("d: %+v", x)
	}
	addUp(t, got)
	addUp(t, whole)
}

func TestPruneKeepsTotals(t *testing.T) {
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 6))
		whole, err := build(Input{Base: Side{Profile: randomProfile(t, r, 200)}, New: Side{Profile: randomProfile(t, r, 200)}})
		if err != nil {
			t.Fatal(err)
		}
		widths := whole.widths()
		for _, keep := range []int{1, 2, 10, len(widths) / 2, len(widths)} {
			got, p := whole.prune(widths[keep-1])
			addUp(t, got)
			if got.boxes[0].total != whole.boxes[0].total {
				t.Errorf("seed %d: total %v, was %v", seed, got.boxes[0].total, whole.boxes[0].total)
			}
			kept := 0
			var hidden int64
			for _, x := range got.boxes {
				if x.folded > 0 {
					hidden += x.self[0]
					continue
				}
				kept++
				if got.width(&x) < widths[keep-1] {
					t.Errorf("seed %d: kept %s of width %v, below %v", seed, x.name, got.width(&x), widths[keep-1])
				}
			}
			if kept+p.Folded != len(whole.boxes) || kept < keep {
				t.Errorf("seed %d: kept %d and folded %d of %d, asked to keep %d", seed, kept, p.Folded, len(whole.boxes), keep)
			}
			if share := 100 * float64(hidden) / float64(whole.boxes[0].total[0]); math.Abs(share-p.HiddenPercent[0]) > 1e-9 {
				t.Errorf("seed %d: %v %% is hidden, %v %% said", seed, share, p.HiddenPercent[0])
			}
		}
	}
}

func TestPageKeepsItsLimit(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	base, next := randomProfile(t, r, 5000), randomProfile(t, r, 5000)
	for _, limit := range []int{60_000, 100_000, 180_000} {
		var page bytes.Buffer
		p, err := Write(&page, Input{Base: Side{Profile: base}, New: Side{Profile: next}, Limit: limit})
		if err != nil {
			t.Fatal(err)
		}
		if page.Len() > limit || p.Bytes != page.Len() || p.Folded == 0 {
			t.Errorf("limit %d: %d bytes, %+v", limit, page.Len(), p)
		}
		if page.Len() < limit*7/10 {
			t.Errorf("limit %d: only %d bytes are used, though %d boxes were folded", limit, page.Len(), p.Folded)
		}
		if !strings.Contains(page.String(), `id="pruned"`) {
			t.Error("the page does not say that it was pruned")
		}
	}
}

// Boxes of equal width cannot be told apart: all of them go.
func TestPruneTies(t *testing.T) {
	lines := make([]string, 20_000)
	for i := range lines {
		lines[i] = fmt.Sprintf("main;run;some_rather_long_function_name_%d 1", i)
	}
	var page bytes.Buffer
	p, err := Write(&page, Input{Base: Side{Profile: profile(t, counted, 1, lines...)}, Limit: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	if p.Folded != 20_000 || p.Functions != 20_000 || p.HiddenPercent[0] != 100 || page.Len() > 100_000 {
		t.Errorf("%+v", p)
	}
	if !strings.Contains(page.String(), "(other, 20000 functions)") {
		t.Error("the folded box is not there")
	}
}

func TestLimitBelowThePageItself(t *testing.T) {
	var page bytes.Buffer
	_, err := Write(&page, Input{Base: Side{Profile: profile(t, counted, 1, "main;run 5")}, Limit: 1000})
	if err == nil || !strings.Contains(err.Error(), "the limit is 1000") || page.Len() > 0 {
		t.Errorf("%d bytes, error %v", page.Len(), err)
	}
}

// A chain of boxes as wide as the graph has no small parts; it is still folded.
func TestPruneChain(t *testing.T) {
	var path strings.Builder
	for i := range 20_000 {
		fmt.Fprintf(&path, "f%d;", i)
	}
	var page bytes.Buffer
	p, err := Write(&page, Input{Base: Side{Profile: profile(t, counted, 1, path.String()+"f 5")}, Limit: 100_000})
	if err != nil || p.Functions != 20_001 || p.HiddenPercent[0] != 100 {
		t.Errorf("%+v, error %v", p, err)
	}
}

func TestDeepStacks(t *testing.T) {
	deep := strings.Repeat("f;", 20_000) + "f 5"
	var page bytes.Buffer
	if _, err := Write(&page, Input{Base: Side{Profile: profile(t, counted, 1, deep)}}); err != nil {
		t.Fatal(err)
	}
}
