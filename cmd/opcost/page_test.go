package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"opcost/perfctl/report"
)

// pageFolders finds the runs that a page links.
var pageFolders = regexp.MustCompile(`"folder":"([^"]*)"`)

func TestPageFile(t *testing.T) {
	dir := nights(t, map[string]int64{"a": 1000, "b": 5000})
	inside := filepath.Join(dir, "index.html")
	beside := filepath.Join(filepath.Dir(dir), "night.html")
	far := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Mkdir(far, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{inside: "./runs/", beside: "./results/runs/", filepath.Join(far, "far.html"): ""} {
		o := inProcess("report", dir, "--format", "html", "--noise", "none", "--out", path)
		if o.code != exitDone || o.stdout != "" {
			t.Fatalf("%s: exit %d, %s%s", path, o.code, o.stdout, o.stderr)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		found := pageFolders.FindAllStringSubmatch(string(text), -1)
		if want == "" {
			if len(found) > 0 || !strings.Contains(string(text), "is not linked: write the page into that folder or beside it") {
				t.Errorf("far away: %d links", len(found))
			}
			continue
		}
		if len(found) != 8 {
			t.Errorf("%s links %d runs, want 8", path, len(found))
		}
		for _, f := range found {
			if !strings.HasPrefix(f[1], want) {
				t.Errorf("%s links %s, want %s...", path, f[1], want)
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), f[1], "evidence", "profile.pb.gz")); err != nil {
				t.Error(err)
			}
		}
		if strings.Contains(string(text), dir) {
			t.Error("the page holds a path of this machine")
		}
	}
	before, _ := os.ReadFile(inside)
	if o := inProcess("report", dir, "--format", "html", "--out", inside); o.code != exitUsage || !strings.Contains(o.stderr, "--force") {
		t.Errorf("over a file: exit %d, %s", o.code, o.stderr)
	}
	if after, _ := os.ReadFile(inside); string(after) != string(before) {
		t.Error("the file was written over")
	}
	// As a run ends: to stdout, with the plan's base and order.
	var out, errs strings.Builder
	err := comparing{Noise: "none"}.print(console{&out, &errs}, report.HTML, "b", []string{"b", "a"}, []string{dir})
	if err != nil || !strings.Contains(out.String(), `"base":"b","versions":["b","a"]`) {
		t.Errorf("a run's page: %v, %s", err, errs.String())
	}
	if o := inProcess("report", dir, "--format", "html", "--noise", "none"); o.code != exitDone || !strings.HasPrefix(o.stdout, "<!DOCTYPE html>") {
		t.Errorf("to stdout: exit %d, %.80s", o.code, o.stdout)
	}
}

func TestPageFlames(t *testing.T) {
	dir := nights(t, map[string]int64{"a": 1000, "b": 5000})
	out := filepath.Join(dir, "index.html")
	if o := inProcess("report", dir, "--format", "html", "--noise", "none", "--out", out, "--flames"); o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	text, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	linked := map[string]int{}
	for _, m := range regexp.MustCompile(`"flame":"([^"]*)"`).FindAllStringSubmatch(string(text), -1) {
		linked[m[1]]++
	}
	if len(linked) != 4 { // two versions at two numbers of clients, each of two repeats
		t.Errorf("links: %v", linked)
	}
	for link, n := range linked {
		graph, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(link)))
		if err != nil || n != 2 || !strings.Contains(string(graph), "my_hash_sort_utf8") {
			t.Errorf("%s, of %d runs: %v", link, n, err)
		}
	}
	if o := inProcess("report", dir, "--format", "html", "--out", out, "--flames"); o.code != exitUsage || !strings.Contains(o.stderr, "--force") {
		t.Errorf("again: exit %d, %s", o.code, o.stderr)
	}
}

func TestPageRefused(t *testing.T) {
	dir := nights(t, map[string]int64{"a": 1000})
	terminal, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Skip("no terminal can be made: ", err)
	}
	defer terminal.Close()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"report", dir, "--format", "html"}, "> page.html"},
		{[]string{"run", "no-such-plan.yaml", "--format", "html"}, "> page.html"}, // before the plan is read
		{[]string{"report", dir, "--format", "html", "--sweep", "--out", "x"}, "leave --relative"},
		{[]string{"report", dir, "--flames"}, "--format html"},
		{[]string{"report", dir, "--format", "html", "--out", "-", "--flames"}, "--out FILE"},
		{[]string{"report", dir, "--format", "html", "--metric", "nonsense", "--out", filepath.Join(dir, "y.html")}, "--metric"},
		{[]string{"doctor", "--format", "html"}, "--format must be one of table"},
	} {
		var errs strings.Builder
		if code := run(c.args, terminal, &errs); code != exitUsage || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%q: exit %d, %s", c.args, code, errs.String())
		}
	}
}
