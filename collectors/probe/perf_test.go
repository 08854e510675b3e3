package probe

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/collectors/child"
)

// machineWith is an asker whose perf is a shell script: it gets the arguments,
// and the shell variable $events (space-separated) when it is asked to count.
func machineWith(t testing.TB, script string, pmu counter) asker {
	t.Helper()
	dir := root(t, machineFiles(""))
	path := filepath.Join(dir, "perf")
	text := `#!/bin/sh
version() { echo "perf version $1"; exit 0; }
row() { printf '{"counter-value" : "%s", "unit" : "", "event" : "%s", "event-runtime" : 5, "pcnt-running" : 100.00}\n' "$1" "$2" >&2; }
csv() { printf '%s;;%s;5;100.00;;\n' "$1" "$2" >&2; }
acks() { while read -r c <&3; do printf 'ack\n\0' >&4; done; exit 0; }
events= n=0 control=
for a; do
	case $last in -e) events="$events $a" n=$((n+1));; --control) control=1;; esac
	last=$a
done
` + script
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
	return asker{root: dir, run: child.Output, pmu: pmu, look: func(name string) (string, error) {
		if name == "perf" {
			return path, nil
		}
		return "", errors.New("not there")
	}}
}

// works is a PMU of n counters on which a turn takes 7 instructions.
type works int

func (works) instructions(turns int) (uint64, error) { return uint64(7*turns + 100), nil }
func (w works) fits(n int) (bool, error)             { return n <= int(w), nil }

const good = `
case $1 in --version) version 6.1.187;; esac
[ -n "$control" ] && acks
for e in $events; do row 12345 $e; done
`

func TestPerfThatWorks(t *testing.T) {
	for _, n := range []works{6, 5, 0, maxCounters + 4} {
		c := machineWith(t, good, n).ask(t.Context())
		p := c.Perf
		if !p.OK || p.Version != "6.1.187" || p.Major != 6 || p.Minor != 1 || !p.JSON.OK || !p.Control.OK || !p.PMU.OK {
			t.Errorf("%+v", p)
		}
		if p.Counters != min(int(n), maxCounters) {
			t.Errorf("%d counters, want %d", p.Counters, n)
		}
		for _, e := range append(append(append([]string{}, hardwareEvents...), softwareEvents...), tracepoints...) {
			if got := p.Events[e]; !got.OK || got.Name != e {
				t.Errorf("%s: %+v", e, got)
			}
		}
		if m := c.Machine(); m.PMU != "counts" || m.Perf != "6.1.187" {
			t.Errorf("%+v", m)
		}
	}
}

func TestPerfThatDoesNot(t *testing.T) {
	tests := []struct {
		name   string
		script string
		reason string // of the perf
		remedy string
	}{
		{"Ubuntu's script without the kernel's tools", `echo "WARNING: perf not found for kernel 6.8.0-31" >&2; exit 2`, "WARNING: perf not found for kernel 6.8.0-31", "perf"},
		{"garbage", `printf '\001\377\n'`, "no version of perf", "perf"},
		{"silence", ``, `says nothing`, "perf"},
		{"killed", `kill -9 $$`, "does not run: signal: killed", "perf"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := machineWith(t, tt.script, works(6)).ask(t.Context()).Perf
			if p.OK || !strings.Contains(p.Reason, tt.reason) || !strings.Contains(p.Remedy, tt.remedy) {
				t.Errorf("%+v", p.Ability)
			}
			if p.PMU.OK || p.PMU.Reason != p.Reason || p.Control.OK || p.JSON.OK {
				t.Errorf("what needs perf: %+v", p)
			}
		})
	}
}

// Where the perf on PATH is no use, one beside a kernel may be.
func TestPerfBesideTheKernel(t *testing.T) {
	a := machineWith(t, `exit 2`, works(6))
	path := filepath.Join(a.root, "usr/lib/linux-tools/5.15.0-1/perf")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("#!/bin/sh\necho perf version 5.15.160\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	tool, major, minor := a.perf(t.Context())
	if !tool.OK || tool.Path != path || major != 5 || minor != 15 {
		t.Errorf("%+v %d.%d", tool, major, minor)
	}
}

// A perf that hangs costs a bounded time and gives reasons.
func TestPerfThatHangs(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	p := machineWith(t, `case $1 in --version) version 6.1;; esac; sleep 100`, works(6)).ask(ctx).Perf
	for what, a := range map[string]Ability{"JSON": p.JSON, "control": p.Control, "PMU": p.PMU, "task-clock": p.Events["task-clock"].Ability} {
		if a.OK || a.Reason == "" {
			t.Errorf("%s: %+v", what, a)
		}
	}
	if !strings.Contains(p.JSON.Reason, "did not answer in time") {
		t.Errorf("%+v", p.JSON)
	}
	late, cancelled := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancelled()
	if p := machineWith(t, `sleep 100`, works(6)).ask(late).Perf; !strings.Contains(p.Remedy, "when the machine is less busy") {
		t.Errorf("a perf that is too slow: %+v", p.Ability)
	}
}

func TestControl(t *testing.T) {
	tests := []struct{ name, script, reason, remedy string }{
		{"an old perf", "[ -n \"$control\" ] && { echo '  Error: unknown option `control'\"'\" >&2; exit 129; }", "perf 5.4 has no stat --control", oldestPerf},
		{"no permission", `[ -n "$control" ] && { echo Error: >&2; echo 'Access to performance monitoring and observability operations is limited.' >&2; exit 255; }`, "may not attach", "perf_event_paranoid"},
		{"another failure", `[ -n "$control" ] && { echo Error: >&2; echo 'it broke' >&2; exit 3; }`, "exit status 3: it broke", oldestPerf},
		{"no acknowledgement", `[ -n "$control" ] && sleep 100`, "no answer within", "when the machine is less busy; if that does not help, a newer perf: " + oldestPerf},
		{"another acknowledgement", `[ -n "$control" ] && { printf 'nak\n\0' >&4; read -r c <&3; }`, `answered "nak\n"`, oldestPerf},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := machineWith(t, "case $1 in --version) version 5.4.1;; esac\n"+tt.script+good, works(6)).ask(t.Context()).Perf
			if p.Control.OK || !strings.Contains(p.Control.Reason, tt.reason) || !strings.Contains(p.Control.Remedy, tt.remedy) {
				t.Errorf("%+v", p.Control)
			}
			if !p.PMU.OK {
				t.Errorf("the rest: %+v", p.PMU)
			}
		})
	}
}

// An old perf prints CSV, and everything else is asked with that.
func TestPerfWithoutJSON(t *testing.T) {
	p := machineWith(t, `
case $1 in --version) version 5.10.218;; esac
[ -n "$control" ] && acks
[ "$2" = -j ] && { echo '  Error: unknown switch j' >&2; exit 129; }
for e in $events; do csv 12345 $e; done
`, works(4)).ask(t.Context()).Perf
	if p.JSON.OK || !strings.Contains(p.JSON.Reason, "unknown switch") || p.JSON.Remedy == "" {
		t.Errorf("%+v", p.JSON)
	}
	if !p.Control.OK || !p.PMU.OK || p.Counters != 4 || !p.Events["cycles:k"].OK {
		t.Errorf("%+v", p)
	}
}

func TestEventsOneByOne(t *testing.T) {
	tests := []struct {
		name, script   string
		event          string
		ok             bool
		reason, remedy string
	}{
		{"no PMU", `for e in $events; do case $e in instr*|cyc*|br*|cache*) row '<not supported>' $e;; *) row 1 $e;; esac; done`,
			"instructions:u", false, "not supported", "valgrind"},
		{"VMware's zeros", `for e in $events; do case $e in instr*|cyc*|br*|cache*) row 0 $e;; *) row 1 $e;; esac; done`,
			"cycles:u", false, "stays 0", "PMU"},
		{"never on the PMU", `for e in $events; do row '<not counted>' $e; done`, "cycles:u", false, "not counted", "nmi_watchdog"},
		{"0 switches are fine", `for e in $events; do case $e in context*) row 0 $e;; *) row 1 $e;; esac; done`, "context-switches", true, "", ""},
		{"user space only: switches", `for e in $events; do row 0 ${e%:u}:u; done`, "context-switches", false, "context-switches:u", "perf_event_paranoid=1"},
		{"user space only: faults", `for e in $events; do row 5 ${e%:u}:u; done`, "page-faults", true, "", ""},
		{"one event is unknown, the others are tried alone", `for e in $events; do [ $e = cache-misses ] && { echo "event syntax error: 'cache-misses'" >&2; exit 129; }; row 1 $e; done`,
			"cycles:k", true, "", ""},
		{"the unknown one", `for e in $events; do [ $e = cache-misses ] && { echo "event syntax error: 'cache-misses'" >&2; exit 129; }; row 1 $e; done`,
			"cache-misses", false, "does not know the event cache-misses", "perf list"},
		{"no permission for the kernel's side", `for e in $events; do [ $e = cycles:k ] && { echo Error: >&2; echo 'Access to performance monitoring and observability operations is limited.' >&2; exit 255; }; row 1 $e; done`,
			"cycles:k", false, "no permission", "perf_event_paranoid=1"},
		{"no permission for tracepoints", `for e in $events; do case $e in raw*) echo "can't access trace events" >&2; exit 129;; esac; row 1 $e; done`,
			SyscallEvent, false, "tracepoints", "remount,mode=755 /sys/kernel/tracing"},
		{"no tracefs", `for e in $events; do case $e in raw*) echo "Error: File /sys/kernel/tracing/events/raw_syscalls/sys_enter not found." >&2; exit 129;; esac; row 1 $e; done`,
			SyscallEvent, false, "tracepoints", "mount -t tracefs"},
		{"garbage", `echo hello >&2`, "cycles:u", false, "printed 0: hello", ""},
		{"a number that is none", `for e in $events; do row 12x $e; done`, "cycles:u", false, "printed 0", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			a := machineWith(t, "case $1 in --version) version 6.1.0;; esac\n[ -n \"$control\" ] && acks\n"+tt.script, works(6))
			p := a.ask(t.Context()).Perf
			e := p.Events[tt.event]
			if e.OK != tt.ok || !strings.Contains(e.Reason, tt.reason) || !strings.Contains(e.Remedy, tt.remedy) {
				t.Errorf("%s: %+v", tt.event, e)
			}
			if tt.event == "cycles:u" && p.PMU.OK {
				t.Errorf("PMU: %+v", p.PMU)
			}
		})
	}
}

func TestPermissionRemedy(t *testing.T) {
	for _, tt := range []struct {
		who  Caps
		want string
	}{
		{Caps{Paranoid: 4}, "sysctl kernel.perf_event_paranoid=1"},
		{Caps{Paranoid: ParanoidUnknown}, "sysctl kernel.perf_event_paranoid=1"},
		{Caps{Paranoid: 1}, "run as root"},
		{Caps{Paranoid: 2, User: User{Perfmon: true}}, "docker run --cap-add PERFMON"},
	} {
		if got := (question{who: tt.who}).permission(); !strings.HasPrefix(got, tt.want) && !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %s", tt.who, got)
		}
	}
	for hyper, want := range map[string]string{"VMware": "vpmc.enable", "KVM": "pmu=on", "": "BIOS", unnamedHypervisor: "virtual PMU"} {
		if got := (question{who: Caps{Hyper: hyper}}).pmuRemedy(); !strings.Contains(got, want) || !strings.Contains(got, "valgrind") {
			t.Errorf("%q: %s", hyper, got)
		}
	}
}
