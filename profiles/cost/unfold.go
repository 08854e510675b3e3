package cost

import (
	"container/heap"
	"fmt"

	"opcost/profiles"
)

const (
	// maxDepth is how long a stack gets, and maxSame how often a function is in
	// it: cycles would be followed without end.
	maxDepth = 256
	maxSame  = 4
	// defaultStacks is what a flame graph can show, several times over.
	defaultStacks = 20000
)

// Unfold makes stacks out of counted calls, at most limit of them (20,000 for
// 0) and one for each function that has none by then. Weights add up to the
// profile's total, and those of a function's stacks to its Self, to the unit.
// How they are divided among its callers is an approximation, which the note
// says in a sentence to be shown. A profile that has stacks is returned as it
// is, with an empty note. It is an error if the weights do not fit 64 bits.
func Unfold(p *profiles.Profile, limit int) (*profiles.Profile, string, error) {
	if p.Arcs == nil {
		return p, "", nil
	}
	if limit <= 0 {
		limit = defaultStacks
	}
	u := &unfolding{p: p, b: profiles.NewBuilder(p.Event)}
	rows := make([]int32, len(p.Frames))
	for i := range rows {
		rows[i] = int32(i)
		f := p.Frames[i]
		f.Recursion = 0 // the stack itself shows it
		u.frames = append(u.frames, u.b.Frame(f))
	}
	names, all := graphs(p, rows)
	for i, g := range all {
		u.threads = append(u.threads, newThread(names[i], g))
	}
	for t := range u.threads {
		u.roots(t)
	}
	for range limit {
		if u.open.Len() == 0 {
			break
		}
		u.follow(heap.Pop(&u.open).(path))
	}
	for _, st := range p.Stacks {
		if len(st.Frames) == 0 {
			if err := u.b.Add(st.Thread, nil, st.Weight, st.Samples); err != nil {
				return nil, "", err
			}
		}
	}
	for t := range u.threads {
		u.attach(t)
		if err := u.emit(t); err != nil {
			return nil, "", err
		}
	}
	out := u.b.Profile()
	out.About, out.Problems = p.About, p.Problems
	note := fmt.Sprintf("Calls were counted, stacks were not: each function's cost is exact, but it is divided among its callers in proportion to what their calls cost, "+
		"as if a function cost the same whoever called its caller; %d stacks of at most %d functions.", len(out.Stacks), maxDepth)
	return out, note, nil
}

// unfolding follows calls from the roots on, the heaviest way first.
type unfolding struct {
	p       *profiles.Profile
	b       *profiles.Builder
	frames  []int32 // of p's frames, in b
	threads []*thread
	paths   []path // the stacks so far; a path's caller is before it
	open    paths
}

// path is a stack: a node, called by the path before it.
type path struct {
	thread, node int
	caller       int // into unfolding.paths; -1 for none
	depth        int
	weight       float64 // of the node with all it called, on this path
}

// thread is a graph and what follows from it.
type thread struct {
	name  string
	g     *graph
	whole []float64 // each node's own cost and that of all its calls
	in    []float64 // what it cost its callers
	paths [][]int   // each node's, into unfolding.paths, the heaviest first
}

func newThread(name string, g *graph) *thread {
	n := len(g.nodes)
	t := &thread{name: name, g: g, whole: make([]float64, n), in: make([]float64, n), paths: make([][]int, n)}
	for i, calls := range g.out {
		t.whole[i] += float64(g.self[i])
		for _, c := range calls {
			t.whole[i] += float64(c.weight)
			t.in[c.to] += float64(c.weight)
		}
	}
	return t
}

// roots opens the nodes that cost more than their callers were told of: where a
// thread began, and what was under way when the counting began.
func (u *unfolding) roots(thread int) {
	t := u.threads[thread]
	for i := range t.g.nodes {
		// What is below a billionth is the rounding of sums over 2^53.
		if over := t.whole[i] - t.in[i]; over > t.whole[i]*1e-9 {
			heap.Push(&u.open, path{thread: thread, node: i, caller: -1, depth: 1, weight: over})
		}
	}
}

// follow makes a path a stack, and opens those that go on from it.
func (u *unfolding) follow(p path) {
	t := u.threads[p.thread]
	at := len(u.paths)
	u.paths = append(u.paths, p)
	t.paths[p.node] = append(t.paths[p.node], at)
	if p.depth >= maxDepth || t.whole[p.node] == 0 {
		return
	}
	for _, c := range t.g.out[p.node] {
		if c.weight == 0 || u.same(at, u.function(p.thread, c.to)) >= maxSame {
			continue
		}
		heap.Push(&u.open, path{thread: p.thread, node: c.to, caller: at, depth: p.depth + 1,
			weight: p.weight * float64(c.weight) / t.whole[p.node]})
	}
}

// function is a node's frame in the new profile.
func (u *unfolding) function(thread, node int) int32 {
	return u.frames[u.threads[thread].g.nodes[node].row]
}

// same is how often a function is on a path.
func (u *unfolding) same(at int, function int32) int {
	n := 0
	for ; at >= 0; at = u.paths[at].caller {
		if u.function(u.paths[at].thread, u.paths[at].node) == function {
			n++
		}
	}
	return n
}

// paths is a heap, the heaviest on top; of equals the one of the first thread
// and node, so that the same input always gives the same stacks.
type paths []path

func (h paths) Len() int      { return len(h) }
func (h paths) Swap(i, j int) { h[i], h[j] = h[j], h[i] }
func (h paths) Less(i, j int) bool {
	a, b := &h[i], &h[j]
	switch {
	case a.weight != b.weight:
		return a.weight > b.weight
	case a.thread != b.thread:
		return a.thread < b.thread
	case a.node != b.node:
		return a.node < b.node
	}
	return a.caller < b.caller
}
func (h *paths) Push(x any) { *h = append(*h, x.(path)) }
func (h *paths) Pop() any {
	last := len(*h) - 1
	x := (*h)[last]
	*h = (*h)[:last]
	return x
}
