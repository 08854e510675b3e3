package perfstat

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

// sum: the event's rows add up to this.
func sum(event string, want float64) check {
	return func(c Counts) error {
		got := 0.0
		for _, r := range c.Find(event) {
			if r.Mark == Counted {
				got += r.Value
			}
		}
		if math.Abs(got-want) > 1e-9*want {
			return fmt.Errorf("%s adds up to %v, want %v", event, got, want)
		}
		return nil
	}
}

func elapsed(want float64) check {
	return func(c Counts) error {
		if c.Elapsed != want {
			return fmt.Errorf("elapsed %v, want %v", c.Elapsed, want)
		}
		return nil
	}
}

func unit(event, want string) check {
	return each(event, "unit "+want, func(r Count) bool { return r.Unit == want })
}

func variance(event string, want float64) check {
	return each(event, fmt.Sprintf("variance %v", want), func(r Count) bool { return r.Variance == want })
}

// metric: perf printed this number behind a count.
func metric(group, name string, want float64) check {
	return func(c Counts) error {
		for _, m := range c.Metrics {
			if m.Name == name && m.Group == group && m.Value == want {
				return nil
			}
		}
		return fmt.Errorf("no metric %s of %q that is %v in %v", name, group, want, c.Metrics)
	}
}

// textChecks are the sections of each output for people, with what the index
// and the files say of each.
var textChecks = map[string][]check{
	"human/spr-default-metricgroup.txt": {all(rows(8), count("cpu-clock", 226054.13), unit("cpu-clock", "msec"), count("context-switches", 932), count("cpu-migrations", 224),
		count("page-faults", 76), count("cycles", 45940682), count("instructions", 36676047), count("branches", 7044516), count("branch-misses", 62169),
		ratio("instructions", "cycles", 0.798, 5e-4), elapsed(1.006529767), metrics(8+12), metric("TopdownL1", "tma_backend_bound", 68.7), metric("TopdownL2", "tma_memory_bound", 49.1))},
	"human/hybrid-stalled-not-supported.txt": {all(rows(10), count("cpu_core/instructions/", 978399), count("cpu_core/cycles/", 959722), ratio("cpu_core/instructions/", "cpu_core/cycles/", 1.01946, 1e-5),
		without("cpu_atom/cycles/", NotCounted), without("cpu_atom/instructions/", NotCounted), without("cpu_atom/stalled-cycles-frontend/", NotSupported), without("cpu_core/stalled-cycles-frontend/", NotSupported), elapsed(0))},
	"human/hybrid-slots-khz.txt": {all(rows(21), count("cpu_core/instructions/", 6679379), count("cpu_atom/instructions/", 753197), count("cpu_core/cycles/", 21257199), count("cpu_atom/cycles/", 2162192),
		count("cpu_core/slots/", 123097644), metric("", "Retiring", 7.5), metric("", "Bad Speculation", 7.2), metric("", "Frontend Bound", 54.1), metric("", "Backend Bound", 31.2), metric("", "Light Operations", 4.8))},
	"human/hybrid-topdown-mixed-next.txt": {all(rows(25), count("cpu_core/instructions/", 7636653), count("cpu_atom/instructions/", 16266629), count("cpu_core/cycles/", 19737646), count("cpu_atom/cycles/", 122018505),
		running("cpu_atom/cycles/", 63.32), count("cpu_atom/TOPDOWN_RETIRING.ALL/", 32110597, 31363579), running("cpu_atom/CPU_CLK_UNHALTED.CORE/", 73.14),
		each("cpu_atom/TOPDOWN_RETIRING.ALL/", "72.48 of its continuation, or 73.37", func(r Count) bool { return r.Running == 72.48 || r.Running == 73.37 }))},
	"human/per-socket-400s.txt": {all(sum("cycles", 13551114134781), sum("instructions", 16057081230511), sum("context-switches", 91380622), sum("cpu-migrations", 1271582), sum("page-faults", 7051592),
		sum("cache-misses", 169849549845), sum("cache-references", 262431402265), each("", "112 CPUs", func(r Count) bool { return r.CPUs == 112 && (r.Where == "S0" || r.Where == "S1") }))},
	"human/process-id-multiplexed-400s.txt": {all(count("task-clock", 6924.46), ratio("instructions", "cycles", 1.24584, 1e-5), running("cycles", 56.74), running("instructions", 57.64),
		running("cache-references", 54.75), running("cache-misses", 53.42), elapsed(400.00409338), count("major-faults", 0))},
	"human/cpu-clock-50-runs.txt": {
		all(count("cpu-clock", 1587.316794), unit("cpu-clock", "msec"), variance("cpu-clock", 0.78), elapsed(1.084688353)),
		all(count("cpu-clock", 1504.706806), variance("cpu-clock", 1.12), elapsed(1.011034802)),
		all(count("cpu-clock", 793.609082), variance("cpu-clock", 0.48), elapsed(0.80024757))},
	"human/r5-msec-paren.txt": {all(rows(8), count("task-clock", 0.461651), unit("task-clock", "msec"), count("instructions", 744921), variance("instructions", 0.23), variance("context-switches", 0),
		ratio("instructions", "cycles", 0.73429, 1e-5), elapsed(1.000868758))},
	"human/process-id-not-counted.txt": {all(rows(1), without("cycles", NotCounted), elapsed(2.000768032))},
	"human/arm-no-thousands.txt":       {all(rows(8), count("cycles", 123267078), ratio("instructions", "cycles", 0.31628, 1e-5), count("task-clock", 293.67), unit("task-clock", "msec"), elapsed(7.073559503))},
	"human/process-id-pair-nginx.txt": {
		all(count("cycles", 475036031861), count("instructions", 238288482425), ratio("instructions", "cycles", 0.5016, 5e-5), count("iTLB-load-misses", 285243909), elapsed(0)),
		all(count("cycles", 352035418768), count("instructions", 149176123626), ratio("instructions", "cycles", 0.4238, 5e-5), count("iTLB-load-misses", 177913663))},
	"human/uncore-mib-ns-units.txt": {all(rows(3), count("uncore_imc/cas_count_read/", 157.47), unit("uncore_imc/cas_count_read/", "MiB"), count("uncore_imc/cas_count_write/", 126.97),
		count("duration_time", 1003019728), unit("duration_time", "ns"), elapsed(0))},
	"human/per-core-joules.txt":         {all(rows(11), sum("power_per_core/energy-per-core/", 5.92), unit("power_per_core/energy-per-core/", "Joules"), each("", "1 CPU", func(r Count) bool { return r.CPUs == 1 && strings.HasPrefix(r.Where, "S0-D0-C") }))},
	"human/per-core-hybrid.txt":         {all(rows(8), sum("cpu_core/cycles/", 9591037), each("", "2 CPUs", func(r Count) bool { return r.CPUs == 2 }))},
	"human/vm-all-not-supported.txt":    {all(rows(5), each("", "none", func(r Count) bool { return r.Mark == NotSupported }), elapsed(10.00091041))},
	"human/vmware-one-counter-zero.txt": {all(rows(2), count("r5101c4", 0), count("r2005101c4", 89743))},
	"human/xen-centos7-msec.txt": {all(count("task-clock", 348.974044), count("context-switches", 39), without("cycles", NotSupported), without("instructions", NotSupported),
		without("L1-dcache-load-misses", NotSupported))},
	"human/interval-host-guest.txt":         {all(rows(6), sum("cycles:H", 8239447602), sum("cycles:G", 698027455), each("", "an interval", func(r Count) bool { return r.Interval > 1 && r.Interval < 3.1 }))},
	"human/interval-raw-config-unicode.txt": {count("cpu/config=0x5301b7,config1=0x1f84000001/", 13493, 5654)},
	"human/vara-report-1.txt": {all(count("task-clock:u", 0.30), count("cycles:u", 360721), count("instructions:u", 200655), ratio("instructions:u", "cycles:u", 0.55626, 1e-5), count("branch-misses:u", 3012),
		without("L1-dcache-loads:u", NotCounted), without("LLC-loads:u", NotSupported), elapsed(0.000741511), metric("", "stalled cycles per insn", 0.55))},
	"human/vara-report-2.txt": {all(count("cycles:u", 850975), running("cycles:u", 12.81), count("instructions:u", 1785912), count("task-clock:u", 1.23), elapsed(5.945920439), metric("", "backend cycles idle", 118.96))},
}

// textErrors are outputs without counts.
var textErrors = map[string]string{"human/topdown-wrapped-header.txt": "metrics only"}

// textWarnings are how many lines cannot be understood, and are told.
var textWarnings = map[string]int{"human/interval-raw-config-unicode.txt": 1}

func TestTextCases(t *testing.T) {
	passed, n := 0, 0
	for _, c := range casefiles.Index(t, "01-perf-stat") {
		kind, _, _ := strings.Cut(c.File, "/")
		raw := strings.HasSuffix(c.File, ".perfstat.txt")
		if kind != "human" && !raw {
			continue
		}
		n++
		if t.Run(c.File, func(t *testing.T) {
			sections, warn, err := ParseText(strings.NewReader(c.Read(t)))
			switch want := textErrors[c.File]; {
			case want != "":
				casefiles.Used(t, casefiles.Refused, c.Path)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want one about %s", err, want)
				}
			case err != nil || len(warn) != textWarnings[c.File]:
				t.Errorf("err %v, warnings %v", err, warn)
			case raw:
				checkAppended(t, c, sections)
			default:
				checkSections(t, c, sections)
			}
		}) {
			passed++
		}
	}
	t.Logf("%d of %d outputs for people are read right", passed, n)
}

func checkSections(t *testing.T, c casefiles.Case, sections []Section) {
	casefiles.Used(t, casefiles.Compared, c.Path)
	checks := textChecks[c.File]
	if len(checks) != len(sections) {
		t.Fatalf("%d sections, want %d: %s", len(sections), len(checks), c.Expected)
	}
	for i, s := range sections {
		if err := checks[i](s.Counts); err != nil {
			t.Errorf("section %d: %v\nthe case expects: %s", i, err, c.Expected)
		}
	}
}

var elapsedList = regexp.MustCompile(`sections (\d+); elapsed ([\d.,]+);.*<not supported> rows: (\d+)`)

// checkAppended checks seven runs of perf in one file against the index and
// against the extraction by the author's own script.
func checkAppended(t *testing.T, c casefiles.Case, sections []Section) {
	m := elapsedList.FindStringSubmatch(c.Expected)
	if m == nil {
		t.Fatalf("the index says something else: %s", c.Expected)
	}
	times, lacking := []string{}, 0
	got := map[string]float64{}
	for _, s := range sections {
		times = append(times, strconv.FormatFloat(s.Elapsed, 'f', 9, 64))
		if !strings.HasPrefix(s.Of, "process id '") || s.Started == "" {
			t.Errorf("section of %q, started %q", s.Of, s.Started)
		}
		for _, r := range s.Rows {
			got[r.Event] = r.Value
			if r.Mark == NotSupported {
				lacking++
				got[r.Event] = -1 // as the author's script writes it
			}
		}
	}
	if fmt.Sprint(len(sections)) != m[1] || strings.Join(times, ",") != m[2] || fmt.Sprint(lacking) != m[3] {
		t.Errorf("%d sections, elapsed %v, %d not supported; want %s", len(sections), times, lacking, c.Expected)
	}
	casefiles.Used(t, casefiles.Compared, c.Path)
	own := casefiles.Case{Path: strings.TrimSuffix(c.Path, ".perfstat.txt") + ".author-sorted.tsv"}
	casefiles.Used(t, casefiles.Reference, own.Path)
	n := 0
	for _, line := range strings.Split(strings.TrimSpace(own.Read(t)), "\n") {
		name, value, _ := strings.Cut(line, "\t")
		if name == "migratons" {
			name = "migrations"
		}
		if strings.HasSuffix(name, "-pct") || name == "ipc" || name == "GHz" {
			continue // perf's metrics, not counts
		}
		n++
		if v, ok := got[name]; !ok || strconv.FormatFloat(v, 'f', -1, 64) != value {
			t.Errorf("%s is %v, and the author's script has %s", name, v, value)
		}
	}
	if n < 25 {
		t.Errorf("the author's file has %d counts only", n)
	}
}
