package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// sweepFolder imports tables of two releases at 1 and 4 clients, made here in
// Small Datum's layout.
func sweepFolder(t *testing.T) (results string) {
	t.Helper()
	dir := t.TempDir()
	for clients, rows := range map[int]string{1: "1000\t900\tpoint-query_range=100\n500\t200\trandom-points_range=1000\n", 4: "3000\t3600\tpoint-query_range=100\n2000\t1900\trandom-points_range=1000\n"} {
		folder := filepath.Join(dir, "sweep", fmt.Sprintf("night_dop%d", clients))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		text := "col-1 : x.my5651_rel.z1.pk1\ncol-2 : x.my8028_rel.z1.pk1\n\ncol-1\tcol-2\n" + rows
		if err := os.WriteFile(filepath.Join(folder, "qps.abs.all.tsv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	results = filepath.Join(dir, "results")
	if o := opcost(t, "import", filepath.Join(dir, "sweep"), "--out", results); o.code != exitDone {
		t.Fatalf("import: %d\n%s", o.code, o.stderr)
	}
	return results
}

func TestReportViews(t *testing.T) {
	results := sweepFolder(t)
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--relative"}, "Ratios of QPS to 5.6.51, whose own values are given."},
		{[]string{"--relative", "--format", "tsv"}, "Relative to: 5.6.51\ncol-1 : 8.0.28\n\ncol-1\n0.90\tpoint-query\n0.40\trandom-points_range=1000\n"},
		{[]string{"--relative", "--base", "8.0.28", "--format", "tsv"}, "Relative to: 8.0.28\ncol-1 : 5.6.51\n\ncol-1\n1.11\tpoint-query\n"},
		{[]string{"--relative", "--base", "previous"}, "Ratios of QPS to the version before."},
		{[]string{"--relative", "--metric", "response_us"}, "2.50 times slower"},
		{[]string{"--sweep"}, "In 8.0.28, it is unsure whether most point queries are"},
		{[]string{"--series"}, "5.6.51 → 8.0.28:"},
		{[]string{"--base", "previous"}, "8.0.28"},
		{[]string{"--format", "benchfmt"}, "BenchmarkPointQuery/clients=4 "},
	} {
		o := opcost(t, append([]string{"report", results}, c.args...)...)
		if o.code != exitDone || !strings.Contains(o.stdout, c.want) {
			t.Errorf("%v: status %d, stderr %q, no %q in:\n%s", c.args, o.code, o.stderr, c.want, o.stdout)
		}
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--relative", "--sweep"}, "--relative and --sweep can't be used together"},
		{[]string{"--sweep", "--base", "previous"}, "name it with --base"},
		{[]string{"--sweep", "--metric", "ipc"}, "neither faster nor slower"},
		{[]string{"--series", "--metric", "handlers"}, "no run has handlers"},
		{[]string{"--relative", "--base", "8.4"}, "no run is of version"},
		{[]string{"--costs", "machine"}, "there are: host"},
		{[]string{"--relative", "--format", "xml"}, "benchfmt"},
	} {
		if o := opcost(t, append([]string{"report", results}, c.args...)...); o.code != exitUsage || !strings.Contains(o.stderr, c.want) {
			t.Errorf("%v: status %d, no %q in:\n%s", c.args, o.code, c.want, o.stderr)
		}
	}
}

// Of results that hold published ratios alone, these are what the views show.
func TestReportOfRatiosAlone(t *testing.T) {
	dir := t.TempDir()
	for clients, ratio := range map[int]string{1: "0.83", 4: "1.25"} {
		folder := filepath.Join(dir, "sweep", fmt.Sprintf("night_dop%d", clients))
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
		text := "Relative to: x.my5651_rel.z1.pk1\ncol-1 : x.my8028_rel.z1.pk1\n\ncol-1\n" + ratio + "\tpoint-query_range=100\n"
		if err := os.WriteFile(filepath.Join(folder, "qps.rel.all.tsv"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	results := filepath.Join(dir, "results")
	if o := opcost(t, "import", filepath.Join(dir, "sweep"), "--out", results); o.code != exitDone {
		t.Fatalf("import: %d\n%s", o.code, o.stderr)
	}
	for _, c := range []struct {
		args []string
		code int
		want string // in what is printed
	}{
		{[]string{"--sweep"}, exitDone, "5.6.51 by the number of clients"},
		{[]string{"--sweep", "--format", "json"}, exitDone, "In 8.0.28, point-query is faster than 5.6.51 from 4 clients on; slower at 1 client (by single runs, no interval)"},
		{[]string{"--relative", "--format", "tsv"}, exitDone, "col-1\n0.83\tpoint-query\n"},
		{[]string{"--series"}, exitDone, "−17%"},
		{[]string{"--sweep", "--metric", "qps"}, exitUsage, "no run has a value of qps (what was imported does not have it)"},
		{[]string{"--costs", "host"}, exitUsage, "no run has cpu/o"},
	} {
		o := opcost(t, append([]string{"report", results, "--noise", "none"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stdout+o.stderr, c.want) {
			t.Errorf("%v: exit %d, want %d with %q\n%s%s", c.args, o.code, c.code, c.want, o.stdout, o.stderr)
		}
	}
}
