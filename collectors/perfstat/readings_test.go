package perfstat

import (
	"strings"
	"testing"

	"opcost/collectors/probe"
	"opcost/perfctl/result"
	"opcost/testbed/casefiles"
)

func TestReadings(t *testing.T) {
	casefiles.Used(t, casefiles.Compared, "10-problems/rustc-perf-1480")
	hybridSet := EventSet{"core", [][]string{{"cpu_core/instructions/u"}, {"cpu_atom/instructions/u"}, {"task-clock"}}}
	clock := [5]string{"1000.000000", "msec", "task-clock", "1000000000", "100.00"}
	tests := []struct {
		name   string
		set    EventSet
		rows   [][5]string
		want   string
		reason string // of the reading named first in why
		why    string
	}{
		{
			name: "zeros while the process runs are no counts (VMware)",
			set:  EventSet{"core", [][]string{{"instructions:u", "cycles:u"}, {"task-clock"}}},
			rows: [][5]string{{"0.000000", "", "instructions:u", "1000000000", "100.00"}, {"0.000000", "", "cycles:u", "1000000000", "100.00"}, clock},
			want: "instructions_user - count user failed\ncycles_user - count user failed\ntask_clock_us 1000000 us user+kernel ok\n",
			why:  "instructions_user", reason: "stays 0 while the process used 1000000 us",
		}, {
			name: "not supported says 100% running",
			set:  EventSet{"core", [][]string{{"instructions:u"}, {"task-clock"}}},
			rows: [][5]string{{"<not supported>", "", "instructions:u", "0", "100.00"}, clock},
			want: "instructions_user - count user unsupported\ntask_clock_us 1000000 us user+kernel ok\n",
			why:  "instructions_user", reason: "<not supported>",
		}, {
			name: "not counted, here with 100% running as perf 6.8 prints",
			set:  EventSet{"core", [][]string{{"cycles:u"}, {"task-clock"}}},
			rows: [][5]string{{"<not counted>", "", "cycles:u", "0", "100.00"}, clock},
			want: "cycles_user - count user not_counted\ntask_clock_us 1000000 us user+kernel ok\n",
			why:  "cycles_user", reason: "too few free counters",
		}, {
			name: "a process that did not run has no switches, truly",
			set:  EventSet{"core", [][]string{{"cycles:u"}, {"task-clock"}, {"context-switches"}}},
			rows: [][5]string{{"<not counted>", "", "cycles:u", "0", "100.00"}, {"<not counted>", "msec", "task-clock", "0", "100.00"}, {"<not counted>", "", "context-switches", "0", "100.00"}},
			want: "cycles_user - count user not_counted\ntask_clock_us 0 us user+kernel ok\nperf_context_switches 0 count user+kernel ok\n",
			why:  "cycles_user", reason: "did not run",
		}, {
			name: "user space alone has no switches, and its page faults are some",
			set:  softSet,
			rows: [][5]string{
				{"1000.000000", "msec", "task-clock:u", "1000000000", "100.00"}, {"0.000000", "", "context-switches:u", "1000000000", "100.00"},
				{"91.000000", "", "page-faults:u", "1000000000", "100.00"},
			},
			want: "task_clock_us 1000000 us user+kernel ok\nperf_context_switches - count user+kernel unsupported\nperf_page_faults 91 count user ok\n",
			why:  "perf_context_switches", reason: "context-switches:u",
		}, {
			// 700000*0.4 + 500000*0.6 of raw counts; perf's own sum would be 1200000.
			name: "hybrid: unscaled, then added",
			set:  hybridSet,
			rows: [][5]string{
				{"700000.000000", "", "cpu_core/instructions/u", "400000000", "40.00"},
				{"500000.000000", "", "cpu_atom/instructions/u", "600000000", "60.00"}, clock,
			},
			want: "instructions_user 580000 count user ok 1.0000\ntask_clock_us 1000000 us user+kernel ok\n",
		}, {
			name: "hybrid: all the time on one kind of core",
			set:  hybridSet,
			rows: [][5]string{
				{"<not counted>", "", "cpu_core/instructions/u", "0", "0.00"},
				{"500000.000000", "", "cpu_atom/instructions/u", "1000000000", "100.00"}, clock,
			},
			want: "instructions_user 500000 count user ok 1.0000\ntask_clock_us 1000000 us user+kernel ok\n",
		}, {
			name: "hybrid: part of the time was not counted",
			set:  hybridSet,
			rows: [][5]string{
				{"<not counted>", "", "cpu_core/instructions/u", "0", "0.00"},
				{"500000.000000", "", "cpu_atom/instructions/u", "426000000", "42.00"}, clock,
			},
			want: "instructions_user 213000 count user partial 0.4260\ntask_clock_us 1000000 us user+kernel ok\n",
			why:  "instructions_user", reason: "43% of the time",
		}, {
			name: "run time and percentage that disagree: the percentage",
			set:  EventSet{"core", [][]string{{"cycles:u"}, {"task-clock"}}},
			rows: [][5]string{{"100.000000", "", "cycles:u", "123", "50.00"}, clock},
			want: "cycles_user 100 count user scaled 0.5000\ntask_clock_us 1000000 us user+kernel ok\n",
		}, {
			name: "the kernel's part is missing, so is the whole",
			set:  EventSet{"core", [][]string{{"instructions:u", "instructions:k"}, {"task-clock"}}},
			rows: [][5]string{{"5.000000", "", "instructions:u", "1000000000", "100.00"}, {"<not supported>", "", "instructions:k", "0", "100.00"}, clock},
			want: "instructions - count user+kernel unsupported\ninstructions_user 5 count user ok 1.0000\ninstructions_kernel - count kernel unsupported\ntask_clock_us 1000000 us user+kernel ok\n",
			why:  "instructions", reason: "instructions_kernel: ",
		}, {
			name: "asked for both sides and given user space",
			set:  EventSet{"branches", [][]string{{"branches"}, {"task-clock"}}},
			rows: [][5]string{{"5.000000", "", "branches:u", "1000000000", "100.00"}, clock},
			want: "branches 5 count user ok 1.0000\ntask_clock_us 1000000 us user+kernel ok\n",
		}, {
			name: "tracepoint and arm's spelling",
			set:  EventSet{"syscalls", [][]string{{probe.SyscallEvent}, {"instructions:u"}, {"task-clock"}}},
			rows: [][5]string{{"29.000000", "", "raw_syscalls:sys_enter", "1000000000", "100.00"}, {"7.000000", "", "armv8_pmuv3_0/instructions:u/", "1000000000", "100.00"}, clock},
			want: "syscalls 29 count user+kernel ok\ninstructions_user 7 count user ok 1.0000\ntask_clock_us 1000000 us user+kernel ok\n",
		}, {
			name: "a row that is not there",
			set:  EventSet{"core", [][]string{{"cycles:u"}, {"task-clock"}}},
			rows: [][5]string{clock},
			want: "cycles_user - count user failed\ntask_clock_us 1000000 us user+kernel ok\n",
			why:  "cycles_user", reason: "no row for cycles:u",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, form := range []struct {
				text  string
				parse func(string) (Counts, []result.Warning, error)
			}{
				{jsonLines(tt.rows...), func(s string) (Counts, []result.Warning, error) { return ParseJSON(strings.NewReader(s)) }},
				{csvLines(tt.rows...), func(s string) (Counts, []result.Warning, error) { return ParseCSV(strings.NewReader(s), ";") }},
			} {
				counts, warn, err := form.parse(form.text)
				if err != nil || len(warn) > 0 {
					t.Fatal(err, warn)
				}
				rs := sheet{set: tt.set, counts: counts}.readings()
				if got := briefs(rs); got != tt.want {
					t.Errorf("got\n%swant\n%s", got, tt.want)
				}
				for _, r := range rs {
					if r.Name == tt.why && !strings.Contains(r.Reason, tt.reason) {
						t.Errorf("%s: reason %q lacks %q", r.Name, r.Reason, tt.reason)
					}
					if !r.State.Usable() && r.Reason == "" {
						t.Errorf("%s has neither value nor reason", r.Name)
					}
				}
			}
		})
	}
}

func TestParseName(t *testing.T) {
	for in, want := range map[string]Name{
		"instructions":                  {Event: "instructions"},
		"instructions:u":                {Event: "instructions", Modifier: "u"},
		"cpu_core/cycles/":              {PMU: "cpu_core", Event: "cycles"},
		"cpu_atom/cycles/u":             {PMU: "cpu_atom", Event: "cycles", Modifier: "u"},
		"armv8_pmuv3_0/instructions:u/": {PMU: "armv8_pmuv3_0", Event: "instructions", Modifier: "u"},
		"instructions:k [cpu_core]":     {PMU: "cpu_core", Event: "instructions", Modifier: "k"},
		"cpu/topdown-retiring/":         {PMU: "cpu", Event: "topdown-retiring"},
		"raw_syscalls:sys_enter":        {Event: "raw_syscalls:sys_enter"},
		"raw_syscalls:sys_enter:u":      {Event: "raw_syscalls:sys_enter", Modifier: "u"},
		"l1d:":                          {Event: "l1d:"},
		"":                              {},
	} {
		if got := ParseName(in); got != want {
			t.Errorf("%q: got %+v, want %+v", in, got, want)
		}
	}
}
