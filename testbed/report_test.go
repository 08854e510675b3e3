package testbed

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

// report is what the test needs of opcost's documented JSON.
type report struct {
	Rows []struct {
		Metrics map[string]metric `json:"metrics"`
	} `json:"rows"`
}

type metric struct {
	Value  *float64 `json:"value"`
	Per    string   `json:"per"`
	Source string   `json:"source"`
	Scope  string   `json:"scope"`
	State  string   `json:"state"`
	Reason string   `json:"reason"`
}

// readReport gives the metrics of a report with one row.
func readReport(t *testing.T, out, name string) map[string]metric {
	t.Helper()
	if s := status(t, out, name); s != 0 {
		t.Fatalf("opcost ended with status %d: %s", s, read(t, out, name+".stderr"))
	}
	var r report
	if err := json.Unmarshal([]byte(read(t, out, name+".stdout")), &r); err != nil {
		t.Fatalf("%s.stdout: %v", name, err)
	}
	if len(r.Rows) != 1 {
		t.Fatalf("%s.stdout has %d rows, want 1", name, len(r.Rows))
	}
	return r.Rows[0].Metrics
}

// hardware: every number that a PMU gives is there, from perf. The bounds of
// instructions are wide around what was seen (MariaDB 10.11: 50,000 user, 10,000
// kernel); the emulated clock makes 8 cycles of every instruction.
func hardware(t *testing.T, ms map[string]metric) {
	for _, want := range []struct {
		name, scope, per string
		low, high        float64
	}{
		{"instructions_user_per_query", "user", "statement", 20_000, 120_000},
		{"instructions_kernel_per_query", "kernel", "statement", 3_000, 40_000},
		{"instructions_per_query", "user+kernel", "statement", 25_000, 160_000},
		{"cycles_per_query", "user+kernel", "statement", 200_000, 1_280_000},
		{"ipc", "user+kernel", "", 0.124, 0.126},
	} {
		m := ms[want.name]
		switch {
		case m.Value == nil:
			t.Errorf("%s: no value, state %q: %s", want.name, m.State, m.Reason)
		case m.State != "ok" || m.Source != "perf" || m.Scope != want.scope || want.per != "" && m.Per != want.per:
			t.Errorf("%s: %+v, want state ok, source perf, scope %s, per %q", want.name, m, want.scope, want.per)
		case *m.Value < want.low || *m.Value > want.high:
			t.Errorf("%s: %.3f, want %v to %v", want.name, *m.Value, want.low, want.high)
		default:
			t.Logf("%s: %.3f", want.name, *m.Value)
		}
	}
}

// threeStarts: instructions/query (user) of 10,000 operations on three server
// starts lie within 1%.
func threeStarts(t *testing.T, dir string) {
	runs, warnings, err := result.Read(dir)
	if err != nil || len(warnings) > 0 || len(runs) != 3 {
		t.Fatalf("%d runs, want 3; %v %v", len(runs), warnings, err)
	}
	low, high := math.Inf(1), 0.0
	for _, r := range runs {
		v := userInstructions(t, r)
		t.Logf("%s: %.1f user instructions/query", filepath.Base(r.Start), v)
		low, high = min(low, v), max(high, v)
	}
	t.Logf("the starts differ by %.3f%%", 100*(high/low-1))
	if high/low > 1.01 {
		t.Errorf("%.1f to %.1f: more than 1%% apart", low, high)
	}
}

func userInstructions(t *testing.T, r result.Run) float64 {
	t.Helper()
	for _, p := range r.Passes {
		for _, w := range p.Windows {
			for _, x := range w.Readings {
				if x.Name != "instructions_user" || x.State != result.OK {
					continue
				}
				if w.Ops.N() != 10_000 {
					t.Fatalf("%s: %d operations, want 10,000", r.ID, w.Ops.N())
				}
				return *x.Value / float64(w.Ops.N())
			}
		}
	}
	t.Fatalf("%s has no instructions_user in state ok", r.ID)
	return 0
}

// ordinaryUser: where the kernel may not be counted, user space is right and
// the kernel's side is absent or says why. Where nothing may be counted, there
// is a reason that names the setting, and never a number.
func ordinaryUser(t *testing.T, out string, root map[string]metric) {
	two := readReport(t, out, "nobody-2")
	const user = "instructions_user_per_query"
	if a, b := two[user], root[user]; a.Value == nil || b.Value == nil || a.State != "ok" {
		t.Errorf("%s: as nobody %+v, as root %+v", user, a, b)
	} else if r := *a.Value / *b.Value; r < 0.98 || r > 1.02 {
		t.Errorf("%s: as nobody %.1f, as root %.1f", user, *a.Value, *b.Value)
	} else {
		t.Logf("%s: as nobody %.1f, as root %.1f", user, *a.Value, *b.Value)
	}
	for _, name := range []string{"instructions_per_query", "cycles_per_query", "ipc"} {
		if m := two[name]; m.Value != nil && m.Scope != "user" {
			t.Errorf("%s as nobody: %+v, though the kernel may not be counted", name, m)
		}
	}
	if m := two["instructions_kernel_per_query"]; m.Value != nil || !strings.Contains(m.Reason, "perf_event_paranoid") {
		t.Errorf("instructions_kernel_per_query as nobody: %+v, want no value and a reason that names the setting", m)
	}
	if m := two["context_switches_per_query"]; m.Value == nil || *m.Value == 0 {
		t.Errorf("context switches as nobody: %+v; each query is waited for", m)
	}

	three := readReport(t, out, "nobody-3")
	for name, m := range three {
		if m.Source == "perf" && m.Value != nil {
			t.Errorf("%s: %v by perf, where perf may count nothing", name, *m.Value)
		}
		if m.Value != nil && strings.HasPrefix(name, "instructions") {
			t.Errorf("%s: %+v, where nothing counts instructions", name, m)
		}
	}
	if m := three["instructions_per_query"]; !strings.Contains(m.Reason, "perf_event_paranoid") {
		t.Errorf("instructions_per_query: %+v; the reason should name the setting", m)
	}
}

// doctorSays: doctor's self-test of the PMU passes, and it finds the counters.
func doctorSays(t *testing.T, out string) {
	if s := status(t, out, "doctor"); s != 0 {
		t.Fatalf("opcost doctor ended with status %d: %s", s, read(t, out, "doctor.stderr"))
	}
	var r struct {
		Checks []struct{ Name, State, Found string }
	}
	if err := json.Unmarshal([]byte(read(t, out, "doctor.stdout")), &r); err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"PMU self-test": "", "counters at once": "", "instructions/query": ""}
	for _, c := range r.Checks {
		if _, ok := want[c.Name]; ok {
			want[c.Name] = c.State
			t.Logf("%s: %s: %s", c.Name, c.State, c.Found)
		}
	}
	for name, state := range want {
		if state != "ok" {
			t.Errorf("doctor says %q of %q, want ok", state, name)
		}
	}
}
