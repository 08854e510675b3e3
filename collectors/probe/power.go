package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/prometheus/procfs"
)

const cpuDir = "sys/devices/system/cpu/"

// governors lists those of all CPUs; see the kernel's admin-guide/pm/cpufreq.
func (a asker) governors() Fact[[]string] {
	files, _ := filepath.Glob(filepath.Join(a.root, cpuDir+"cpu[0-9]*/cpufreq/scaling_governor"))
	var names []string
	for _, f := range files {
		b, err := os.ReadFile(f)
		if g := strings.TrimSpace(string(b)); err == nil && g != "" && !slices.Contains(names, g) {
			names = append(names, g)
		}
	}
	if len(names) == 0 {
		return unknown[[]string]("the machine shows no frequency control (no cpu*/cpufreq in /sys)")
	}
	slices.Sort(names)
	return known(names)
}

// boost reads the driver's switch; intel_pstate's says the opposite.
func (a asker) boost() (on Fact[bool], off string) {
	const intel, others = cpuDir + "intel_pstate/no_turbo", cpuDir + "cpufreq/boost"
	if f := a.flag(intel); f.Known {
		return known(!f.Value), "echo 1 > /" + intel
	}
	if f := a.flag(others); f.Known {
		return f, "echo 0 > /" + others
	}
	return unknown[bool]("the machine shows no switch for it in /sys"), ""
}

// smt: the switch is there from Linux 4.19; before, the topology tells.
func (a asker) smt() Fact[bool] {
	if f := a.flag(cpuDir + "smt/active"); f.Known {
		return f
	}
	files, _ := filepath.Glob(filepath.Join(a.root, cpuDir+"cpu[0-9]*/topology/thread_siblings_list"))
	if len(files) == 0 {
		return unknown[bool]("the machine does not show which CPUs share a core (no /" + cpuDir + "smt)")
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err == nil && len(cpuList(strings.TrimSpace(string(b)))) > 1 {
			return known(true)
		}
	}
	return known(false)
}

// thp takes the mode in brackets: always [madvise] never.
func (a asker) thp() Fact[string] {
	const file = "sys/kernel/mm/transparent_hugepage/enabled"
	t := a.text(file)
	if !t.Known {
		return t
	}
	_, rest, _ := strings.Cut(t.Value, "[")
	mode, _, ok := strings.Cut(rest, "]")
	if !ok {
		return unknown[string](fmt.Sprintf("/%s holds %s, no mode in brackets", file, clean(t.Value)))
	}
	return known(mode)
}

func (a asker) numaNodes() Fact[int] {
	const file = "sys/devices/system/node/has_memory"
	t := a.text(file)
	if !t.Known {
		return unknown[int](t.Reason)
	}
	n := len(cpuList(t.Value))
	if n == 0 {
		return unknown[int](fmt.Sprintf("/%s holds %q, no list of nodes", file, clean(t.Value)))
	}
	return known(n)
}

func (a asker) load1() Fact[float64] {
	fs, err := procfs.NewFS(filepath.Join(a.root, "proc"))
	if err != nil {
		return unknown[float64]("there is no /proc")
	}
	l, err := fs.LoadAvg()
	if err != nil {
		return unknown[float64](cannotRead("proc/loadavg", err))
	}
	return known(l.Load1)
}
