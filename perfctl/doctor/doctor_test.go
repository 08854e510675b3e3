package doctor

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"opcost/collectors/probe"
	"opcost/collectors/probe/binary"
)

func fact[T any](v T) probe.Fact[T] { return probe.Fact[T]{Value: v, Known: true} }

var yes = probe.Ability{OK: true}

// perfect is a machine of which nothing is missing.
func perfect() probe.Caps {
	event := func(n string) probe.Event { return probe.Event{Ability: yes, Name: n} }
	return probe.Caps{
		Kernel: "6.8.0", Paranoid: -1, CPUs: 16, SchedStat: yes,
		User:     probe.User{Perfmon: true, Ptrace: true},
		Host:     probe.Host{CPUModel: "Xeon of the Test"},
		Valgrind: probe.Tool{Ability: yes, Path: "/usr/bin/valgrind", Version: "3.19.0"},
		Perf: probe.Perf{
			Tool: probe.Tool{Ability: yes, Path: "/usr/bin/perf", Version: "6.8.1"}, JSON: yes, Control: yes, PMU: yes, Counters: 6,
			Events: map[string]probe.Event{"instructions:u": event("instructions:u"), "instructions:k": event("instructions:k"),
				"task-clock": event("task-clock"), probe.SyscallEvent: event(probe.SyscallEvent)},
		},
		System: probe.System{
			Seccomp: fact(0), Capabilities: fact([]string{"CAP_PERFMON", "CAP_SYS_PTRACE", "CAP_SYSLOG"}), PtraceScope: fact(1),
			KptrRestrict: fact(0), KernelSymbols: fact(true), Tracefs: yes, BTF: yes, NMIWatchdog: fact(false),
			Governors: fact([]string{"performance"}), Boost: fact(false), SMT: fact(false), THP: fact("madvise"), NUMANodes: fact(1),
			Load1: fact(0.1), Steal: fact(probe.Steal{}), Descriptors: fact(probe.Limit{Soft: 1024, Hard: 1048576}),
		},
	}
}

var disk = probe.Space{Dir: "/data", FreeKB: 100 << 20, FS: "xfs"}

func find(t *testing.T, r Report, name string) Check {
	t.Helper()
	for _, c := range r.Checks {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("there is no line %q", name)
	return Check{}
}

func TestPerfectMachine(t *testing.T) {
	r := Machine(perfect(), disk)
	for _, c := range r.Checks {
		if c.State != OK || c.Found == "" || c.Cost != "" || c.Remedy != "" || c.Group == "" {
			t.Errorf("%+v", c)
		}
	}
	if n := r.Count(); n[OK] != len(r.Checks) || len(r.Checks) < 30 {
		t.Errorf("%v of %d", n, len(r.Checks))
	}
}

// Each thing that is wrong shows in its own line, with what it costs and what
// changes it.
func TestEachLack(t *testing.T) {
	no := probe.Ability{Reason: "not here", Remedy: "do this"}
	for _, c := range []struct {
		line   string
		state  State
		spoil  func(*probe.Caps)
		remedy string
	}{
		{"perf", Missing, func(c *probe.Caps) {
			c.Perf = probe.Perf{Tool: probe.Tool{Ability: no}, JSON: no, Control: no, PMU: no}
		}, "do this"},
		{"syscalls/query", Missing, func(c *probe.Caps) { c.Perf = probe.Perf{Tool: probe.Tool{Ability: no}, PMU: no} }, "do this"},
		{"perf stat -j", Limited, func(c *probe.Caps) { c.Perf.JSON = no }, "do this"},
		{"perf stat --control", Missing, func(c *probe.Caps) { c.Perf.Control = no }, "do this"},
		{"PMU self-test", Missing, func(c *probe.Caps) { c.Perf.PMU = no }, "do this"},
		{"cycles/query", Missing, func(c *probe.Caps) { c.Perf.PMU = no }, "do this"},
		{"instructions/query", Limited, func(c *probe.Caps) { c.Perf.PMU = no }, "do this"},
		{"instructions/query", Limited, func(c *probe.Caps) { c.Perf.Events["instructions:k"] = probe.Event{Ability: no} }, "do this"},
		{"events that do not", Missing, func(c *probe.Caps) { c.Perf.Events["branches"] = probe.Event{Ability: no} }, "do this"},
		{"events that do not", Limited, func(c *probe.Caps) { c.Perf.Events["context-switches"] = probe.Event{Ability: no} }, "do this"},
		{"counters at once", Limited, func(c *probe.Caps) { c.Perf.Counters = 3; c.System.NMIWatchdog = fact(true) }, "sysctl kernel.nmi_watchdog=0"},
		{"NMI watchdog", Limited, func(c *probe.Caps) { c.System.NMIWatchdog = fact(true) }, "sysctl kernel.nmi_watchdog=0"},
		{"valgrind", Limited, func(c *probe.Caps) { c.Valgrind = probe.Tool{Ability: no} }, "do this"},
		{"hypervisor", Limited, func(c *probe.Caps) { c.Hyper = "KVM"; c.Perf.PMU = no }, "hypervisor"},
		{"run queue/query", Missing, func(c *probe.Caps) { c.SchedStat = no }, "do this"},
		{"user, capabilities", Limited, func(c *probe.Caps) { c.User = probe.User{UID: 7} }, "root"},
		{"perf_event_paranoid", Limited, func(c *probe.Caps) { c.User = probe.User{UID: 7}; c.Paranoid = 2 }, "perf_event_paranoid=1"},
		{"perf_event_paranoid", Missing, func(c *probe.Caps) { c.User = probe.User{UID: 7}; c.Paranoid = 4 }, "perf_event_paranoid=1"},
		{"seccomp", Limited, func(c *probe.Caps) { c.System.Seccomp = fact(2); delete(c.Perf.Events, "task-clock") }, "seccomp=unconfined"},
		{"Yama ptrace_scope", Limited, func(c *probe.Caps) { c.System.PtraceScope = fact(2); c.User.Ptrace = false }, "ptrace_scope=1"},
		{"Yama ptrace_scope", Limited, func(c *probe.Caps) { c.System.PtraceScope = fact(3) }, "reboot"},
		{"kptr_restrict", Limited, func(c *probe.Caps) { c.System.KptrRestrict = fact(2); c.System.KernelSymbols = fact(false) }, "kptr_restrict=1"},
		{"tracefs", Missing, func(c *probe.Caps) { c.System.Tracefs = no }, "do this"},
		{"BTF", Limited, func(c *probe.Caps) { c.System.BTF = no }, "do this"},
		{"CPUs", Limited, func(c *probe.Caps) { c.CPUs = 1 }, "2 CPUs"},
		{"kinds of core", Limited, func(c *probe.Caps) {
			c.Host.PMUs = []string{"cpu_atom", "cpu_core"}
		}, "server_cpus"},
		{"CPU governor", Limited, func(c *probe.Caps) { c.System.Governors = fact([]string{"performance", "powersave"}) }, "scaling_governor"},
		{"boost (turbo)", Limited, func(c *probe.Caps) { c.System.Boost, c.System.BoostOff = fact(true), "echo 0 > /x" }, "echo 0 > /x"},
		{"SMT", Limited, func(c *probe.Caps) { c.System.SMT = fact(true) }, "smt/control"},
		{"NUMA nodes", Limited, func(c *probe.Caps) { c.System.NUMANodes = fact(2) }, "numactl"},
		{"transparent huge pages", Limited, func(c *probe.Caps) { c.System.THP = fact("always") }, "madvise"},
		{"steal", Limited, func(c *probe.Caps) { c.System.Steal = fact(probe.Steal{SinceBoot: 0.02}) }, "dedicated"},
		{"steal", Limited, func(c *probe.Caps) { c.System.Steal = fact(probe.Steal{Now: 0.2}) }, "dedicated"},
		{"load", Limited, func(c *probe.Caps) { c.System.Load1 = fact(8.0) }, "top"},
		{"file descriptors", Limited, func(c *probe.Caps) { c.System.Descriptors = fact(probe.Limit{Soft: 256, Hard: 1024}) }, "ulimit"},
	} {
		caps := perfect()
		caps.Perf.Events = maps.Clone(caps.Perf.Events)
		c.spoil(&caps)
		got := find(t, Machine(caps, disk), c.line)
		if got.State != c.state || got.Found == "" || got.Cost == "" || !strings.Contains(got.Remedy, c.remedy) {
			t.Errorf("%s: %+v", c.line, got)
		}
	}
}

// What is set in a way that looks bad but costs nothing here is ok.
func TestHarmless(t *testing.T) {
	caps := perfect()
	caps.Hyper = "KVM"
	caps.Paranoid = 4
	caps.System.Seccomp = fact(2)
	caps.System.PtraceScope = fact(2)
	caps.System.Descriptors = fact(probe.Limit{Soft: -1, Hard: -1})
	for _, c := range Machine(caps, disk).Checks {
		if c.State != OK {
			t.Errorf("%+v", c)
		}
	}
}

// Nothing is known: every line that is about the machine says so, with a
// reason, and none claims to be ok by a zero value.
func TestUnknownMachine(t *testing.T) {
	r := Machine(probe.Caps{Paranoid: probe.ParanoidUnknown}, probe.Space{Dir: ".", Unknown: "no disk"})
	always := []string{"CPU/query", "context switches/query"} // procfs is on every Linux
	for _, c := range r.Checks {
		if c.State == OK && !slices.Contains(always, c.Name) {
			t.Errorf("%+v", c)
		}
	}
	if c := find(t, r, "disk"); c.State != Unknown || c.Found != "no disk" {
		t.Errorf("%+v", c)
	}
}

func TestHybridKernelInstructions(t *testing.T) {
	caps := perfect()
	caps.Host.PMUs = []string{"cpu_atom", "cpu_core"}
	caps.Perf.Events = map[string]probe.Event{"cpu_core/instructions/k": {Ability: yes}, "cpu_atom/instructions/k": {Ability: probe.Ability{Reason: "never ran there"}}}
	if c := find(t, Machine(caps, disk), "instructions/query"); c.State != OK {
		t.Errorf("%+v", c)
	}
	caps.Perf.Events = map[string]probe.Event{"cpu_core/instructions/k": {Ability: probe.Ability{Reason: "no permission"}}}
	if c := find(t, Machine(caps, disk), "instructions/query"); c.State != Limited || !strings.Contains(c.Found, "no permission") {
		t.Errorf("%+v", c)
	}
}

func TestDisk(t *testing.T) {
	for _, c := range []struct {
		space probe.Space
		want  State
		found string
	}{
		{probe.Space{Dir: "/d", FreeKB: 5 << 20, FS: "ext4"}, OK, "5.4 GB free in /d (ext4)"},
		{probe.Space{Dir: "/d", FreeKB: 1 << 20, FS: "ext4"}, Limited, "1.1 GB"},
		{probe.Space{Dir: "/d", FreeKB: 5 << 20, FS: "tmpfs"}, Limited, "tmpfs"},
		{probe.Space{Dir: "/d", FreeKB: 5 << 20, FS: "nfs"}, Limited, "nfs"},
	} {
		got := find(t, Machine(perfect(), c.space), "disk")
		if got.State != c.want || !strings.Contains(got.Found, c.found) || (got.State != OK) != (got.Cost != "" && got.Remedy != "") {
			t.Errorf("%+v: %+v", c.space, got)
		}
	}
}

func good() binary.Process {
	return binary.Process{PID: 4711, Name: "mysqld", UID: 27, Malloc: "jemalloc", MallocFrom: "has loaded libjemalloc.so.2", Facts: binary.Facts{
		Path: "/usr/sbin/mysqld", Arch: "amd64", BuildID: "aabb", Family: "debian", Symbols: binary.Symbols{Table: 90000, Dynamic: 20000},
		Debug: binary.Debug{Inside: true}, FramePointers: binary.FramePointers{Share: 0.97, Frames: 1000, WithPointer: 970, Functions: 2000},
		LTO: binary.LTO{Seen: "no", Evidence: "GNU C++17 12.2.0"},
	}}
}

func TestServerLines(t *testing.T) {
	var r Report
	r.Server(good(), nil)
	for _, c := range r.Checks {
		if c.State != OK || c.Group != "server" {
			t.Errorf("%+v", c)
		}
	}
	for _, c := range []struct {
		line   string
		state  State
		spoil  func(*binary.Process)
		remedy string
	}{
		{"process", Limited, func(p *binary.Process) { p.Replaced = true }, "restart"},
		{"process", Limited, func(p *binary.Process) { p.Valgrind = true }, ""},
		{"symbols", Limited, func(p *binary.Process) { p.Symbols.Table = 0 }, "$(dpkg -S /usr/sbin/mysqld | cut -d: -f1)-dbgsym"},
		{"symbols", Limited, func(p *binary.Process) { p.Symbols = binary.Symbols{Mini: true, Dynamic: 9} }, "dbgsym"},
		{"symbols", Missing, func(p *binary.Process) { p.Symbols, p.Path = binary.Symbols{}, "/opt/mysqld" }, "build with -g"},
		{"symbols", OK, func(p *binary.Process) {
			p.Symbols, p.Debug = binary.Symbols{Separate: true}, binary.Debug{File: "/x.debug"}
		}, ""},
		{"frame pointers", Missing, func(p *binary.Process) { p.FramePointers.Share = 0.01 }, "-fno-omit-frame-pointer"},
		{"frame pointers", Limited, func(p *binary.Process) { p.FramePointers.Share = 0.5 }, "-fno-omit-frame-pointer"},
		{"frame pointers", Unknown, func(p *binary.Process) { p.FramePointers = binary.FramePointers{Unknown: "another CPU"} }, ""},
		{"build id", Missing, func(p *binary.Process) { p.BuildID = "" }, "--build-id"},
		{"debug information", Missing, func(p *binary.Process) {
			p.Debug, p.Family = binary.Debug{Looked: []string{"/usr/lib/debug/x"}}, "fedora"
		}, "dnf debuginfo-install $(rpm -qf /usr/sbin/mysqld)"},
		{"debug information", Missing, func(p *binary.Process) { p.Debug, p.Family = binary.Debug{Unreadable: "of another build"}, "suse" }, "zypper"},
		{"allocator", Unknown, func(p *binary.Process) { p.Malloc = "" }, ""},
		{"LTO", Limited, func(p *binary.Process) { p.LTO.Seen = "yes" }, ""},
		{"LTO", Unknown, func(p *binary.Process) { p.LTO = binary.LTO{Evidence: "nothing tells"} }, ""},
	} {
		p := good()
		c.spoil(&p)
		var r Report
		r.Server(p, nil)
		got := find(t, r, c.line)
		if got.State != c.state || got.Found == "" || !strings.Contains(got.Remedy, c.remedy) ||
			(got.Cost == "") == (c.state == Limited || c.state == Missing) {
			t.Errorf("%s: %+v", c.line, got)
		}
	}
}

func TestServerThatMayNotBeRead(t *testing.T) {
	var r Report
	r.Server(binary.Process{PID: 1}, fmt.Errorf("process 1: %w", binary.ErrNotAllowed))
	if len(r.Checks) != 1 || r.Checks[0].State != Missing || r.Checks[0].Remedy != "sudo opcost doctor --pid 1" {
		t.Errorf("%+v", r.Checks)
	}
	r = Report{}
	r.Server(binary.Process{PID: 1}, errors.New("no ELF"))
	if len(r.Checks) != 1 || r.Checks[0].State != Missing || r.Checks[0].Found != "no ELF" {
		t.Errorf("%+v", r.Checks)
	}
}

// This very machine and process, whatever they are like.
func TestLiveEveryLackHasItsReason(t *testing.T) {
	r := Machine(probe.Ask(t.Context()), probe.SpaceAt(t.TempDir()))
	p, err := binary.Server(os.Getpid())
	r.Server(p, err)
	for _, c := range r.Checks {
		lacks := c.State == Limited || c.State == Missing
		if c.Found == "" || c.State == "" || lacks && c.Cost == "" || c.State == OK && (c.Cost != "" || c.Remedy != "") {
			t.Errorf("%+v", c)
		}
		if lacks && c.Remedy == "" && c.Name != "LTO" {
			t.Errorf("no remedy: %+v", c)
		}
	}
}
