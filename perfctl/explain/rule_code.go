package explain

import (
	"fmt"
	"math"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

func moreCode(f *facts) (Finding, bool) { return f.codeMoved(1) }
func lessCode(f *facts) (Finding, bool) { return f.codeMoved(-1) }

// codeMoved looks at instructions/query, and beside it at IPC, functions and calls.
func (f *facts) codeMoved(want int) (Finding, bool) {
	c, dir, sure := f.moved(instructions)
	if c.name == "" {
		return f.cpuMoved(want)
	}
	if dir != want {
		return Finding{}, false
	}
	if c.m.Source == result.SourceCallgrind && c.r != nil && c.r.Verdict == compare.None {
		sure = false // writes vary by 7-9% under valgrind
	}
	found := Finding{Sure: sure, Evidence: []Evidence{c.evidence("")}}
	found.Text = fmt.Sprintf("instructions/query %s (%s)", percentText(c), c.sourceText())
	switch ipc, moved, _ := f.moved("ipc"); {
	case ipc.name == "":
	case moved == 0:
		found.Text += "; IPC is about the same"
		if want > 0 {
			found.Text += ": more code, not slower memory"
		}
		found.Evidence = append(found.Evidence, ipc.evidence(""))
	default:
		found.Text += fmt.Sprintf("; IPC %s", percentText(ipc))
		found.Evidence = append(found.Evidence, ipc.evidence(""))
	}
	parts := []string{"instructions_user_per_query", "instructions_kernel_per_query"}
	if c.m.Scope == result.User {
		parts = nil // the whole is the user's
	}
	for _, metric := range append(parts, "syscalls_per_query", cpu) {
		if x, moved, _ := f.moved(metric); moved != 0 {
			found.Evidence = append(found.Evidence, x.evidence(""))
		}
	}
	if f.code != nil && f.code.Moved > 0 {
		found.Text += "; " + f.code.Words()
		for i, r := range f.code.Rows {
			if i == 3 {
				break
			}
			if r.Function != "" && r.State != "noise" && r.Delta*f.code.Total.Delta > 0 {
				b, n := r.Base, r.New
				found.Evidence = append(found.Evidence, Evidence{Name: r.Function, Base: &b, New: &n, Unit: f.code.Unit, Text: r.CallsText()})
			}
		}
	}
	return found, true
}

// hostCPU is the CPU of the whole host an operation, of imported results.
const hostCPU = "cpu/o"

// cpuMoved stands in where no instructions were counted: CPU time is code and
// memory together, and on a noisy machine it is neither.
func (f *facts) cpuMoved(want int) (Finding, bool) {
	if _, noisy := noisyMachine(f); noisy {
		return Finding{}, false
	}
	for _, metric := range []string{cpu, hostCPU} {
		c, dir, _ := f.moved(metric)
		if c.name == "" {
			continue
		}
		if dir != want {
			return Finding{}, false
		}
		return Finding{Text: fmt.Sprintf("%s %s; instructions were not counted, so more code is not told from slower memory", label(metric), percentText(c)),
			Evidence: []Evidence{c.evidence("")}}, true
	}
	return Finding{}, false
}

// Words says how many functions the change is in.
func (c *Code) Words() string {
	if c.Moved == 0 {
		return "no function moved beyond noise in the direction of the whole"
	}
	if c.Diffuse == 1 {
		return fmt.Sprintf("one function makes 80%% of it (of %d that moved so)", c.Moved)
	}
	return fmt.Sprintf("%d functions make 80%% of it (of %d that moved so)", c.Diffuse, c.Moved)
}

// CallsText says whether a function was called more often or costs more a call.
func (r CodeRow) CallsText() string {
	switch c := r.Calls; {
	case c == nil:
		return ""
	case c.Base <= 0 && c.New > 0:
		return fmt.Sprintf("new: %.4g calls/query", c.New)
	case c.New <= 0:
		return fmt.Sprintf("no longer called; it was %.4g times/query", c.Base)
	case math.Abs(c.More) >= 3*math.Abs(c.Costlier):
		return fmt.Sprintf("%s calls: %.4g → %.4g/query", moreOrFewer(c.More), c.Base, c.New)
	case math.Abs(c.Costlier) >= 3*math.Abs(c.More):
		return fmt.Sprintf("%s calls: %.4g → %.4g a call", costlierOrCheaper(c.Costlier), r.Base/c.Base, r.New/c.New)
	default:
		return fmt.Sprintf("%s calls (%.4g → %.4g/query), each %s (%.4g → %.4g)", moreOrFewer(c.More), c.Base, c.New, costlierOrCheaper(c.Costlier), r.Base/c.Base, r.New/c.New)
	}
}

func moreOrFewer(v float64) string {
	if v < 0 {
		return "fewer"
	}
	return "more"
}

func costlierOrCheaper(v float64) string {
	if v < 0 {
		return "cheaper"
	}
	return "costlier"
}

// slowerMemory looks at cycles/instruction; without hardware counters at what is left.
func slowerMemory(f *facts) (Finding, bool) {
	if ipc, dir, sure := f.moved("ipc"); ipc.name != "" {
		if dir >= 0 {
			return Finding{}, false
		}
		found := Finding{Sure: sure, Evidence: []Evidence{ipc.evidence("")}}
		found.Text = fmt.Sprintf("cycles/instruction %s: the same code waits longer, for memory or mispredicted branches", signedPercent(ipc.base/ipc.new-1))
		if f.same(instructions) {
			found.Text += ", at the same instructions/query"
		}
		for _, metric := range []string{"cache_misses_per_query", "llc_load_misses_per_query", "dtlb_load_misses_per_query", "itlb_load_misses_per_query", "branch_misses_per_query", "page_faults_per_query"} {
			if x, moved, _ := f.moved(metric); moved > 0 {
				found.Evidence = append(found.Evidence, x.evidence(""))
			}
		}
		if _, noisy := noisyMachine(f); noisy {
			found.Text += "; the machine was noisy, and other programs take cache too"
			found.Sure = false
		}
		return found, true
	}
	c, dir, _ := f.moved(cpu)
	if _, noisy := noisyMachine(f); noisy || dir <= 0 || !f.same(instructions) {
		return Finding{}, false
	}
	if x, moved, _ := f.moved("cpu_system_us_per_query"); x.name != "" && moved > 0 && x.new-x.base > (c.new-c.base)/2 {
		return Finding{}, false // the kernel's work, which callgrind does not count
	}
	i, _ := f.of(instructions)
	return Finding{Text: fmt.Sprintf("CPU/query %s at the same instructions/query (%s): each instruction takes longer; hardware counters would tell memory from clock", percentText(c), i.sourceText()),
		Evidence: []Evidence{c.evidence(""), i.evidence("")}}, true
}

func (c change) sourceText() string {
	switch {
	case c.m.Scope == result.User:
		return string(c.m.Source) + ", user space only"
	case c.m.Scope == result.Kernel:
		return string(c.m.Source) + ", kernel only"
	}
	return string(c.m.Source)
}
