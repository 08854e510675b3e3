package cost

import (
	"slices"
	"strings"

	"opcost/profiles"
)

// node is a row at one depth of its recursion. Where the source tells depths
// apart, the outermost one is on a stack once at most, and under way whenever a
// deeper one is; so its cost with its calls is the whole row's.
type node struct {
	row   int32
	depth uint16
}

// graph is the counted calls of one thread. Calls of different threads make no
// cycle with one another.
type graph struct {
	nodes []node
	index map[node]int
	self  []int64
	out   [][]call
}

type call struct {
	to     int
	weight int64
}

func newGraph() *graph { return &graph{index: map[node]int{}} }

func (g *graph) node(n node) int {
	i, ok := g.index[n]
	if !ok {
		i = len(g.nodes)
		g.index[n] = i
		g.nodes = append(g.nodes, n)
		g.self = append(g.self, 0)
		g.out = append(g.out, nil)
	}
	return i
}

// graphs are one a thread, in the order of the threads' names.
func graphs(p *profiles.Profile, rows []int32) (threads []string, all []*graph) {
	of := func(f int32) node { return node{rows[f], p.Frames[f].Recursion} }
	byThread := map[string]*graph{}
	get := func(thread string) *graph {
		g, ok := byThread[thread]
		if !ok {
			g = newGraph()
			byThread[thread] = g
		}
		return g
	}
	for _, st := range p.Stacks {
		if len(st.Frames) > 0 {
			g := get(st.Thread)
			g.self[g.node(of(st.Frames[0]))] += st.Weight
		}
	}
	for _, a := range p.Arcs {
		g := get(a.Thread)
		caller, callee := g.node(of(a.Caller)), g.node(of(a.Callee))
		g.out[caller] = append(g.out[caller], call{callee, a.Weight})
	}
	for thread := range byThread {
		threads = append(threads, thread)
	}
	slices.SortFunc(threads, strings.Compare)
	for _, thread := range threads {
		all = append(all, byThread[thread])
	}
	return threads, all
}

// arcs adds up counted calls, and the totals that follow from them.
func (s *sums) arcs(p *profiles.Profile, rows []int32) {
	for _, a := range p.Arcs {
		caller, callee := rows[a.Caller], rows[a.Callee]
		e := s.edge(caller, callee)
		e.calls = plus(e.calls, a.Calls)
		e.weight = plus(e.weight, a.Weight)
		s.costs[callee].calls = plus(s.costs[callee].calls, a.Calls)
	}
	_, all := graphs(p, rows)
	for _, g := range all {
		outermost := map[int32]int{}
		for i, n := range g.nodes {
			if o, ok := outermost[n.row]; !ok || n.depth < g.nodes[o].depth {
				outermost[n.row] = i
			}
		}
		total, bound := g.totals()
		for row, i := range outermost {
			c := &s.costs[row]
			c.total = plus(c.total, total[i])
			c.bound = c.bound || bound[i]
		}
	}
	weight, _ := p.Total()
	for i := range s.costs {
		c := &s.costs[i]
		c.total = min(max(c.total, c.self), weight)
	}
}

// totals are the nodes' costs with all their calls. Two sums are at least that:
// a node's own cost and that of each of its calls, which counts calls within
// calls again; and its whole cycle's own cost and calls out of it, which is of
// the other nodes in it too. The lesser one is exact for a node that is in no
// cycle, and for one that is never within itself.
func (g *graph) totals() (total []int64, bound []bool) {
	cycle, cycles := g.cycles()
	of := make([]int64, cycles)
	size := make([]int, cycles)
	total, bound = make([]int64, len(g.nodes)), make([]bool, len(g.nodes))
	var whole int64
	for i, calls := range g.out {
		c := cycle[i]
		size[c]++
		whole = plus(whole, g.self[i])
		of[c] = plus(of[c], g.self[i])
		total[i] = g.self[i]
		for _, call := range calls {
			total[i] = plus(total[i], call.weight)
			if cycle[call.to] != c {
				of[c] = plus(of[c], call.weight)
			}
		}
	}
	for i, c := range cycle {
		// A call to itself alone is no bound: what the cycle's one function called
		// is known.
		bound[i] = size[c] > 1
		total[i] = min(total[i], of[c], whole)
	}
	return total, bound
}
