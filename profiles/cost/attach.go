package cost

import (
	"container/heap"
	"slices"
)

// attach gives each function that no path has reached one: behind the heaviest
// of its callers that has one, else alone.
func (u *unfolding) attach(thread int) {
	t := u.threads[thread]
	open := &calls{}
	from := func(node int) {
		for _, c := range t.g.out[node] {
			if len(t.paths[c.to]) == 0 {
				heap.Push(open, reached{node, c})
			}
		}
	}
	for i := range t.g.nodes {
		if len(t.paths[i]) > 0 {
			from(i)
		}
	}
	for node := 0; ; {
		for open.Len() > 0 {
			r := heap.Pop(open).(reached)
			if len(t.paths[r.to]) > 0 {
				continue
			}
			caller := t.paths[r.from][0]
			u.add(t, path{thread: thread, node: r.to, caller: caller, depth: u.paths[caller].depth + 1})
			from(r.to)
		}
		for node < len(t.g.nodes) && len(t.paths[node]) > 0 {
			node++
		}
		if node == len(t.g.nodes) {
			return
		}
		u.add(t, path{thread: thread, node: node, caller: -1, depth: 1})
		from(node)
	}
}

// add makes a path a stack and goes no further. Where it would be too long, it
// is the function alone.
func (u *unfolding) add(t *thread, p path) {
	if p.depth > maxDepth {
		p.caller, p.depth = -1, 1
	}
	t.paths[p.node] = append(t.paths[p.node], len(u.paths))
	u.paths = append(u.paths, p)
}

// emit divides each function's own cost among its paths.
func (u *unfolding) emit(thread int) error {
	t := u.threads[thread]
	for node, at := range t.paths {
		weights := make([]float64, len(at))
		for i, a := range at {
			weights[i] = u.paths[a].weight
		}
		for i, part := range apportion(t.g.self[node], weights) {
			if part == 0 {
				continue
			}
			if err := u.b.Add(t.name, u.stack(at[i]), part, 0); err != nil {
				return err
			}
		}
	}
	return nil
}

// stack is a path's frames, the leaf first.
func (u *unfolding) stack(at int) []int32 {
	var frames []int32
	for ; at >= 0; at = u.paths[at].caller {
		frames = append(frames, u.function(u.paths[at].thread, u.paths[at].node))
	}
	return slices.Clip(frames)
}

// reached is a call from a node that has a path.
type reached struct {
	from int
	call
}

// calls is a heap, the heaviest on top.
type calls []reached

func (h calls) Len() int      { return len(h) }
func (h calls) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h calls) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	switch {
	case a.weight != b.weight:
		return a.weight > b.weight
	case a.from != b.from:
		return a.from < b.from
	}
	return a.to < b.to
}
func (h *calls) Push(x any) { *h = append(*h, x.(reached)) }
func (h *calls) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
