package perfstat

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// fake is a perf that acknowledges its commands and prints what the test says:
// for hardware counters, old versions and failures, which no machine has at
// will. Each hook is shell code; $out is the output file, $dir a folder of its own.
type fake struct {
	output string
	csv    bool
	start  string // before anything else
	attach string // on the first command
	enable string
	end    string // on the disable that ends the window, after the output is written
}

// caps of a machine with this perf.
func (f fake) caps(t testing.TB) probe.Caps {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	write("output", f.output, 0o644)
	script := fmt.Sprintf(`#!/bin/sh
dir=%q
echo "$*" > $dir/argv
while [ $# -gt 0 ]; do
	case $1 in -o) out=$2;; esac
	shift
done
%s
n=0
while read -r command <&3; do
	n=$((n+1))
	case $n in
	1) :
%s
	;;
	2) :
%s
	;;
	3) cat $dir/output > "$out"
%s
	;;
	esac
	printf 'ack\n\0' >&4
done
`, dir, f.start, f.attach, f.enable, f.end)
	caps := probe.Caps{}
	caps.Perf.Path = write("perf", script, 0o755)
	caps.Perf.Ability = probe.Ability{OK: true}
	caps.Perf.Control = probe.Ability{OK: true}
	caps.Perf.JSON = probe.Ability{OK: !f.csv}
	return caps
}

func (f fake) argv(t testing.TB, caps probe.Caps) string {
	b, err := os.ReadFile(filepath.Join(filepath.Dir(caps.Perf.Path), "argv"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(b))
}

// quick is for a perf that hangs at an edge; long enough for one that does not,
// on a busy machine.
var quick = patience{attach: 30 * time.Second, edge: 2 * time.Second, end: 2 * time.Second}

var (
	coreSet = EventSet{"core", [][]string{{"instructions:u", "instructions:k", "cycles:u", "cycles:k"}, {"task-clock"}, {"context-switches"}}}
	softSet = EventSet{"software", [][]string{{"task-clock"}, {"context-switches"}, {"page-faults"}}}
)

// window makes one window and gives its readings and the errors of its edges.
func window(t testing.TB, caps probe.Caps, set EventSet, wait patience) (rs []result.Reading, begin, end error) {
	t.Helper()
	target := collectors.Target{PID: os.Getpid(), Evidence: t.TempDir(), Tag: "w0"}
	a, err := collector{set, wait}.Arm(t.Context(), target, caps)
	if err != nil {
		t.Fatalf("Arm: %v", err)
	}
	if begin = a.Begin(t.Context()); begin == nil {
		end = a.End(t.Context())
	}
	rs, err = a.Close()
	if err != nil {
		t.Fatalf("Close: %v", err)
	}
	return rs, begin, end
}

// brief is a reading in one line, for tables of what is expected.
func brief(r result.Reading) string {
	v := "-"
	if r.Value != nil {
		v = fmt.Sprintf("%.10g", *r.Value)
	}
	s := fmt.Sprintf("%s %s %s %s %s", r.Name, v, r.Unit, r.Scope, r.State)
	if r.RunningFraction > 0 {
		s += fmt.Sprintf(" %.4f", r.RunningFraction)
	}
	return s
}

func briefs(rs []result.Reading) string {
	var b strings.Builder
	for _, r := range rs {
		b.WriteString(brief(r) + "\n")
	}
	return b.String()
}

// jsonLines makes lines as perf 6.1 prints them: value, unit, event, run time in
// ns, percent running.
func jsonLines(rows ...[5]string) string {
	var b strings.Builder
	b.WriteString("# started on Mon Jan  5 10:00:00 2026\n\n")
	for _, r := range rows {
		fmt.Fprintf(&b, `{"counter-value" : "%s", "unit" : "%s", "event" : "%s", "event-runtime" : %s, "pcnt-running" : %s, "metric-value" : 0.000000, "metric-unit" : ""}`+"\n",
			r[0], r[1], r[2], r[3], r[4])
	}
	return b.String()
}

func csvLines(rows ...[5]string) string {
	var b strings.Builder
	b.WriteString("# started on Mon Jan  5 10:00:00 2026\n\n")
	for _, r := range rows {
		value := r[0]
		if r[1] != "msec" {
			value = strings.TrimSuffix(value, ".000000")
		}
		fmt.Fprintf(&b, "%s;%s;%s;%s;%s;;\n", value, r[1], r[2], r[3], r[4])
	}
	return b.String()
}

var multiplexed = [][5]string{
	{"9000000.000000", "", "instructions:u", "1700000000", "85.00"},
	{"1000000.000000", "", "instructions:k", "1700000000", "85.00"},
	{"6000000.000000", "", "cycles:u", "1700000000", "85.00"},
	{"2000000.000000", "", "cycles:k", "1700000000", "85.00"},
	{"2000.000000", "msec", "task-clock", "2000000000", "100.00"},
	{"77.000000", "", "context-switches", "2000000000", "100.00"},
}

const multiplexedWant = `instructions 10000000 count user+kernel scaled 0.8500
cycles 8000000 count user+kernel scaled 0.8500
instructions_user 9000000 count user scaled 0.8500
instructions_kernel 1000000 count kernel scaled 0.8500
cycles_user 6000000 count user scaled 0.8500
cycles_kernel 2000000 count kernel scaled 0.8500
task_clock_us 2000000 us user+kernel ok
perf_context_switches 77 count user+kernel ok
`

func TestMultiplexedHardwareEvents(t *testing.T) {
	for _, f := range []fake{
		{output: jsonLines(multiplexed...)},
		{output: csvLines(multiplexed...), csv: true},
	} {
		caps := f.caps(t)
		rs, begin, end := window(t, caps, coreSet, usual)
		if begin != nil || end != nil {
			t.Fatal(begin, end)
		}
		if got := briefs(rs); got != multiplexedWant {
			t.Errorf("csv %v: got\n%swant\n%s", f.csv, got, multiplexedWant)
		}
		form := "-j -o "
		if f.csv {
			form = "-x ; -o "
		}
		argv := f.argv(t, caps)
		for _, want := range []string{form, "-D -1 --control fd:3,4", fmt.Sprintf("-p %d", os.Getpid()),
			"-e {instructions:u,instructions:k,cycles:u,cycles:k} -e task-clock -e context-switches"} {
			if !strings.Contains(argv, want) {
				t.Errorf("perf was started as %q, without %q", argv, want)
			}
		}
	}
}
