package importer

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"

	"opcost/perfctl/importer/iostat"
	"opcost/perfctl/importer/vmstat"
	"opcost/perfctl/result"
	"opcost/testbed/casefiles"
)

func TestCorpusMachine(t *testing.T) {
	corpus(t, "05-vmstat-iostat", func(c casefiles.Case) func(*testing.T, casefiles.Case) {
		if f := machineChecks[c.File]; f != nil {
			return f
		}
		switch {
		case strings.HasPrefix(c.File, "jc/") && strings.Contains(c.File, "vmstat"):
			return vmstatAsJC
		case strings.HasPrefix(c.File, "jc/"):
			return iostatAsJC
		}
		return nil
	})
}

func vmstatOf(t *testing.T, c casefiles.Case) vmstat.Output {
	t.Helper()
	o, ws, err := vmstat.Parse(strings.NewReader(c.Read(t)))
	if err != nil || len(ws) > 0 {
		t.Fatalf("%v, %v", ws, err)
	}
	return o
}

func iostatOf(t *testing.T, c casefiles.Case) (iostat.Output, []result.Warning) {
	t.Helper()
	o, ws, err := iostat.Parse(strings.NewReader(c.Read(t)))
	if err != nil {
		t.Fatal(err)
	}
	return o, ws
}

// jcVmstat are another project's names for the columns.
var jcVmstat = map[string]string{"runnable_procs": "r", "uninterruptible_sleeping_procs": "b", "virtual_mem_used": "swpd", "free_mem": "free", "buffer_mem": "buff",
	"cache_mem": "cache", "inactive_mem": "inact", "active_mem": "active", "swap_in": "si", "swap_out": "so", "blocks_in": "bi", "blocks_out": "bo", "interrupts": "in",
	"context_switches": "cs", "user_time": "us", "system_time": "sy", "idle_time": "id", "io_wait_time": "wa", "stolen_time": "st"}

func jcRows(t *testing.T, c casefiles.Case) []map[string]any {
	t.Helper()
	path := strings.TrimSuffix(c.Path, ".out") + ".json"
	casefiles.Used(t, casefiles.Reference, path)
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var rows []map[string]any
	if err := json.Unmarshal(b, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func vmstatAsJC(t *testing.T, c casefiles.Case) {
	want := jcRows(t, c)
	o := vmstatOf(t, c)
	if len(o.Rows) != len(want) {
		t.Fatalf("%d rows, want %d", len(o.Rows), len(want))
	}
	for i, row := range want {
		for name, v := range row {
			column, known := jcVmstat[name]
			if got, ok := o.Rows[i].Values[column]; known && (ok != (v != nil) || ok && got != v.(float64)) {
				t.Errorf("row %d: %s is %v (there: %v), want %v", i, column, got, ok, v)
			}
		}
		if at, ok := row["timestamp"].(string); ok && o.Rows[i].Time != at {
			t.Errorf("row %d: time %q, want %q", i, o.Rows[i].Time, at)
		}
		if o.Rows[i].SinceBoot != (i == 0) {
			t.Errorf("row %d: since boot %v", i, o.Rows[i].SinceBoot)
		}
	}
}

// jcName is another project's name for a column of iostat.
func jcName(column string) string {
	s := strings.NewReplacer("%", "percent_", "/", "_", "-", "_").Replace(column)
	return strings.ToLower(s)
}

func iostatAsJC(t *testing.T, c casefiles.Case) {
	o, ws := iostatOf(t, c)
	if len(ws) > 0 {
		t.Errorf("warnings %v", ws)
	}
	report := -1
	var devices int
	for _, row := range jcRows(t, c) {
		if row["type"] == "cpu" {
			if report++; report >= len(o.Reports) {
				t.Fatalf("%d reports, and there are more", len(o.Reports))
			}
			devices = 0
			for name, v := range row {
				if short, ok := strings.CutPrefix(name, "percent_"); ok && o.Reports[report].CPU[short] != v.(float64) {
					t.Errorf("report %d: %s is %v, want %v", report, short, o.Reports[report].CPU[short], v)
				}
			}
			continue
		}
		d := o.Reports[report].Devices[devices]
		devices++
		if d.Name != row["device"] || len(d.Values) != len(row)-2 {
			t.Errorf("report %d: device %s with %d columns, want %s with %d", report, d.Name, len(d.Values), row["device"], len(row)-2)
		}
		for column, v := range d.Values {
			if want, ok := row[jcName(column)]; !ok || want.(float64) != v {
				t.Errorf("report %d, %s: %s is %v, want %v", report, d.Name, column, v, want)
			}
		}
	}
	if report+1 != len(o.Reports) {
		t.Errorf("%d reports, want %d", len(o.Reports), report+1)
	}
}

// rows checks vmstat rows: how many, and some columns of the last.
func vmstatRows(n int, last map[string]float64) func(*testing.T, casefiles.Case) {
	return func(t *testing.T, c casefiles.Case) {
		o := vmstatOf(t, c)
		if len(o.Rows) != n {
			t.Fatalf("%d rows, want %d", len(o.Rows), n)
		}
		for column, want := range last {
			if got := o.Rows[n-1].Values[column]; got != want {
				t.Errorf("%s is %v, want %v", column, got, want)
			}
		}
	}
}

// dev is a device's values in one report.
type dev struct {
	report int
	name   string
	values map[string]float64
}

// reports checks iostat reports: how many, how many have CPU shares, and some devices.
func reports(n, cpus int, devs ...dev) func(*testing.T, casefiles.Case) {
	return func(t *testing.T, c casefiles.Case) {
		o, _ := iostatOf(t, c)
		with := 0
		for _, r := range o.Reports {
			if r.CPU != nil {
				with++
			}
		}
		if len(o.Reports) != n || with != cpus {
			t.Fatalf("%d reports, %d with CPU shares; want %d, %d", len(o.Reports), with, n, cpus)
		}
		for _, d := range devs {
			found := false
			for _, got := range o.Reports[d.report].Devices {
				if got.Name != d.name {
					continue
				}
				found = true
				for column, want := range d.values {
					if v, ok := got.Values[column]; !ok || v != want {
						t.Errorf("report %d, %s: %s is %v (there: %v), want %v", d.report, d.name, column, v, ok, want)
					}
				}
			}
			if !found {
				t.Errorf("report %d lacks %s", d.report, d.name)
			}
		}
	}
}

type values = map[string]float64

// machineChecks: values typed from the files and the index.
var machineChecks = map[string]func(*testing.T, casefiles.Case){
	"issues/iostat-10.2-await-and-rawait.txt": reports(1, 1, dev{0, "sda", values{"r/s": 0.12, "w/s": 0.41, "rkB/s": 1.69, "wkB/s": 8.24, "await": 18.98, "r_await": 7.70, "w_await": 22.18, "%util": 0.17}}),
	"issues/iostat-11.7.3-M.txt": func(t *testing.T, c casefiles.Case) {
		reports(1, 0)(t, c) // its CPU shares add up to 0.01
		if _, ws := iostatOf(t, c); len(ws) != 1 || !strings.Contains(ws[0].Text, "add up to 0.01") {
			t.Errorf("warnings %v", ws)
		}
	},
	"issues/vmstat-procps-4.0.5-gu.txt": func(t *testing.T, c casefiles.Case) {
		vmstatRows(1, values{"r": 4, "free": 11151708, "in": 1401, "cs": 2, "us": 1, "sy": 0, "id": 99, "gu": 0})(t, c)
		if o := vmstatOf(t, c); len(o.Columns) != 18 || !o.Rows[0].SinceBoot {
			t.Errorf("%+v", o)
		}
		refused("since the machine was booted")(t, c)
	},
	"issues/stress-ng-vmstat-bytes.txt": func(t *testing.T, c casefiles.Case) {
		vmstatRows(2, values{"r": 1441, "cs": 2138})(t, c)
		if o := vmstatOf(t, c); o.Rows[0].Values["cs"] != 7877 || o.Rows[0].SinceBoot {
			t.Errorf("%+v", o.Rows[0])
		}
	},
	"mytools/iostat-kx-12.5-md-nvme.txt": func(t *testing.T, c casefiles.Case) {
		reports(6, 6, dev{0, "nvme0n1", values{"r/s": 1, "w/s": 48, "wkB/s": 183}}, dev{5, "nvme1n1", values{"w/s": 4, "wkB/s": 8.5, "%util": 0.8}}, dev{0, "md3", values{"w/s": 40}})(t, c)
		o, _ := iostatOf(t, c)
		names := []string{}
		for _, d := range o.Reports[1].Devices {
			names = append(names, d.Name)
		}
		if strings.Join(names, " ") != "loop0 md0 md1 md2 md3 nvme0n1 nvme1n1" || o.CPUs != 96 || o.Host != "Ubuntu-2204-jammy-amd64-base" {
			t.Errorf("%v, %d CPUs, %s", names, o.CPUs, o.Host)
		}
		im, _, err := one(t, c.Path)
		if err != nil {
			t.Fatal(err)
		}
		writes := 0.0 // the last five reports, of the two disks alone
		for _, r := range o.Reports[1:] {
			for _, d := range r.Devices[5:] {
				writes += d.Values["w/s"] / 5
			}
		}
		if r := readingOf(&im.Runs[0], "host_writes_per_second"); r == nil || math.Abs(*r.Value-writes) > 1e-9 || im.Runs[0].Host != o.Host {
			t.Errorf("%+v, want %v; host %s", r, writes, im.Runs[0].Host)
		}
	},
	"mytools/vmstat-1s-mariadb-48core.txt": func(t *testing.T, c casefiles.Case) {
		o := vmstatOf(t, c)
		m, n := o.Means()
		if got := fmt.Sprintf("%d %.3f %.3f %.1f %.1f", n, m["us"], m["sy"], m["cs"], m["in"]); got != "107 4.682 2.009 46935.5 5531.9" {
			t.Errorf("means %s", got)
		}
	},
	"percona-toolkit/Linux_001_vmstat": vmstatRows(5, values{"cs": 245, "us": 1, "id": 99, "free": 491328}),
	"percona-toolkit/Linux_002_vmstat": vmstatRows(5, values{"cs": 43, "us": 62, "sy": 38, "st": 0}),
	"percona-toolkit/Linux_003_vmstat": vmstatRows(5, values{"cs": 22, "us": 78, "r": 2}),
	"percona-toolkit/Linux_005_vmstat": vmstatRows(5, values{"cs": 100, "in": 133, "free": 3078700}),

	"jc/centos-7.7__vmstat-d.out":  refused("vmstat -d"),
	"jc/centos-7.7__vmstat-dt.out": refused("vmstat -d"),

	"sysstat/expected.iostat":       reports(3, 3, dev{0, "sda", values{"tps": 8.59, "kB_read/s": 222.14, "kB_wrtn": 410544}}, dev{1, "sdr", values{"tps": 4.81, "kB_wrtn/s": 16.04}}),
	"sysstat/expected.iostat-V-env": refused("no kind that can be imported"), // a version, and no report
	"sysstat/expected.iostat-cciss": reports(2, 2, dev{1, "cciss/c0d0p2", values{"tps": 32402.95}}),
	"sysstat/expected.iostat-ct": func(t *testing.T, c casefiles.Case) {
		reports(2, 2)(t, c)
		if o, _ := iostatOf(t, c); o.Reports[1].Time != "06/01/20 12:53:21" || o.Reports[1].CPU["idle"] != 82.89 || o.Reports[0].CPU["nice"] != 39.91 {
			t.Errorf("%+v", o.Reports)
		}
	},
	"sysstat/expected.iostat-dec": reports(2, 2, dev{0, "sdq", values{"kB_read/s": 222.1, "kB_dscd": 181305}}),
	"sysstat/expected.iostat-g-JSON": func(t *testing.T, c casefiles.Case) {
		reports(2, 0, dev{0, "sda", values{"tps": 8.59, "MB_read/s": 0.22, "MB_wrtn": 400}})(t, c)
		if o, _ := iostatOf(t, c); len(o.Reports[0].Devices) != 4 || o.CPUs != 9 { // without the sums of groups
			t.Errorf("%+v", o)
		}
	},
	"sysstat/expected.iostat-h":      reports(1, 0, dev{0, "sda", values{"tps": 8.59, "kB_read/s": 222.1, "kB_read": 1.5 * 1024 * 1024, "kB_wrtn": 400.9 * 1024}}, dev{0, "sda4", values{"kB_read": 14}}),
	"sysstat/expected.iostat-human":  reports(1, 1, dev{0, "sdr", values{"tps": 2.77, "kB_wrtn/s": 19.5, "kB_read": 210.2 * 1024}}),
	"sysstat/expected.iostat-pretty": reports(2, 0, dev{0, "sda9", values{"tps": 6.60, "kB_read/s": 193.17, "kB_wrtn": 143040}}),
	// Two of its seven reports have CPU shares that are all 0.
	"sysstat/expected.iostat-sigint":  reports(7, 5, dev{5, "xvdp", values{"kB_read": 1548}}, dev{6, "cciss/c0d0", values{"tps": 32402.95}}),
	"sysstat/expected.iostat-x":       reports(2, 2, dev{0, "sda", values{"r/s": 6.90, "rkB/s": 222.14, "w/s": 1.69, "wkB/s": 57.08}}),
	"sysstat/expected.iostat-x-0":     reports(1, 1, dev{0, "sds", values{"r/s": 0.05, "r_await": 0.26, "w_await": 5.37}}),
	"sysstat/expected.iostat-x-p-ALL": reports(2, 2, dev{0, "sda9", values{"r/s": 5.58, "rkB/s": 193.17, "%wrqm": 23.01}}),
	// Reads, writes and discards are in tables of their own, all of one report.
	"sysstat/expected.iostat-x-pretty": reports(1, 1, dev{0, "sdr", values{"r/s": 2.28, "rkB/s": 29.93, "w/s": 0.49, "w_await": 39.57}}, dev{0, "sdq", values{"d/s": 1.20, "dareq-sz": 20.99}}),
	"sysstat/expected.iostat-xs":       reports(3, 3, dev{0, "sda", values{"tps": 8.59, "kB/s": 279.22, "%util": 0.46}}, dev{1, "sdr", values{"kB/s": 20.85}}),
	"sysstat/expected.iostat-ym":       reports(2, 2, dev{1, "sdq", values{"tps": 38.41, "MB_read/s": 0.05}}),
}
