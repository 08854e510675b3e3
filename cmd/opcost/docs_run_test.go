package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

// notHere are the commands that this test only parses, as patterns of sh, with
// the reason.
var notHere = []struct{ pattern, reason string }{
	{"run *", "it starts servers; TestDocsGuideLong runs the guide's"},
	{"narrow *", "it starts servers for minutes: TestNarrow"},
	{"attach*", "it needs a live server: TestAttach, TestDocsGuideLiveLong"},
	{"doctor*", "it asks this machine: TestDoctor"},
	{"compare * --isolate *", "it needs records of real servers: TestDocsGuideLong"},
}

// notedRun is opcost in front of the real one: it notes how that ended, with the
// arguments between exit status and stderr. Patterns of sh are left out.
func notedRun(program string, leftOut ...string) string {
	skip := ""
	for _, p := range leftOut {
		skip += fmt.Sprintf("case \"$*\" in %s) exit 0 ;; esac\n", strings.ReplaceAll(p, " ", `\ `))
	}
	return fmt.Sprintf(`#!/bin/sh
%sPATH=%q XDG_STATE_HOME=$HOME %q "$@" 2>"$CALLS.stderr"
status=$?
printf '%%s\037' "$status" "$@" "$(cat "$CALLS.stderr")" >>"$CALLS"
printf '\036' >>"$CALLS"
`, skip, os.Getenv("PATH"), program)
}

// TestDocsCommandsRunLong runs what documents show on results and files that are
// called as in the documents.
func TestDocsCommandsRunLong(t *testing.T) {
	long(t)
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	var patterns []string
	for _, c := range notHere {
		patterns = append(patterns, c.pattern)
	}
	files := prepared(t)
	n := 0
	for _, file := range documents(t) {
		texts, _ := shownCommands(file, document(t, file))
		if len(texts) == 0 || strings.HasPrefix(file, "docs/guide-") { // TestDocsGuide... follow the guides
			continue
		}
		dir := recorders(t)
		if err := os.CopyFS(dir, os.DirFS(files)); err != nil {
			t.Fatal(err)
		}
		opcost := filepath.Join(dir, "bin", "opcost")
		if err := os.WriteFile(opcost, []byte(notedRun(program, patterns...)), 0o700); err != nil {
			t.Fatal(err)
		}
		for _, s := range texts {
			for _, call := range calls(t, dir, s) {
				if status, err := fmt.Sscan(call[0], new(int)); status != 1 || err != nil {
					continue // another program
				}
				n++
				args, stderr := call[1:len(call)-1], call[len(call)-1]
				fails := slices.Contains(args, "--fail-on") && call[0] == fmt.Sprint(exitSlower)
				if call[0] != "0" && !fails {
					t.Errorf("%s:%d: opcost %s: exit %s: %s", s.file, s.line, strings.Join(args, " "), call[0], stderr)
				}
			}
		}
	}
	t.Logf("%d commands were run", n)
	if n < 30 {
		t.Errorf("%d commands were run", n)
	}
}

// prepared makes the files that the documents' commands read.
func prepared(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	write := func(name string, text []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	all := filepath.Join(dir, "night")
	counted := func(clients []int, versions ...string) {
		perQuery := map[string]float64{}
		for i, v := range versions {
			perQuery[v] = 400_000 + 20_000*float64(i)
		}
		from, part := countedCells(t, perQuery, 2, clients...), ""
		if _, err := os.Stat(all); err == nil { // its runs go to those that are there
			part = "runs"
		}
		if err := os.CopyFS(filepath.Join(all, part), os.DirFS(filepath.Join(from, part))); err != nil {
			t.Fatal(err)
		}
	}
	counted([]int{4}, "5.7", "8.0", "8.0.27", "8.0.28")
	counted([]int{1}, "10.11", "11.8", "mariadb-10.11", "mariadb-11.8", "release", "trunk", "pfs-off", "pfs-on")
	counted([]int{1, 8}, "11.4")
	for _, folder := range []string{
		"night-17", "night-16", "nightly", "releases", "before", "after", "opcost-results-night", "opcost-results-regression", "opcost-results-two-versions", "DIR",
	} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(all)); err != nil {
			t.Fatal(err)
		}
	}
	imported := sweepFolder(t)
	for _, folder := range []string{"march", "clients-1-to-40"} {
		if err := os.CopyFS(filepath.Join(dir, folder), os.DirFS(imported)); err != nil {
			t.Fatal(err)
		}
	}
	for clients, rows := range map[int]string{1: "1000\t900\tpoint-query_range=100\n", 4: "3000\t3600\tpoint-query_range=100\n"} {
		text := []byte("col-1 : x.my5651_rel.z1.pk1\ncol-2 : x.my8028_rel.z1.pk1\n\ncol-1\tcol-2\n" + rows)
		for _, folder := range []string{"c48_dop%d", "mar25.sb.in.c48_dop%d", "sweep/night_dop%d"} {
			write(fmt.Sprintf(folder, clients)+"/qps.abs.all.tsv", text)
		}
	}
	write("qps.abs.csv", []byte("point-query_range=100,1000,900,800\n"))
	write("qps.csv", []byte("point-query_range=100,1000,900\n"))
	sysbench := []byte("sysbench 1.0.20 (using bundled LuaJIT 2.1.0-beta2)\n\nNumber of threads: 1\n\nSQL statistics:\n    queries performed:\n        read:                            1000\n" +
		"        write:                           0\n        other:                           0\n        total:                           1000\n    transactions:                        1000   (100.00 per sec.)\n" +
		"    queries:                             1000   (100.00 per sec.)\n    ignored errors:                      0      (0.00 per sec.)\n    reconnects:                          0      (0.00 per sec.)\n\n" +
		"General statistics:\n    total time:                          10.0001s\n    total number of events:              1000\n")
	write("sysbench.txt", sysbench)
	write("sb.txt", sysbench)
	profile, err := filepath.Glob(filepath.Join(all, "runs", "*", "evidence", result.ProfileFile))
	if err != nil || len(profile) == 0 {
		t.Fatal(err, "no profile")
	}
	text, err := os.ReadFile(profile[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"before", "after", "before-upgrade", "a1", "a2", "b1", "b2", "b"} {
		write(name+".pb.gz", text)
	}
	for name, samples := range map[string]int{"perf.data": 60, "perf.data.old": 30, "a": 30, "b": 60} {
		text, err := os.ReadFile(script(t, name, 70, samples))
		if err != nil {
			t.Fatal(err)
		}
		write(name, text)
	}
	write("callgrind.out.4711", []byte("# callgrind format\nversion: 1\ncreator: callgrind-3.19.0\npid: 4711\ncmd: mysqld\npositions: line\nevents: Ir\n\nob=/usr/sbin/mysqld\nfl=sql.cc\nfn=dispatch_command\n1 900\nfn=row_search_mvcc\n2 100\n\nsummary: 1000\n"))
	for _, plan := range []string{"plan.yaml", "night.yaml", "builds.yaml"} {
		write(plan, bytes.TrimSpace([]byte(document(t, "examples/demo.yaml"))))
	}
	return dir
}
