package noise

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

var machine = result.Machine{Kernel: "6.1.0", CPUModel: "a CPU", CPUs: 2}

// starts are runs of one version whose CPU time for 1,000 statements is given.
func starts(us ...float64) (runs []result.Run) {
	for i, v := range us {
		id := fmt.Sprint("s", i)
		runs = append(runs, result.Run{
			ID: id, Start: id, Host: "h", Version: "v", Workload: "point-query", Group: "point", Clients: 1, Tables: 1, Rows: 1000,
			Driver: "builtin", Protocol: "prepared", Machine: machine, PlanHash: "abc", Started: time.Date(2026, 1, 1, 0, 0, i, 500, time.UTC),
			Passes: []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{{
				State: result.OK, DurationNS: 1e9, Ops: result.OpCount{Source: result.SourceClient, Per: "statement", End: 1000},
				Readings: []result.Reading{result.Got("cpu_us", v, "us", result.SourceProc, result.UserKernel)},
			}}}},
		})
	}
	return runs
}

func cpuOf(t *testing.T, all []Entry) Entry {
	t.Helper()
	for _, e := range all {
		if e.Metric == "cpu_us_per_query" {
			return e
		}
	}
	t.Fatalf("no CPU/query in %+v", all)
	return Entry{}
}

// Logs 0 and 0.02 have the variance 2e-4.
func TestEntries(t *testing.T) {
	all, err := Entries(starts(1000, 1000*math.Exp(0.02)))
	if err != nil {
		t.Fatal(err)
	}
	e := cpuOf(t, all)
	if math.Abs(e.SD-math.Sqrt(2e-4)) > 1e-12 {
		t.Errorf("SD %v", e.SD)
	}
	e.SD = 0
	want := Entry{Machine: Machine{"h", "a CPU", 2, "6.1.0"}, Group: "point", Clients: 1, Metric: "cpu_us_per_query", Source: result.SourceProc,
		Scope: result.UserKernel, DF: 1, Cells: 1, Measured: time.Date(2026, 1, 1, 0, 0, 1, 0, time.UTC), PlanHash: "abc"}
	if d := cmp.Diff(want, e); d != "" {
		t.Error(d)
	}

	two := starts(1000, 1100)
	two[1].Machine.Kernel = "6.2.0"
	other := starts(1000, 1100)
	other[1].Version = "w"
	for what, runs := range map[string][]result.Run{"one start": starts(1000), "two machines": two, "two versions": other, "nothing": nil} {
		if _, err := Entries(runs); err == nil {
			t.Errorf("%s: no error", what)
		}
	}
}

func TestFileGoesRound(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state", "opcost", "noise.json")
	if got, err := Read(path); got != nil || err != nil {
		t.Fatalf("no file: %v, %v", got, err)
	}
	first, err := Entries(starts(1000, 1010))
	if err != nil {
		t.Fatal(err)
	}
	if err := Write(path, first); err != nil {
		t.Fatal(err)
	}
	got, err := Read(path)
	if d := cmp.Diff(first, got); d != "" || err != nil {
		t.Fatal(d, err)
	}
	// A second measurement takes the first one's place; another machine's is kept beside it.
	second, _ := Entries(starts(1000, 1050))
	foreign, _ := Entries(starts(1000, 1020))
	for i := range foreign {
		foreign[i].Machine.Host = "other"
	}
	for _, es := range [][]Entry{second, foreign} {
		if err := Write(path, es); err != nil {
			t.Fatal(err)
		}
	}
	got, err = Read(path)
	if d := cmp.Diff(Merge(second, foreign), got); d != "" || err != nil || len(got) != 2*len(first) {
		t.Error(d, err, len(got))
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(path), ".new-*")); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", st.Mode(), err)
	}
}

// What cannot be believed is named, not used, and not written over.
func TestFilesThatAreNotBelieved(t *testing.T) {
	es, err := Entries(starts(1000, 1010))
	if err != nil {
		t.Fatal(err)
	}
	good, err := encode(es)
	if err != nil {
		t.Fatal(err)
	}
	zero := es[0]
	zero.SD = 0
	senseless, err := encode([]Entry{zero})
	if err != nil {
		t.Fatal(err)
	}
	text := string(good)
	digit := strings.Replace(text, `"clients": 1`, `"clients": 2`, 1)
	if digit == text {
		t.Fatal("nothing was changed")
	}
	for what, c := range map[string]struct{ text, says string }{
		"tampered":  {digit, "changed after it was written"},
		"cut off":   {text[:len(text)/2], "not written by opcost"},
		"empty":     {"", "not written by opcost"},
		"foreign":   {`{"noise": [1, 2]}`, "not written by opcost"},
		"newer":     {strings.Replace(text, `"schema": 1`, `"schema": 2`, 1), "schema 2"},
		"senseless": {string(senseless), "makes no sense"},
	} {
		path := filepath.Join(t.TempDir(), "noise.json")
		if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := Read(path)
		if got != nil || err == nil || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v, %v", what, got, err)
		}
		if err := Write(path, es); err == nil || !strings.Contains(err.Error(), "move it away") {
			t.Errorf("%s: written over: %v", what, err)
		}
		if now, _ := os.ReadFile(path); string(now) != c.text {
			t.Errorf("%s: the file was changed", what)
		}
	}
	// Spaces are no change.
	if _, err := parse(strings.NewReader(strings.ReplaceAll(text, "\n", "\n\n"))); err != nil {
		t.Error(err)
	}
	dir := t.TempDir()
	if _, err := Read(dir); err == nil {
		t.Error("a folder was read")
	}
	link := filepath.Join(dir, "noise.json")
	if err := os.Symlink("/etc/passwd", link); err != nil {
		t.Fatal(err)
	}
	if _, err := Read(link); err == nil || !strings.Contains(err.Error(), "not a regular file") {
		t.Errorf("a link: %v", err)
	}
}

func TestFloorIsOfTheRunsMachine(t *testing.T) {
	es, err := Entries(starts(1000, 1010))
	if err != nil {
		t.Fatal(err)
	}
	key := compare.NoiseKey{Host: "h", Metric: "cpu_us_per_query", Source: result.SourceProc, Scope: result.UserKernel, Group: "point", Clients: 1}
	floor, notes := Floor(es, starts(1, 2))
	if n := floor[key]; n.SD != cpuOf(t, es).SD || n.DF != 1 || len(notes) > 0 {
		t.Errorf("%+v, %v", floor, notes)
	}
	booted := starts(1, 2)
	for i := range booted {
		booted[i].Machine.Kernel = "6.2.0"
	}
	floor, notes = Floor(es, booted)
	if len(floor) > 0 || len(notes) != 1 || !strings.Contains(notes[0], "6.1.0") || !strings.Contains(notes[0], "6.2.0") {
		t.Errorf("another kernel: %v, %q", floor, notes)
	}
	booted[0].Machine.Kernel = "6.1.0"
	if floor, notes = Floor(es, booted); len(floor) > 0 || len(notes) != 1 {
		t.Errorf("two kernels: %v, %q", floor, notes)
	}
	elsewhere := starts(1, 2)
	for i := range elsewhere {
		elsewhere[i].Host = "other"
	}
	if floor, notes = Floor(es, elsewhere); len(floor) > 0 || len(notes) > 0 {
		t.Errorf("another host: %v, %q", floor, notes)
	}
	// The noise at least believed widens what three quiet starts would say.
	runs := starts(1000, 1000.1, 1000.2)
	floor, _ = Floor(es, runs)
	r := compare.Build(runs, compare.Options{NoiseFloor: floor})
	if m := r.Rows[0].Metrics["cpu_us_per_query"]; !strings.Contains(m.Method, "noise floor") {
		t.Errorf("method %q", m.Method)
	}
}
