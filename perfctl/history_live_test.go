package perfctl

import (
	"context"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
)

// measureOnly runs those runs of a plan whose ids it is told, as if the others
// were on disk, and gives them by id.
func measureOnly(t *testing.T, text string, wanted func(id string) bool) map[string]result.Run {
	t.Helper()
	if _, err := exec.LookPath("mariadbd"); err != nil {
		lacks(t, "mariadbd is not installed")
	}
	dir := t.TempDir()
	p, err := plan.Parse(filepath.Join(dir, "plan.yaml"), []byte(text), workloads{})
	if err != nil {
		t.Fatal(err)
	}
	folder, err := result.Create(filepath.Join(dir, "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	o := RunOptions{Folder: folder, Work: dir, Caps: machine(), Have: map[string]bool{}, Notify: func(g Progress) { t.Logf("[%d/%d] %s%s", g.Done, g.Total, g.Doing, g.Warning) }}
	r, err := newRunner(p, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range r.queue.left {
		for _, c := range s.Cells {
			id := s.RunID(p, c)
			o.Have[id] = !wanted(id)
		}
	}
	if err := Run(context.Background(), p, o); err != nil {
		t.Fatal(err)
	}
	runs, warnings, err := result.Read(filepath.Join(dir, "out"))
	if err != nil || len(warnings) > 0 {
		t.Fatal(err, warnings)
	}
	byID := map[string]result.Run{}
	for _, r := range runs {
		byID[r.ID] = r
	}
	return byID
}

// scanned are the rows of the table that a run of scan saw: what inserts and
// deletes have left.
func scanned(t *testing.T, runs map[string]result.Run, id string) float64 {
	t.Helper()
	r, ok := runs[id]
	if !ok {
		t.Fatalf("%s is not there", id)
	}
	w := r.Passes[0].Windows[0]
	read, ok := value(w, "handler_read_rnd_next")
	if !ok {
		t.Fatalf("%s read no rows", id)
	}
	scans, _ := value(w, "questions")
	return read/scans - 1 // a scan reads one more, to see the end
}

// TestReplayLive: a run that is gone on with does the writes again that are
// before its test: 300 of the window, and half as many of the warm-up.
func TestReplayLive(t *testing.T) {
	t.Parallel()
	runs := measureOnly(t, `
versions: [{name: a, mysqld: installed}]
workloads: [insert, scan]
restore: replay
write_operations: 300
duration: 200ms
warmup: 0s
rows: 1000
repeats: 1
counters: none
`, func(id string) bool { return strings.Contains(id, "-scan-") })
	if got := scanned(t, runs, "r00-a-scan-c1-count"); len(runs) != 1 || got != 1450 {
		t.Errorf("%d runs, %v rows; want 1 of 1450", len(runs), got)
	}
}

// TestReplayLong: nothing is put back, and yet a run that is gone on with finds
// the tables as they were.
func TestReplayLong(t *testing.T) {
	long(t)
	const text = `
versions:
  - {name: a, mysqld: installed}
  - {name: b, mysqld: installed, options: [performance-schema=ON]}
workloads: [scan, insert, delete]
restore: replay
write_operations: 300
duration: 200ms
warmup: 0s
rows: 1000
clients: [2]
repeats: 2
counters: none
`
	all := measureOnly(t, text, func(id string) bool { return strings.HasPrefix(id, "r00-") || strings.Contains(id, "-scan-") })
	rows := func(runs map[string]result.Run, id string) float64 { t.Helper(); return scanned(t, runs, id) }
	misses := int64(0)
	for id, r := range all {
		for _, w := range r.Passes[0].Windows {
			if strings.Contains(id, "delete") || strings.Contains(id, "insert") {
				if w.Ops.N() != 300 {
					t.Errorf("%s: %d operations", id, w.Ops.N())
				}
			}
			if id == "r00-a-delete-c2-count" {
				misses = w.Ops.Misses
				hits, ok := value(w, "hits")
				missed, ok2 := value(w, "misses")
				if !ok || !ok2 || hits+missed != 300 || missed != float64(misses) {
					t.Errorf("%s: %v hits, %v misses, the client saw %d", id, hits, missed, misses)
				}
			}
		}
	}
	warm := float64(150) // half of the window's operations; those of the warm-up miss too
	for _, v := range []string{"a", "b"} {
		if got := rows(all, "r00-"+v+"-scan-c2-count"); got != 1000 {
			t.Errorf("%s: %v rows before the writes", v, got)
		}
	}
	a, b := rows(all, "r01-a-scan-c2-count"), rows(all, "r01-b-scan-c2-count")
	low, high := 1000+300+warm-300-warm, 1000+300+warm-300-warm+float64(misses)+warm
	if a != b || a < low || a > high {
		t.Errorf("behind the writes a has %v rows and b %v; want equal numbers from %v to %v", a, b, low, high)
	}
	// Gone on with: the tables were thrown away, and are made again.
	again := measureOnly(t, text, func(id string) bool { return id == "r01-b-scan-c2-count" })
	if len(again) != 1 || rows(again, "r01-b-scan-c2-count") != b {
		t.Errorf("gone on with: %v rows, before %v", rows(again, "r01-b-scan-c2-count"), b)
	}
}

// agedPlan has a read of the loaded table, so what follows its writes is aged.
const agedPlan = `
versions: [{name: a, mysqld: installed, options: [log-bin]}]
workloads: [range-covered-pk.pre, delete, scan]
rows: 2000
warmup: 0s
duration: 300ms
repeats: 1
counters: none
`

// aged: 200 random deletes of 2,000 leave 2000 * (1 - 1/2000)^200 = 1810 +- 4.
func aged(t *testing.T, runs map[string]result.Run) {
	t.Helper()
	if n := scanned(t, runs, "r00-a-scan-c1-count"); n < 1795 || n > 1825 {
		t.Errorf("%v rows a scan behind 200 deletes, want about 1810", n)
	}
}

func TestReadsBehindWritesLive(t *testing.T) {
	t.Parallel()
	aged(t, measureOnly(t, agedPlan, func(id string) bool { return strings.Contains(id, "-scan-") }))
}

// TestReadsBehindWritesLong: with copies too, reads that stand behind the writes
// of a plan with .pre reads see the tables written to, in each version alike.
func TestReadsBehindWritesLong(t *testing.T) {
	long(t)
	runs := measureOnly(t, agedPlan, func(string) bool { return true })
	for id, r := range runs {
		w := r.Passes[0].Windows[0]
		rows, _ := value(w, "rows_read")
		switch n := float64(w.Ops.N()); id {
		case "r00-a-range-covered-pk.pre-c1-count":
			if each := rows / n; each < 90 || each > 102 {
				t.Errorf("%s read %v rows a query of an untouched table", id, each)
			}
		case "r00-a-delete-c1-count":
			for _, name := range []string{"deferred_cpu_us", "deferred_write_kb", "deferred_ms"} {
				if v, ok := value(w, name); !ok || v < 0 {
					t.Errorf("%s: %s is %v, %v", id, name, v, ok)
				}
			}
		}
	}
	aged(t, runs)
	if len(runs) != 3 {
		t.Errorf("%d runs", len(runs))
	}
}

// TestDeferredLive: an update of an indexed column leaves pages to write, and
// what is written afterwards is of about their size.
func TestDeferredLive(t *testing.T) {
	t.Parallel()
	runs := measure(t, `
versions: [{name: a, mysqld: installed}]
workloads: [update-index]
rows: 20000
warmup: 0s
operations: 2000
repeats: 1
counters: none
`)
	w := runs[0].Passes[0].Windows[0]
	dirty, ok := value(w, "innodb_buffer_pool_pages_dirty_end")
	written, ok2 := value(w, "deferred_write_kb")
	cpu, ok3 := value(w, "deferred_cpu_us")
	left, ok4 := value(w, "deferred_dirty_pages_left")
	if !ok || !ok2 || !ok3 || !ok4 {
		t.Fatalf("readings: %+v", w.Readings)
	}
	t.Logf("%v dirty pages at the end; %v kB and %v us of CPU later, %v left", dirty, written, cpu, left)
	// Each page of 16 kB is written twice: to the doublewrite buffer and in place.
	if pages := (dirty - left) * 16; written < 0.9*pages || written > 3.5*pages {
		t.Errorf("%v kB were written later for %v kB of dirty pages", written, pages)
	}
	if cpu <= 0 || cpu > 60e6 {
		t.Errorf("%v us of CPU later", cpu)
	}
}
