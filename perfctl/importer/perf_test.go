package importer

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

const perfHead = " Performance counter stats for process id '7':\n\n"

func TestPerfReadings(t *testing.T) {
	for _, tt := range []struct{ name, in, want string }{
		{"counts and clocks", perfHead + " 1,500.00 msec task-clock\n 4,000 cycles:u\n 9 context-switches\n\n 2.000000000 seconds time elapsed\n",
			"task_clock_us=1.5e+06 us user+kernel ok|cycles_user=4000 count user ok|context_switches=9 count user+kernel ok"},
		{"what is none", perfHead + " <not supported> cycles\n <not counted> instructions (0.00%)\n 0 context-switches:u\n", "cycles unsupported|instructions not_counted|context_switches_user unsupported"},
		{"kinds of core and sharing", perfHead + " 30 cpu_core/cycles/ (60.00%)\n 12 cpu_atom/cycles/ (40.00%)\n", "cycles=42 count user+kernel scaled 0.4"},
		{"one kind of core alone", perfHead + " 30 cpu_core/cycles/\n <not counted> cpu_atom/cycles/ (0.00%)\n", "cycles=30 count user+kernel ok"},
		{"the same event in two groups", perfHead + " 30 cpu_atom/X.ALL/\n 31 cpu_atom/X.ALL/\n", "x_all=30 count user+kernel partial"},
		{"sockets", perfHead + "S0  2  30 cycles\nS1  2  12 cycles\n", "cycles=42 count user+kernel ok"},
		{"intervals", "#           time             counts unit events\n  1.000000001  30 cycles\n  2.000000001  12 cycles\n", "cycles=42 count user+kernel ok"},
		{"units", perfHead + " 1.50 Joules power/energy-pkg/\n 7.25 MiB uncore/reads/\n", "energy_pkg=1.5 Joules user+kernel ok|reads=7.25 MiB user+kernel ok"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			im, ws, err := Import(t.Context(), []string{put(t, t.TempDir(), "p.txt", tt.in)}, Options{Versions: []string{"v"}, Clients: []int{1}, Workload: "w"})
			if err != nil || len(ws) > 0 {
				t.Fatal(err, ws)
			}
			var got []string
			for _, r := range im.Runs[0].Passes[0].Windows[0].Readings {
				if r.Source != result.SourceImport {
					t.Errorf("source %s", r.Source)
				}
				if r.Value == nil {
					if r.Reason == "" {
						t.Errorf("%s without a reason", r.Name)
					}
					got = append(got, fmt.Sprintf("%s %s", r.Name, r.State))
					continue
				}
				s := fmt.Sprintf("%s=%v %s %s %s", r.Name, *r.Value, r.Unit, r.Scope, r.State)
				if r.RunningFraction > 0 {
					s += fmt.Sprint(" ", r.RunningFraction)
				}
				got = append(got, s)
			}
			if g := strings.Join(got, "|"); g != tt.want {
				t.Errorf("got\n%s\nwant\n%s", g, tt.want)
			}
		})
	}
}

// A count without operations stands a second; one without a time is not divided.
func TestPerfIsPerSecond(t *testing.T) {
	row := func(text string) compare.Row {
		im, _, err := Import(t.Context(), []string{put(t, t.TempDir(), "p.txt", text)}, Options{Versions: []string{"v"}, Clients: []int{1}, Workload: "w"})
		if err != nil {
			t.Fatal(err)
		}
		return compare.Build(im.Runs, compare.Options{}).Rows[0]
	}
	in := perfHead + " 5,000 instructions\n\n 2.000000000 seconds time elapsed\n"
	if m := row(in).Metrics["instructions_per_query"]; m.Value == nil || math.Abs(*m.Value-2500) > 1e-9 || m.Per != "second" || m.Source != result.SourceImport {
		t.Errorf("%+v", m)
	}
	in, _, _ = strings.Cut(in, "\n 2.0")
	if m := row(in).Metrics["instructions_per_query"]; m.Value != nil || !strings.Contains(m.Reason, "does not say over how long") {
		t.Errorf("%+v", m)
	}
}
