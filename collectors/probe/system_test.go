package probe

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// A machine that shows nothing has a reason for every fact.
func TestSystemThatShowsNothing(t *testing.T) {
	a := asker{root: t.TempDir(), run: func(context.Context, ...string) (string, string, error) {
		return "", "", errors.New("no sh")
	}}
	s := a.system(t.Context())
	s.Steal = steal(a.cpuTime(), a.cpuTime())
	for name, f := range map[string]struct {
		known  bool
		reason string
	}{
		"seccomp": {s.Seccomp.Known, s.Seccomp.Reason}, "capabilities": {s.Capabilities.Known, s.Capabilities.Reason},
		"ptrace": {s.PtraceScope.Known, s.PtraceScope.Reason}, "kptr": {s.KptrRestrict.Known, s.KptrRestrict.Reason},
		"kallsyms": {s.KernelSymbols.Known, s.KernelSymbols.Reason}, "tracefs": {s.Tracefs.OK, s.Tracefs.Reason},
		"btf": {s.BTF.OK, s.BTF.Reason}, "watchdog": {s.NMIWatchdog.Known, s.NMIWatchdog.Reason},
		"governor": {s.Governors.Known, s.Governors.Reason}, "boost": {s.Boost.Known, s.Boost.Reason},
		"smt": {s.SMT.Known, s.SMT.Reason}, "thp": {s.THP.Known, s.THP.Reason}, "numa": {s.NUMANodes.Known, s.NUMANodes.Reason},
		"load": {s.Load1.Known, s.Load1.Reason}, "steal": {s.Steal.Known, s.Steal.Reason},
		"descriptors": {s.Descriptors.Known, s.Descriptors.Reason},
	} {
		if f.known || f.reason == "" || strings.Contains(f.reason, a.root) {
			t.Errorf("%s: known %v, reason %q", name, f.known, f.reason)
		}
	}
}

const statusOf = "Name:\tx\nUid:\t%d\t%d\t%d\t%d\nCapEff:\t%s\nSeccomp:\t%d\n"

func TestSystem(t *testing.T) {
	a := asker{run: func(context.Context, ...string) (string, string, error) { return "1024\nunlimited\n", "", nil }, root: root(t, map[string]string{
		"proc/self/status":                  fmt.Sprintf(statusOf, 7, 7, 7, 7, "000000c000080000", 2), // bits 19, 38, 39
		"proc/sys/kernel/yama/ptrace_scope": "1\n", "proc/sys/kernel/kptr_restrict": "2\n", "proc/sys/kernel/nmi_watchdog": "1\n",
		"proc/kallsyms": "0000000000000000 A fixed_percpu_data\nffffffff81000000 T _stext\n", "proc/loadavg": "1.25 0.50 0.25 1/200 4711\n",
		"sys/kernel/tracing/events/raw_syscalls/sys_enter/id": "348\n", "sys/kernel/btf/vmlinux": "x",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "schedutil\n", "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance\n",
		"sys/devices/system/cpu/cpu10/cpufreq/scaling_governor": "schedutil\n", "sys/devices/system/cpu/intel_pstate/no_turbo": "0\n",
		"sys/devices/system/cpu/smt/active": "1\n", "sys/kernel/mm/transparent_hugepage/enabled": "[always] madvise never\n",
		"sys/devices/system/node/has_memory": "0-1\n",
	})}
	s := a.system(t.Context())
	switch {
	case s.Seccomp != known(2):
		t.Errorf("seccomp %+v", s.Seccomp)
	case strings.Join(s.Capabilities.Value, " ") != "CAP_PERFMON CAP_BPF CAP_SYS_PTRACE":
		t.Errorf("capabilities %+v", s.Capabilities)
	case s.PtraceScope != known(1) || s.KptrRestrict != known(2) || s.KernelSymbols != known(true):
		t.Errorf("%+v %+v %+v", s.PtraceScope, s.KptrRestrict, s.KernelSymbols)
	case !s.Tracefs.OK || !s.BTF.OK || s.NMIWatchdog != known(true):
		t.Errorf("%+v %+v %+v", s.Tracefs, s.BTF, s.NMIWatchdog)
	case !slices.Equal(s.Governors.Value, []string{"performance", "schedutil"}):
		t.Errorf("governors %+v", s.Governors)
	case s.Boost != known(true) || s.BoostOff != "echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo":
		t.Errorf("boost %+v %s", s.Boost, s.BoostOff)
	case s.SMT != known(true) || s.THP != known("always") || s.NUMANodes != known(2) || s.Load1 != known(1.25):
		t.Errorf("%+v %+v %+v %+v", s.SMT, s.THP, s.NUMANodes, s.Load1)
	case s.Descriptors != known(Limit{1024, -1}):
		t.Errorf("descriptors %+v", s.Descriptors)
	}
}

func TestSystemOtherwise(t *testing.T) {
	const siblings = "sys/devices/system/cpu/cpu%d/topology/thread_siblings_list"
	with := func(files map[string]string) asker { return asker{root: root(t, files)} }
	if on, off := with(map[string]string{"sys/devices/system/cpu/cpufreq/boost": "1\n"}).boost(); on != known(true) || off != "echo 0 > /sys/devices/system/cpu/cpufreq/boost" {
		t.Errorf("AMD's switch: %+v %s", on, off)
	}
	if on, _ := with(map[string]string{"sys/devices/system/cpu/intel_pstate/no_turbo": "1\n"}).boost(); on != known(false) {
		t.Errorf("no_turbo 1: %+v", on)
	}
	if f := with(map[string]string{fmt.Sprintf(siblings, 0): "0,2\n", fmt.Sprintf(siblings, 1): "1\n"}).smt(); f != known(true) {
		t.Errorf("an old kernel with SMT: %+v", f)
	}
	if f := with(map[string]string{fmt.Sprintf(siblings, 0): "0\n", fmt.Sprintf(siblings, 1): "1\n"}).smt(); f != known(false) {
		t.Errorf("an old kernel without SMT: %+v", f)
	}
	if f := with(map[string]string{"proc/kallsyms": "0000000000000000 A a\n0000000000000000 T _stext\n"}).kernelSymbols(); f != known(false) {
		t.Errorf("hidden addresses: %+v", f)
	}
	if f := with(map[string]string{"proc/sys/kernel/osrelease": "6\n"}).ptraceScope(); !f.Known || f.Value != 0 || !strings.Contains(f.Reason, "no Yama") {
		t.Errorf("no Yama: %+v", f)
	}
	if f := with(map[string]string{"proc/sys/kernel/yama/ptrace_scope": "eh\n"}).ptraceScope(); f.Known || !strings.Contains(f.Reason, "no number") {
		t.Errorf("garbage: %+v", f)
	}
	if f := with(map[string]string{"proc/sys/kernel/nmi_watchdog": "7\n"}).flag("proc/sys/kernel/nmi_watchdog"); f.Known {
		t.Errorf("7 is no switch: %+v", f)
	}
	if f := with(map[string]string{"sys/kernel/mm/transparent_hugepage/enabled": "always\n"}).thp(); f.Known || f.Reason == "" {
		t.Errorf("no brackets: %+v", f)
	}
	if f := with(map[string]string{"sys/devices/system/node/has_memory": "\n"}).numaNodes(); f.Known || f.Reason == "" {
		t.Errorf("no nodes: %+v", f)
	}
	if a := with(map[string]string{"sys/kernel/debug/tracing/events/raw_syscalls/sys_enter/id": "17\n"}).tracefs(); !a.OK {
		t.Errorf("the old place: %+v", a)
	}
}

func TestDescriptors(t *testing.T) {
	for out, want := range map[string]Limit{"20000\n20000\n": {20000, 20000}, "unlimited\nunlimited\n": {-1, -1}} {
		a := asker{run: func(context.Context, ...string) (string, string, error) { return out, "", nil }}
		if f := a.descriptors(t.Context()); f != known(want) {
			t.Errorf("%q: %+v", out, f)
		}
	}
	for _, out := range []string{"", "12\n", "a b\n", "1 2 3"} {
		a := asker{run: func(context.Context, ...string) (string, string, error) { return out, "", nil }}
		if f := a.descriptors(t.Context()); f.Known || f.Reason == "" {
			t.Errorf("%q: %+v", out, f)
		}
	}
}

// By hand: from the first line to the second, 300 ticks of work and 100 stolen;
// since boot 1,000 of work and 200 stolen. Guests' time (the last columns) is
// within user's and must not count twice.
func TestSteal(t *testing.T) {
	at := func(line string) Fact[cpuTime] {
		return asker{root: root(t, map[string]string{"proc/stat": line})}.cpuTime()
	}
	from := at("cpu  400 50 200 9000 10 20 30 100 400 50\n")
	to := at("cpu  600 60 250 9900 10 40 50 200 600 60\n")
	f := steal(from, to)
	if !f.Known || f.Value.SinceBoot < 1.0/6-1e-9 || f.Value.SinceBoot > 1.0/6+1e-9 || f.Value.Now < 0.25-1e-9 || f.Value.Now > 0.25+1e-9 {
		t.Errorf("%+v", f)
	}
	if f := steal(from, from); f.Value.Now != 0 {
		t.Errorf("nothing ran: %+v", f)
	}
}

func TestSpaceAt(t *testing.T) {
	dir := t.TempDir()
	s, later := SpaceAt(dir), SpaceAt(filepath.Join(dir, "not", "yet"))
	if s.Unknown != "" || s.FreeKB <= 0 || s.FS == "" || later.FS != s.FS || later.Unknown != "" {
		t.Errorf("%+v, %+v", s, later)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if s := SpaceAt(filepath.Join(file, "below")); s.Unknown == "" {
		t.Errorf("below a file: %+v", s)
	}
	if s := SpaceAt("/proc"); s.FS != "0x9fa0" || s.Unknown == "" { // PROC_SUPER_MAGIC, linux/magic.h; it has no blocks
		t.Errorf("procfs: %+v", s)
	}
}

func TestAskTakesSystemAndSteal(t *testing.T) {
	c := machineWith(t, good, works(4)).ask(t.Context())
	if !c.System.KptrRestrict.Known && c.System.KptrRestrict.Reason == "" || c.System.NMIWatchdog != known(true) || !c.System.Descriptors.Known {
		t.Errorf("%+v", c.System)
	}
	if c.System.Steal.Known || !strings.Contains(c.System.Steal.Reason, "/proc/stat") || c.System.Steal.Value.Over > time.Hour {
		t.Errorf("%+v", c.System.Steal)
	}
}
