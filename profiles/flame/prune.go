package flame

import (
	"fmt"
	"math"
	"slices"
	"sort"
)

// fit renders the page and folds small boxes until it is no larger than the
// limit. The tree itself stays whole.
func fit(in Input, t *tree) ([]byte, Pruned, error) {
	all := Pruned{Boxes: len(t.boxes)}
	// A box takes over 12 bytes: a graph with more boxes than that need not be tried.
	keep := min(len(t.boxes), max(1, in.Limit/12))
	if keep == len(t.boxes) {
		page, done, err := render(in, t, all)
		if err != nil || len(page) <= in.Limit {
			return page, done, err
		}
		keep = shrink(keep, in.Limit, len(page))
	}
	widths := t.widths()
	for least := widths[keep-1]; ; {
		kept, pruned := t.prune(least)
		page, done, err := render(in, kept, pruned)
		if err != nil || len(page) <= in.Limit {
			return page, done, err
		}
		if pruned.Folded == len(t.boxes)-1 {
			return nil, Pruned{}, fmt.Errorf("flame graph: the page without any function takes %d bytes, the limit is %d: raise the limit, or shorten title and notes", len(page), in.Limit)
		}
		// Boxes of equal width go together, so the next try begins above this one.
		wider := sort.Search(len(widths), func(i int) bool { return widths[i] <= least })
		if wider == 0 {
			least = math.Nextafter(widths[0], math.Inf(1)) // not even a chain as wide as the root
			continue
		}
		keep = min(wider, shrink(keep, in.Limit, len(page)))
		least = widths[keep-1]
	}
}

// shrink is how many boxes to try next where keep of them took size bytes.
func shrink(keep, limit, size int) int {
	return max(1, min(keep-1, int(float64(keep)*float64(limit)/float64(size)*0.98)))
}

// widths are all boxes' widths, the widest first.
func (t *tree) widths() []float64 {
	w := make([]float64, len(t.boxes))
	for i := range t.boxes {
		w[i] = t.width(&t.boxes[i])
	}
	slices.Sort(w)
	slices.Reverse(w)
	return w
}

// prune is the tree with every box below a width folded into one box a parent.
// A box is never wider than its parent, so what is kept hangs together.
func (t *tree) prune(least float64) (*tree, Pruned) {
	out := &tree{ops: t.ops, per: t.per, both: t.both, groups: t.groups}
	p := Pruned{Boxes: len(t.boxes), BelowPercent: 100 * least / t.width(&t.boxes[0])}
	at := make([]int32, len(t.boxes)) // a kept box's index in out
	for i := range t.boxes {
		x := t.boxes[i]
		if i > 0 && (at[x.parent] < 0 || t.width(&x) < least) {
			at[i] = -1
			p.Folded++
			continue
		}
		at[i] = int32(len(out.boxes))
		if i > 0 {
			x.parent = at[x.parent]
		}
		out.boxes = append(out.boxes, x)
	}
	seen := map[string]bool{}
	for _, x := range out.boxes {
		seen[x.name] = true
	}
	left := map[string]bool{}
	for i := range t.boxes {
		if at[i] < 0 {
			continue
		}
		other, names := box{parent: at[i]}, map[string]bool{}
		for _, c := range t.boxes[i].children {
			if at[c] < 0 {
				t.fold(c, &other, names)
			}
		}
		if other.folded = len(names); other.folded == 0 {
			continue
		}
		for n := range names {
			if !seen[n] {
				left[n] = true
			}
		}
		for s, total := range t.boxes[0].total {
			if total > 0 {
				p.HiddenPercent[s] += 100 * float64(other.self[s]) / float64(total)
			}
		}
		other.name = fmt.Sprintf("(other, %d %s)", other.folded, plural(other.folded, "function"))
		out.boxes = append(out.boxes, other)
	}
	p.Functions = len(left)
	out.sum()
	out.order()
	return out, p
}

// fold adds a box and all below it to the box that stands for them.
func (t *tree) fold(i int32, into *box, names map[string]bool) {
	todo := []int32{i}
	for len(todo) > 0 {
		x := &t.boxes[todo[len(todo)-1]]
		todo = append(todo[:len(todo)-1], x.children...)
		names[x.name] = true
		for s := range x.self {
			into.self[s] += x.self[s]
			into.samples[s] += x.samples[s]
		}
	}
}

func plural(n int, word string) string {
	if n == 1 {
		return word
	}
	return word + "s"
}
