package explain

import (
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// machineChecks are those that a machine breaks, whatever the version.
var machineChecks = []string{result.CheckOthers, "steal", "run_queue", "throttled", "frequency_change", "stalled"}

// broken looks whether one of some checks is broken in most windows of a side.
func (f *facts) broken(names ...string) (found Finding, ok bool) {
	b, n := checksOf(f.baseRuns), checksOf(f.newRuns)
	var says []string
	for _, name := range names {
		x, y := b[name], n[name]
		if !x.mostly() && !y.mostly() {
			continue
		}
		side, text := "on both sides", y.text
		switch {
		case !y.mostly():
			side, text = "on "+f.baseName+"'s side", x.text
		case !x.mostly():
			side = "on " + f.newName + "'s side"
		}
		says = append(says, side+": "+text)
		found.Evidence = append(found.Evidence, Evidence{Name: name, Base: worstOf(x), New: worstOf(y),
			Text: fmt.Sprintf("%s: %s; %s: %s; the limit is %g", f.baseName, x, f.newName, y, max(x.limit, y.limit))})
	}
	found.Text, found.Sure = strings.Join(says, "; "), true
	return found, len(says) > 0
}

func worstOf(c checked) *float64 {
	if c.broken == 0 {
		return nil
	}
	return &c.worst
}

func noisyMachine(f *facts) (Finding, bool) { return f.broken(machineChecks...) }

func deferredWork(f *facts) (Finding, bool) {
	return f.broken("history_growth", "dirty_growth", "checkpoint_age_growth")
}

const clientCPU = "client_cpu_us_per_query"

// clientBound looks at the client's own time.
func clientBound(f *facts) (Finding, bool) {
	found, ok := f.broken("client_bound", "client_idle")
	c, dir, sure := f.moved(clientCPU)
	if dir > 0 && (f.same(cpu) || f.same(instructions)) {
		text := fmt.Sprintf("the client's CPU/query %s, the server's did not", percentText(c))
		if t, has := f.time(); has && t.new-t.base > 0 {
			text += fmt.Sprintf("; it is %.0f%% of the %s's change", 100*(c.new-c.base)/(t.new-t.base), t.label)
		}
		if found.Text != "" {
			text = found.Text + "; " + text
		}
		found.Text, found.Sure = text, found.Sure && ok || sure
		found.Evidence = append(found.Evidence, c.evidence("the client's, not the server's"))
		if s, has := f.of(cpu); has {
			found.Evidence = append(found.Evidence, s.evidence("the server's"))
		}
		ok = true
	}
	return found, ok
}

// decay beyond this is said.
const decay = 0.15

// decaying looks at the thirds of the windows.
func decaying(f *facts) (Finding, bool) {
	var found Finding
	var says []string
	b, n := thirds(f.baseRuns), thirds(f.newRuns)
	sb, db := falling(b)
	sn, dn := falling(n)
	for _, s := range []struct {
		name string
		is   bool
		by   float64
	}{{f.baseName, sb, db}, {f.newName, sn, dn}} {
		if s.is {
			says = append(says, fmt.Sprintf("%s did %.0f%% less in the last third of its windows than in the first", s.name, 100*s.by))
		}
	}
	if len(says) == 0 {
		return found, false
	}
	found.Text, found.Sure = strings.Join(says, "; "), true
	e := Evidence{Name: "decay", Text: "median share by which the last third is below the first"}
	if len(b) > 0 {
		e.Base = &db
	}
	if len(n) > 0 {
		e.New = &dn
	}
	found.Evidence = []Evidence{e}
	return found, true
}

// thirds of the windows that costs are taken from.
func thirds(runs []result.Run) (all [][]int64) {
	for _, r := range runs {
		for _, p := range r.Passes {
			for _, w := range p.Windows {
				if p.Kind == result.PassCount && w.State != result.Failed && len(w.Thirds) == 3 && w.Thirds[0] > 0 {
					all = append(all, w.Thirds)
				}
			}
		}
	}
	return all
}

// falling tells whether most windows decay, and by how much in the median.
func falling(ws [][]int64) (most bool, by float64) {
	var drops []float64
	n := 0
	for _, w := range ws {
		d := 1 - float64(w[2])/float64(w[0])
		drops = append(drops, d)
		if d >= decay && w[0] >= w[1] && w[1] >= w[2] {
			n++
		}
	}
	if len(drops) == 0 {
		return false, 0
	}
	slices.Sort(drops)
	return 2*n > len(ws), drops[len(drops)/2]
}

// anotherPlan looks at EXPLAIN and at the rows that were read.
func anotherPlan(f *facts) (Finding, bool) {
	found := Finding{Sure: true}
	var says []string
	known := false
	for _, d := range f.unlike() {
		if statement, ok := strings.CutPrefix(d.Name, "plan of "); ok {
			known = true
			says = append(says, fmt.Sprintf("EXPLAIN differs of %s", statement))
			found.Evidence = append(found.Evidence, Evidence{Name: d.Name, Text: d.Base + " → " + d.New})
		}
	}
	c, dir, sure := f.moved("rows_read_per_query")
	if dir != 0 {
		text := fmt.Sprintf("rows read/query %s → %s", amount(c.base), amount(c.new))
		if !known && len(plansOf(f.baseRuns)) > 0 && len(plansOf(f.newRuns)) > 0 {
			text += ", while EXPLAIN is the same: another choice within one plan, or other data"
		}
		says = append(says, text)
		found.Evidence = append(found.Evidence, c.evidence("rows read for the same query"))
		if !known {
			found.Sure = sure
		}
	} else if known && c.name != "" {
		says = append(says, "rows read/query are the same")
	}
	found.Text = strings.Join(says, "; ")
	return found, len(says) > 0 && (known || dir != 0)
}

func plansOf(runs []result.Run) map[string]string {
	for _, r := range runs {
		if len(r.Server.Plans) > 0 {
			return r.Server.Plans
		}
	}
	return nil
}
