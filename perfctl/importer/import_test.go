package importer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// files makes a folder of them; a name may have folders in it.
func files(t *testing.T, in map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "box")
	for name, text := range in {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	abs = "col-1 : x.my5651_rel.z1_c8.pk1\ncol-2 : x.my8028_rel.z1_c8.pk1\n\ncol-1\tcol-2\n1000\t501\thot-points_range=100\n200\t300\tupdate-zipf_range=100\n400\t100\tread-only_range=10\n"
	rel = "Relative to: x.my5651_rel.z1_c8.pk1\ncol-1 : x.my8028_rel.z1_c8.pk1\n\ncol-1\n0.50\thot-points_range=100\n1.50\tupdate-zipf_range=100\n0.25\tread-only_range=10\n"
	met = "sb.met.hot-points.range100.pk1.dop4\n--- absolute\ncpu/o\t\tcs/o\to/s\tdbms\n0.0100\t3.5\t1000\tx.my5651_rel.z1_c8.pk1\n0.0200\t4\t501\tx.my8028_rel.z1_c8.pk1\n--- relative to first result\n2.00\t\t1.14\t0.50\tx.my8028_rel.z1_c8.pk1\n\n"

	loadText = "sysbench --tables=8 --table-size=1000 --mysql-password=s3cret oltp_point_select run\n8 CPUs\nsysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)\n\nNumber of threads: 4\n\n" +
		"SQL statistics:\n    queries performed:\n        read: 1000\n        write: 0\n        other: 0\n        total: 1000\n    transactions: 1000 (500.00 per sec.)\n    queries: 1000 (500.00 per sec.)\n" +
		"    ignored errors: 0 (0.00 per sec.)\nGeneral statistics:\n    total time: 2.0000s\n    total number of events: 1000\nLatency (ms):\n    min: 1.00\n    avg: 8.00\n    max: 20.00\n    95th percentile: 9.00\n    sum: 7990.00\n"
)

// cellsOf are the runs as "host version workload clients: reading=value ...".
func cellsOf(im Imported) []string {
	var all []string
	for _, r := range im.Runs {
		s := fmt.Sprintf("%s %s %s %s %d:", r.Host, r.Version, r.Workload, r.Group, r.Clients)
		for _, w := range r.Passes[0].Windows {
			if n := w.Ops.N(); n > 0 {
				s += fmt.Sprintf(" %d in %gs", n, float64(w.DurationNS)/1e9)
			}
			for _, x := range w.Readings {
				if x.Value != nil {
					s += fmt.Sprintf(" %s=%.6g", x.Name, *x.Value)
				} else {
					s += fmt.Sprintf(" %s:%s", x.Name, x.State)
				}
			}
		}
		all = append(all, s)
	}
	slices.Sort(all)
	return all
}

func codes(ws []result.Warning) string {
	var all []string
	for _, w := range ws {
		all = append(all, w.Code)
	}
	slices.Sort(all)
	return strings.Join(all, " ")
}

func TestImport(t *testing.T) {
	vm := "procs -----------memory----------\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n" +
		" 1 0 0 1 1 1 0 0 0 0 1 99 90 5 5 0 0\n 1 0 0 1 1 1 0 0 0 0 1 1500 20 10 70 0 0\n 1 0 0 1 1 1 0 0 0 0 1 500 10 10 80 0 0\n"
	for _, tt := range []struct {
		name    string
		files   map[string]string
		options Options
		want    []string
		warn    string
	}{
		{"tables of one folder", map[string]string{"box_dop4/qps.abs.t.tsv": abs, "box_dop4/qps.rel.t.tsv": rel, "box_dop4/o.met.t": met}, Options{}, []string{
			"box 5.6.51 hot-points point 4: qps=1000 cpu/o=0.01 cs/o=3.5 o/s=1000",
			"box 5.6.51 read-only_range=10 range-agg 4: qps=400",
			"box 5.6.51 update-zipf write 4: qps=200",
			"box 8.0.28 hot-points point 4: qps=501 cpu/o=0.02 cs/o=4 o/s=501",
			"box 8.0.28 read-only_range=10 range-agg 4: qps=100",
			"box 8.0.28 update-zipf write 4: qps=300"}, ""},
		{"clients from the file beside", map[string]string{"qps.abs.t.tsv": abs[:len(abs)-len("200\t300\tupdate-zipf_range=100\n400\t100\tread-only_range=10\n")], "o.met.t": met}, Options{}, []string{
			"box 5.6.51 hot-points point 4: qps=1000 cpu/o=0.01 cs/o=3.5 o/s=1000",
			"box 8.0.28 hot-points point 4: qps=501 cpu/o=0.02 cs/o=4 o/s=501"}, "import_clients"},
		{"a sweep, in both spellings", map[string]string{"dop1/o.met": strings.ReplaceAll(met, "dop4", "dop1"), "s_dop40/o.met": strings.ReplaceAll(met, "dop4", "dop40")}, Options{}, []string{
			"box 5.6.51 hot-points point 1: cpu/o=0.01 cs/o=3.5 o/s=1000 qps=1000",
			"box 8.0.28 hot-points point 1: cpu/o=0.02 cs/o=4 o/s=501 qps=501",
			"s 5.6.51 hot-points point 40: cpu/o=0.01 cs/o=3.5 o/s=1000 qps=1000",
			"s 8.0.28 hot-points point 40: cpu/o=0.02 cs/o=4 o/s=501 qps=501"}, ""},
		{"a folder a server, a file a test", map[string]string{
			"x.my5651_rel.z1/sb.met.scan.range100.pk1.dop4": "iostat, vmstat normalized by operation rate\nsamp\tr/o\to/s\n9\t0.5\t70\n\nsamp\tcs/o\tcpu/o\n9\t4\t0.02\n",
			"x.my8028_rel.z1/sb.met.scan.range100.pk1.dop4": "iostat, vmstat normalized by operation rate\nsamp\tr/o\to/s\n9\t0.25\t35\n\nsamp\tcs/o\tcpu/o\n9\t8\t0.04\n"}, Options{}, []string{
			"box 5.6.51 scan range 4: r/o=0.5 o/s=70 cs/o=4 cpu/o=0.02 qps=70", "box 8.0.28 scan range 4: r/o=0.25 o/s=35 cs/o=8 cpu/o=0.04 qps=35"}, ""},
		{"ratios alone", map[string]string{"qps.rel.t.4u.tsv": rel}, Options{Host: "h"}, []string{
			"h 5.6.51 hot-points point 4: qps_relative=1", "h 5.6.51 read-only_range=10 range-agg 4: qps_relative=1", "h 5.6.51 update-zipf write 4: qps_relative=1",
			"h 8.0.28 hot-points point 4: qps_relative=0.5", "h 8.0.28 read-only_range=10 range-agg 4: qps_relative=0.25", "h 8.0.28 update-zipf write 4: qps_relative=1.5"}, ""},
		{"csv with names given", map[string]string{"q.csv": "scan_range=100,10,20\n"}, Options{Versions: []string{"old", "new"}, Clients: []int{1}}, []string{
			"box new scan range 1: qps=20", "box old scan range 1: qps=10"}, ""},
		{"numbers by client count", map[string]string{"s_o.qps.abs": "sb.r.qps.scan.range100.pk1\n10\t20\tx.my5651.z.pk1\n"}, Options{Clients: []int{1, 8}}, []string{
			"box/s 5.6.51 scan range 1: qps=10", "box/s 5.6.51 scan range 8: qps=20"}, ""},
		{"a server renamed", map[string]string{"dop4/o.met": met}, Options{Versions: []string{"x.my5651_rel.z1_c8.pk1=base"}}, []string{
			"box 8.0.28 hot-points point 4: cpu/o=0.02 cs/o=4 o/s=501 qps=501", "box base hot-points point 4: cpu/o=0.01 cs/o=3.5 o/s=1000 qps=1000"}, ""},
		{"a load with its machine: Small Datum's costs", map[string]string{"my8028.point-query.sb.txt": loadText, "my8028.point-query.vm.txt": vm}, Options{}, []string{
			// mean of us+sy over two intervals 25, of cs 1000, over 500 queries a second
			"box 8.0.28 point-query point 4: 1000 in 2s response_us=7990 response_us_max=20000 response_us_p95=9000 cpu/o=0.05 cs/o=2 " +
				"host_user_percent=15 host_system_percent=10 host_idle_percent=75 host_iowait_percent=0 host_steal_percent=0 host_context_switches_per_second=1000 host_interrupts_per_second=1"},
			"import_clients"},
		{"repeats of a load", map[string]string{"my8028.a.txt": loadText, "my8028.b.txt": strings.ReplaceAll(loadText, "1000", "1100")}, Options{Workload: "point-query"}, []string{
			"box 8.0.28 point-query point 4: 1000 in 2s response_us=7990 response_us_max=20000 response_us_p95=9000",
			"box 8.0.28 point-query point 4: 1100 in 2s response_us=7263.64 response_us_max=20000 response_us_p95=9000"}, "import_sum"},
		{"the same output twice", map[string]string{"my8028.a.txt": loadText + loadText}, Options{Workload: "w"}, []string{
			"box 8.0.28 point-query point 4: 1000 in 2s response_us=7990 response_us_max=20000 response_us_p95=9000"}, "import_twin"},
		{"a number of another file differs", map[string]string{"dop4/qps.abs.a.tsv": abs, "dop4/qps.abs.b.tsv": strings.Replace(abs, "501", "502", 1)}, Options{}, []string{
			"box 5.6.51 hot-points point 4: qps=1000", "box 5.6.51 read-only_range=10 range-agg 4: qps=400", "box 5.6.51 update-zipf write 4: qps=200",
			"box 8.0.28 hot-points point 4: qps=501", "box 8.0.28 read-only_range=10 range-agg 4: qps=100", "box 8.0.28 update-zipf write 4: qps=300"}, "import_differs"},
		{"a ratio that is not one", map[string]string{"dop4/qps.abs.t.tsv": abs, "dop4/qps.rel.t.tsv": strings.Replace(rel, "0.50", "0.60", 1)}, Options{}, []string{
			"box 5.6.51 hot-points point 4: qps=1000", "box 5.6.51 read-only_range=10 range-agg 4: qps=400", "box 5.6.51 update-zipf write 4: qps=200",
			"box 8.0.28 hot-points point 4: qps=501", "box 8.0.28 read-only_range=10 range-agg 4: qps=100", "box 8.0.28 update-zipf write 4: qps=300"}, "import_ratio"},
		{"what is of no kind is left out, what is broken is told", map[string]string{"dop4/o.met": met, "dop4/README": "words\n", "dop4/qps.abs.x.tsv": "col-1 : x.a\n\ncol-1\n1\t2\tscan_range=100\n"}, Options{}, []string{
			"box 5.6.51 hot-points point 4: cpu/o=0.01 cs/o=3.5 o/s=1000 qps=1000", "box 8.0.28 hot-points point 4: cpu/o=0.02 cs/o=4 o/s=501 qps=501"}, "import_failed import_skipped"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			im, ws, err := Import(t.Context(), []string{files(t, tt.files)}, tt.options)
			if err != nil {
				t.Fatal(err)
			}
			if got := cellsOf(im); !slices.Equal(got, tt.want) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(tt.want, "\n"))
			}
			if got := codes(ws); strings.Join(slices.Compact(strings.Fields(got)), " ") != tt.warn {
				t.Errorf("warnings %v, want %s", ws, tt.warn)
			}
		})
	}
}

// Through the disk, and a comparison: ratios, and no verdict.
func TestImportedAreCompared(t *testing.T) {
	im, _, err := Import(t.Context(), []string{files(t, map[string]string{"dop4/qps.abs.t.tsv": abs, "dop4/o.met": met})}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "results")
	f, err := result.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := im.Write(f); err != nil {
		t.Fatal(err)
	}
	if err := im.Write(f); err == nil || !strings.Contains(err.Error(), "already; give another --out") {
		t.Errorf("written twice: %v", err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	runs, ws, err := result.Read(dir)
	if err != nil || len(ws) > 0 || len(runs) != 6 {
		t.Fatalf("%d runs, %v, %v", len(runs), ws, err)
	}
	rep := compare.Build(runs, compare.Options{})
	if rep.Base != "5.6.51" || !slices.Equal(rep.Versions, []string{"5.6.51", "8.0.28"}) {
		t.Errorf("base %s of %v", rep.Base, rep.Versions)
	}
	var workloads []string
	for _, row := range rep.Rows {
		if row.Version == "5.6.51" {
			workloads = append(workloads, row.Workload)
		}
		if m := row.Metrics["instructions_per_query"]; m.Value != nil || m.State != result.NotCounted || m.Source != result.SourceImport || m.Reason != "what was imported does not have it" {
			t.Errorf("instructions/query of %s: %+v", row.Workload, m)
		}
		if row.Workload != "hot-points" || row.Version != "8.0.28" {
			continue
		}
		for metric, want := range map[string]float64{"qps": 0.501, "cpu/o": 2, "cs/o": 4 / 3.5, "o/s": 0.501} {
			if r := row.VsBase[metric]; r.Ratio < want-1e-9 || r.Ratio > want+1e-9 || r.Verdict != "" || r.Low != nil {
				t.Errorf("%s: %+v, want %v without a verdict", metric, r, want)
			}
		}
		if m := row.Metrics["qps"]; m.Per != "second" || m.Unit != "statement" || m.Source != result.SourceImport || m.Low != nil {
			t.Errorf("qps: %+v", m)
		}
		if row.Primary != "" {
			t.Errorf("primary %q", row.Primary)
		}
	}
	if want := []string{"hot-points", "update-zipf", "read-only_range=10"}; !slices.Equal(workloads, want) {
		t.Errorf("workloads %v, want them in the table's order: %v", workloads, want)
	}
}

// An import that fails takes back what it wrote, and nothing else.
func TestFailedImportLeavesOthers(t *testing.T) {
	im, _, err := Import(t.Context(), []string{files(t, map[string]string{"dop4/qps.abs.t.tsv": abs})}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "results")
	f, err := result.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	// A run of the same name, by a version of opcost that is not known here.
	other := filepath.Join(dir, "runs", im.Runs[len(im.Runs)-1].ID)
	record := filepath.Join(other, "run.json")
	if err := errors.Join(os.MkdirAll(other, 0o700), os.WriteFile(record, []byte(`{"schema":99}`), 0o600)); err != nil {
		t.Fatal(err)
	}
	if err := im.Write(f); err == nil || !strings.Contains(err.Error(), "move "+other+" away") {
		t.Errorf("%v", err)
	}
	if text, err := os.ReadFile(record); err != nil || string(text) != `{"schema":99}` {
		t.Errorf("the other run: %q, %v", text, err)
	}
	if left, err := os.ReadDir(filepath.Join(dir, "runs")); err != nil || len(left) != 1 {
		t.Errorf("%d folders are left, %v", len(left), err)
	}
}

func TestEvidence(t *testing.T) {
	dir := files(t, map[string]string{"my8028.point-query.txt": loadText, "dop4/qps.abs.t.tsv": abs})
	im, _, err := Import(t.Context(), []string{dir}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "results")
	f, err := result.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(im.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	runs, _, err := result.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		for _, w := range r.Passes[0].Windows {
			b, err := os.ReadFile(filepath.Join(r.Path, "evidence", w.Evidence[0]))
			if err != nil {
				t.Fatal(err)
			}
			if bytes.Contains(b, []byte("s3cret")) {
				t.Errorf("a password is in %s: %s", w.Evidence[0], b)
			}
			switch r.Workload {
			case "point-query":
				if !bytes.Contains(b, []byte("--mysql-password=*** oltp_point_select")) || !bytes.Contains(b, []byte("95th percentile")) {
					t.Errorf("evidence %s", b)
				}
			case "hot-points":
				if !bytes.Contains(b, []byte("qps.abs.t.tsv, line 5:\n1000\t501\thot-points_range=100\n")) {
					t.Errorf("evidence %s", b)
				}
			}
		}
	}
}

func gzipped(t *testing.T, text []byte) string {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(text); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}
