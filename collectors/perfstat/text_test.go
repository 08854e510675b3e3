package perfstat

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

const textHead = "\n Performance counter stats for 'true':\n\n"

func TestParseTextForms(t *testing.T) {
	tests := []struct {
		name, in string
		want     string // rows: event value unit mark running variance where CPUs interval
		warn     int
		err      string
	}{
		{"commas between thousands", "     1,234,567      cycles      #    1.2 GHz\n", "cycles 1234567  counted -1 0  0 0", 0, ""},
		{"points between thousands, decimal comma", "     1.234.567      cycles\n          1.234,56 msec task-clock  #  0,9 CPUs utilized\n",
			"cycles 1234567  counted -1 0  0 0|task-clock 1234.56 msec counted -1 0  0 0", 0, ""},
		{"apostrophes", "     1'234'567      cycles\n     1’234      branches\n", "cycles 1234567  counted -1 0  0 0|branches 1234  counted -1 0  0 0", 0, ""},
		{"blanks between thousands", "     1 234 567      cycles\n     1\u00a0234\u00a0567      branches\n     12\u202f345,67 msec task-clock\n",
			"cycles 1234567  counted -1 0  0 0|branches 1234567  counted -1 0  0 0|task-clock 12345.67 msec counted -1 0  0 0", 0, ""},
		{"one point: thousands in a count", "     1.234      cycles\n", "cycles 1234  counted -1 0  0 0", 0, ""},
		{"one point: decimals in a clock", "     0.461651      task-clock (msec)   #  0.000 CPUs utilized\n", "task-clock 0.461651 msec counted -1 0  0 0", 0, ""},
		{"two decimals", "              0.30 msec task-clock:u\n", "task-clock:u 0.3 msec counted -1 0  0 0", 0, ""},
		{"marks that do not fit", "     1,23,4      cycles\n     5      branches\n", "branches 5  counted -1 0  0 0", 1, ""},
		{"variance and share", "     1,000      cycles      #    1.2 GHz      ( +-  0.50% )  (33.33%)\n", "cycles 1000  counted 33.33 0.5  0 0", 0, ""},
		{"share without a metric", "   <not counted>      cycles:u       (0.00%)\n   <not supported>      LLC-loads\n",
			"cycles:u 0  <not counted> 0 0  0 0|LLC-loads 0  <not supported> -1 0  0 0", 0, ""},
		{"kind of core behind the name", "     77      cycles [cpu_core]\n", "cycles [cpu_core] 77  counted -1 0  0 0", 0, ""},
		{"cgroup", "     77      cycles      db.slice\n", "cycles 77  counted -1 0  0 0", 0, ""},
		{"per thread", "        mysqld-4711            12,345      cycles\n", "cycles 12345  counted -1 0 mysqld-4711 0 0", 0, ""},
		{"per CPU", "CPU0                   12,345      cycles\nCPU11   <not counted>      cycles\n", "cycles 12345  counted -1 0 CPU0 0 0|cycles 0  <not counted> -1 0 CPU11 0 0", 0, ""},
		{"per socket and die", "S0-D1          24      12,345      cycles\n", "cycles 12345  counted -1 0 S0-D1 24 0", 0, ""},
		{"per node", "N1          24      12,345      cycles\n", "cycles 12345  counted -1 0 N1 24 0", 0, ""},
		{"intervals, per core", "     1.000838672 S0-D0-C3           2             12,345      cycles\n", "cycles 12345  counted -1 0 S0-D0-C3 2 1.000838672", 0, ""},
		{"advice below", "     5      cycles\n\nSome events weren't counted. Try disabling the NMI watchdog:\n\techo 0 > /proc/sys/kernel/nmi_watchdog\n\tperf stat ...\n", "cycles 5  counted -1 0  0 0", 0, ""},
		{"a line of something else", "     5      cycles\nServer started, pid 12\n", "cycles 5  counted -1 0  0 0", 1, ""},
		{"nothing", "", "", 0, "no count"},
		{"percentages alone", "            retiring      bad speculation\n               24.9%                16.8%\n", "", 2, "metrics only"},
		{"a number without an event", "     5\n", "", 1, "no count"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s, warn, err := ParseText(strings.NewReader(textHead + tt.in))
			var got []string
			for _, sec := range s {
				for _, r := range sec.Rows {
					got = append(got, fmt.Sprintf("%s %s %s %s %v %v %s %d %v", r.Event, strconv.FormatFloat(r.Value, 'f', -1, 64), r.Unit, r.Mark, r.Running, r.Variance, r.Where, r.CPUs, r.Interval))
				}
			}
			if g := strings.Join(got, "|"); g != tt.want {
				t.Errorf("got\n%s\nwant\n%s", g, tt.want)
			}
			if len(warn) != tt.warn {
				t.Errorf("warnings %v, want %d", warn, tt.warn)
			}
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
		})
	}
}

func TestParseTextSections(t *testing.T) {
	in := "# started on Mon Feb  2 10:00:00 2026\n" + textHead + "  5 cycles\n\n 1.5 +- 0.1 seconds time elapsed  ( +- 6.67% )\n 0.25 seconds user\n 0.125 seconds sys\n" +
		"\n Performance counter stats for process id '77' (3 runs):\n  6 cycles\n"
	s, warn, err := ParseText(strings.NewReader(in))
	if err != nil || len(warn) > 0 || len(s) != 2 {
		t.Fatalf("%+v, %v, %v", s, warn, err)
	}
	if a := s[0]; a.Of != "'true'" || a.Started != "Mon Feb  2 10:00:00 2026" || a.Elapsed != 1.5 || a.User != 0.25 || a.Sys != 0.125 || a.Repeats != 0 {
		t.Errorf("first: %+v", a)
	}
	if b := s[1]; b.Of != "process id '77'" || b.Repeats != 3 || b.Elapsed != 0 || b.Started != "" {
		t.Errorf("second: %+v", b)
	}
	if _, _, err := ParseText(strings.NewReader("   5 cycles\n")); err == nil || !strings.Contains(err.Error(), "Performance counter stats for") {
		t.Errorf("without a heading: %v", err)
	}
	if _, _, err := ParseText(io.LimitReader(endless('x'), 10<<20)); err == nil || !strings.Contains(err.Error(), "longer than") {
		t.Errorf("an endless line: %v", err)
	}
}

// What this machine's perf prints for people says the same as its CSV.
func TestParseTextLive(t *testing.T) {
	perf, err := exec.LookPath("perf")
	if err != nil {
		if os.Getenv("OPCOST_TEST_ALL") == "1" {
			t.Fatal(err)
		}
		t.Skipf("no perf here: %v", err)
	}
	events := []string{"task-clock", "context-switches", "page-faults", "minor-faults"}
	out, err := exec.Command(perf, "stat", "-r", "3", "-e", strings.Join(events, ","), "true").CombinedOutput()
	if err != nil {
		t.Skipf("perf stat: %v: %s", err, out)
	}
	s, warn, err := ParseText(strings.NewReader(string(out)))
	if err != nil || len(warn) > 0 || len(s) != 1 || s[0].Repeats != 3 || s[0].Elapsed <= 0 || len(s[0].Rows) != len(events) {
		t.Fatalf("%+v, %v, %v of\n%s", s, warn, err, out)
	}
	for i, r := range s[0].Rows {
		if n := ParseName(r.Event).Event; n != events[i] || r.Mark != Counted {
			t.Errorf("row %d: %+v, want %s", i, r, events[i])
		}
	}
	if r := s[0].Rows[0]; r.Unit != "msec" || r.Value <= 0 || r.Value > 1e6 {
		t.Errorf("%+v", r)
	}
}

func FuzzParseText(f *testing.F) {
	f.Add(textHead + "   1,234.56 msec task-clock  #  0.9 CPUs utilized ( +- 0.5% ) (33.33%)\n  1.5 seconds time elapsed\n")
	f.Add(textHead + "S0-D0-C3  2  <not counted>  cycles [cpu_core]\n   TopdownL1  #  3.1 %  tma_x\n   # nan  y\n")
	f.Add("#           time             counts unit events\n  1.000762735  13’493  cpu/config=0x1,y/\n")
	f.Fuzz(func(t *testing.T, in string) {
		s, _, err := ParseText(strings.NewReader(in))
		if err == nil && len(s) == 0 {
			t.Error("no section and no error")
		}
		for _, sec := range s {
			fuzzed(t, sec.Counts, err)
		}
	})
}
