package perfctl

import (
	"fmt"
	"slices"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

// Start is one start of one server, and the cells measured on it.
type Start struct {
	Version int // index into the plan's versions
	Repeat  int
	Pass    result.PassKind
	Restore bool // begin from the loaded data, as a write test needs
	Cells   []Cell
	Past    []Past // what the data must have been through, beyond the load
}

// Cell is one workload at one number of clients.
type Cell struct {
	Test    workload.Test
	Clients int
}

// ID names the start in records: runs that share it share a server process.
func (s Start) ID(p *plan.Plan) string {
	c := s.Cells[0]
	what := "reads"
	if len(s.Cells) == 1 {
		what = fmt.Sprintf("%s-c%d", c.Test.ID, c.Clients)
	}
	return fmt.Sprintf("r%02d-%s-%s-%s", s.Repeat, p.Versions[s.Version].Name, what, s.Pass)
}

// RunID names the record of one cell of the start. It is a function of the
// plan, so that a run that was stopped knows what it has already.
func (s Start) RunID(p *plan.Plan, c Cell) string {
	return fmt.Sprintf("r%02d-%s-%s-c%d-%s", s.Repeat, p.Versions[s.Version].Name, c.Test.ID, c.Clients, s.Pass)
}

// Schedule puts a plan's server starts in order. Versions alternate within the
// smallest group that can be compared, and change places from one repeat to the
// next (A B, B A), so that a machine that gets slower over the night is not
// taken for a slower version. Reads share a start with `restart: set`; each
// write test has a start of its own, from restored data. Where the order of the
// plan's tests matters (see inOrder) they keep it, and only reads that stand side
// by side share a start.
func Schedule(p *plan.Plan, tests []workload.Test, passes []result.PassKind) []Start {
	var all []Start
	for repeat := range p.Repeats {
		for _, pass := range passes {
			for _, g := range groups(p, tests, pass) {
				for _, v := range turn(len(p.Versions), repeat) {
					all = append(all, Start{Version: v, Repeat: repeat, Pass: pass, Restore: g.write && !replays(p), Cells: g.cells})
				}
			}
		}
	}
	if inOrder(p, tests) {
		pasts(p, all)
	}
	return all
}

// turn is the order of n versions in a repeat: forwards, then backwards.
func turn(n, repeat int) []int {
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	if repeat%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

// group is what shares a server start.
type group struct {
	write bool
	cells []Cell
}

func groups(p *plan.Plan, tests []workload.Test, pass result.PassKind) []group {
	clients := p.Clients
	if pass == result.PassCallgrind {
		clients = []int{1} // valgrind runs one thread at a time: more clients tell nothing
	}
	if inOrder(p, tests) {
		return sideBySide(p, tests, clients)
	}
	var reads group
	var alone []group
	for _, t := range tests {
		for _, n := range clients {
			c := Cell{Test: t, Clients: n}
			if t.Write || p.Restart == plan.RestartRun {
				alone = append(alone, group{write: t.Write, cells: []Cell{c}})
			} else {
				reads.cells = append(reads.cells, c)
			}
		}
	}
	if len(reads.cells) > 0 {
		return append([]group{reads}, alone...)
	}
	return alone
}

// sideBySide are the groups in the order of the tests.
func sideBySide(p *plan.Plan, tests []workload.Test, clients []int) (all []group) {
	for i, t := range tests {
		shared := i > 0 && !t.Write && !tests[i-1].Write && p.Restart != plan.RestartRun
		for _, n := range clients {
			c := Cell{Test: t, Clients: n}
			if shared || (len(all) > 0 && !t.Write && n != clients[0] && p.Restart != plan.RestartRun) {
				last := &all[len(all)-1]
				last.cells = append(last.cells, c)
				continue
			}
			all = append(all, group{write: t.Write, cells: []Cell{c}})
		}
	}
	return all
}
