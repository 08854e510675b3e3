package main

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// An event in nanoseconds is never shown as microseconds: 3 samples of 2 ms are
// 6,000,000 ns in all and, of 10 queries, 600 µs each.
func TestProfileUnits(t *testing.T) {
	path := filepath.Join(t.TempDir(), "clock")
	sample := "mysqld 1/1 1.0: 2000000 cpu-clock:\n\t 401000 f (/a)\n\n"
	if err := os.WriteFile(path, []byte(strings.Repeat(sample, 3)), 0o600); err != nil {
		t.Fatal(err)
	}
	if o := inProcess("profile", "top", path, "--width", "200"); !strings.Contains(o.stdout, "self and total in nanoseconds, event cpu-clock; all of it: 6,000,000, 3 samples") {
		t.Errorf("%s%s", o.stdout, o.stderr)
	}
	if o := inProcess("profile", "top", path, "--operations", "10"); !strings.Contains(o.stdout, "self and total in µs/query, event cpu-clock; all of it: 600.0, 3 samples") {
		t.Errorf("%s%s", o.stdout, o.stderr)
	}
	rows, err := csv.NewReader(strings.NewReader(inProcess("profile", "top", path, "--operations", "10", "--format", "csv").stdout)).ReadAll()
	if err != nil || len(rows) != 2 {
		t.Fatal(rows, err)
	}
	got := map[string]string{}
	for i, name := range rows[0] {
		got[name] = rows[1][i]
	}
	if got["self"] != "6000000" || got["weight_unit"] != "nanoseconds" || got["self_per_query"] != "600" || got["unit"] != "us" {
		t.Errorf("%v", got)
	}
}

func TestProfileQueries(t *testing.T) {
	a := script(t, "a", 7, 3)
	for _, n := range []string{"0", "-5", "NaN", "Inf", "1e400", "1e-300", "many", ""} {
		for _, args := range [][]string{{"top", a, "--operations=" + n}, {"diff", a, a, "--base-operations=" + n}, {"flame", a, "--operations=" + n}} {
			if o := inProcess(append([]string{"profile"}, args...)...); o.code != exitUsage || !strings.Contains(o.stderr, "no number of queries") {
				t.Errorf("%v: %d %s", args, o.code, o.stderr)
			}
		}
	}
	// A file that knows better is believed, and that is said.
	known := filepath.Join(t.TempDir(), "known.pb.gz")
	if o := inProcess("profile", "export", a, "--operations", "10", "--out", known); o.code != exitDone {
		t.Fatal(o.stderr)
	}
	o := inProcess("profile", "top", known, "--operations", "20")
	if !strings.Contains(o.stdout, "all of it: 1,000") || !strings.Contains(strings.Join(strings.Fields(o.stdout), " "), "of 10 operations; the 20 that were given are not used") {
		t.Errorf("%s%s", o.stdout, o.stderr)
	}
}

// A file is no repeat of itself: its spread would be none.
func TestProfileGivenTwice(t *testing.T) {
	a, b := script(t, "a", 70, 30), script(t, "b", 70, 60)
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(a, link); err != nil {
		t.Fatal(err)
	}
	dir := nights(t, map[string]int64{"a": 5000, "b": 9000})
	for _, args := range [][]string{
		{"top", a, a}, {"top", a, link}, {"top", dir, dir + ":b"},
		{"diff", "--base", a, "--base", link, "--new", b, "--operations", "10"},
		{"diff", dir, "--base", "a", "--base", "a,clients=4", "--new", "b,clients=4"},
	} {
		if o := inProcess(append([]string{"profile"}, args...)...); o.code != exitUsage || !strings.Contains(o.stderr, "is given twice") {
			t.Errorf("%v: %d %s", args, o.code, o.stderr)
		}
	}
	if o := inProcess("profile", "diff", a, link, "--operations", "10"); o.code != exitDone || !strings.Contains(o.stdout, "within its uncertainty") {
		t.Errorf("against itself: %d %s%s", o.code, o.stdout, o.stderr)
	}
}

// perf calls one event cycles, or cycles:P, by its version.
func TestProfileEventNames(t *testing.T) {
	a, b := script(t, "a", 70, 30), script(t, "b", 70, 60)
	text, err := os.ReadFile(b)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(b, []byte(strings.ReplaceAll(string(text), "cycles:", "cycles:P:")), 0o600); err != nil {
		t.Fatal(err)
	}
	if d := parseDiff(t, inProcess("profile", "diff", a, b, "--operations", "10", "--event", "cycles", "--format", "json")); d.Total.Delta != 3000 {
		t.Errorf("%+v", d)
	}
}

// The event is one that both sides have, the most telling of those.
func TestProfileCommonEvent(t *testing.T) {
	write := func(name string, events ...string) string {
		text := ""
		for i, e := range events {
			text += fmt.Sprintf("x 1/1 1.0: %d %s:\n\t 401000 f (/a)\n\n", 1000*(i+1), e)
		}
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	a, b, c := write("a", "cpu-clock", "cycles", "instructions"), write("b", "cpu-clock", "cycles"), write("c", "instructions")
	for _, pair := range []struct{ base, new, event string }{{a, a, "instructions"}, {a, b, "cycles"}, {b, a, "cycles"}, {a, c, "instructions"}} {
		if d := parseDiff(t, inProcess("profile", "diff", pair.base, pair.new, "--operations", "1", "--format", "json")); d.Event != pair.event {
			t.Errorf("%v: %s", pair, d.Event)
		}
	}
	if o := inProcess("profile", "diff", b, c, "--operations", "1"); o.code != exitUsage || !strings.Contains(o.stderr, "in common") {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
}

func TestProfileHostileNames(t *testing.T) {
	path := filepath.Join(t.TempDir(), "names")
	names := []string{"\x1b[31mred\x1b]0;title\x07", "\u202ereversed", "=HYPERLINK(\"a\")", "+1", "@SUM(1)", "|`<b>&*_", "caf\u00e9"}
	text := strings.Repeat("x 1/1 1.0: 1000 \u202eev:\n\t 401000 f+0x1 (/tmp/a)\n\n", 100)
	for _, n := range names {
		text += "x 1/1 1.0: 1000 \u202eev:\n\t 401000 " + n + "+0x1 (/tmp/\x1b[2J" + n + ")\n\n"
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	hostile := func(what, s string) {
		if strings.ContainsAny(s, "\x1b\x07\u202e") || s == "" {
			t.Errorf("%s: %q", what, s)
		}
	}
	for _, format := range []string{"table", "markdown", "csv", "tsv", "json"} {
		for _, args := range [][]string{{"top", path}, {"diff", path, path, "--operations", "7", "--keep-noise"}} {
			o := inProcess(append(append([]string{"profile"}, args...), "--format", format)...)
			if o.code != exitDone {
				t.Errorf("%v: %s", args, o.stderr)
			}
			if format != "json" { // which escapes what it must, and keeps the rest
				hostile(format, o.stdout)
			} else if strings.ContainsAny(o.stdout, "\x1b\x07") {
				t.Errorf("json: %q", o.stdout)
			}
		}
	}
	hostile("--events", inProcess("profile", "top", path, "--events").stdout)
	hostile("an error", inProcess("profile", "top", path, "--event", "no").stderr)
	rows, err := csv.NewReader(strings.NewReader(inProcess("profile", "top", path, "--format", "csv").stdout)).ReadAll()
	if err != nil || len(rows) != len(names)+2 { // and the head, and f
		t.Fatal(rows, err)
	}
	for _, r := range rows {
		for _, cell := range r {
			if cell != "" && strings.ContainsRune("=+@", rune(cell[0])) {
				t.Errorf("a formula: %q", cell)
			}
		}
	}
}

// What is no file is written to, never replaced; a link keeps leading where it did.
func TestProfileOut(t *testing.T) {
	a := script(t, "a", 7, 3)
	dir := t.TempDir()
	export := func(out string, more ...string) outcome {
		return inProcess(append([]string{"profile", "export", a, "--to", "folded", "--out", out}, more...)...)
	}
	if o := export(os.DevNull, "--force"); o.code != exitDone {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
	if info, err := os.Stat(os.DevNull); err != nil || info.Mode()&os.ModeCharDevice == 0 {
		t.Fatalf("%s was replaced: %v %v", os.DevNull, info, err)
	}
	pipe := filepath.Join(dir, "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan string)
	go func() {
		b, err := os.ReadFile(pipe)
		got <- fmt.Sprint(string(b), err)
	}()
	if o := export(pipe); o.code != exitDone {
		t.Fatalf("%d: %s", o.code, o.stderr)
	}
	if text := <-got; !strings.Contains(text, "row_search_mvcc 7000\n") {
		t.Errorf("through a pipe came %q", text)
	}
	target, link := filepath.Join(dir, "target"), filepath.Join(dir, "link")
	for _, err := range []error{os.WriteFile(target, []byte("before"), 0o600), os.Symlink(target, link)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if o := export(link); o.code != exitUsage || !strings.Contains(o.stderr, "is there already") {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
	if o := export(link, "--force"); o.code != exitDone {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
	if b, err := os.ReadFile(target); err != nil || !strings.Contains(string(b), "row_search_mvcc") {
		t.Errorf("the link's target has %q, %v", b, err)
	}
	if to, err := os.Readlink(link); to != target {
		t.Errorf("the link leads to %q, %v", to, err)
	}
	if o := export(dir, "--force"); o.code != exitUsage || !strings.Contains(o.stderr, "is a folder") {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
	if o := export(filepath.Join(dir, "no", "x")); o.code != exitIncomplete || !strings.Contains(o.stderr, "no such file") {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
	if o := export("/dev/full"); o.code != exitIncomplete || !strings.Contains(o.stderr, "no space left") {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
	if left, _ := filepath.Glob(filepath.Join(dir, ".opcost*")); left != nil {
		t.Errorf("left: %v", left)
	}
}

// Ctrl-C ends it, whatever it waits for, and nothing of it lives on, not even after a kill -9.
func TestProfileStopped(t *testing.T) {
	fake := t.TempDir()
	text := "#!/bin/sh\ncase $1 in script) printf 'x 1/1 1.0: 1 cycles:\\n\\t 4 f (/a)\\n\\n'; echo printing >&2; exec sleep 1000;; esac\n"
	if err := os.WriteFile(filepath.Join(fake, "perf"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", fake+":"+os.Getenv("PATH"))
	for name, sig := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.WriteFile(filepath.Join(dir, "perf.data"), []byte("PERFILE2 and so on"), 0o600); err != nil {
				t.Fatal(err)
			}
			c := start(t, dir, "profile", "top", "perf.data")
			eventually(t, "perf script runs", func() bool {
				for _, p := range alive(t, dir) {
					if strings.Contains(p.line, "sleep 1000") {
						return true
					}
				}
				return false
			})
			c.signal(sig)
			if o := c.wait(); o.code == exitDone || sig == syscall.SIGINT && !strings.Contains(o.stderr, "interrupt") {
				t.Errorf("%d: %s", o.code, o.stderr)
			}
			nothingAlive(t, dir)
			if left, _ := filepath.Glob(filepath.Join(tmp(dir), "*")); left != nil {
				t.Errorf("left: %v", left)
			}
		})
	}
	t.Run("pipe", func(t *testing.T) {
		dir := t.TempDir()
		if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o600); err != nil {
			t.Fatal(err)
		}
		c := start(t, dir, "profile", "top", "pipe")
		time.Sleep(300 * time.Millisecond) // until it waits; if it does not yet, the test says less
		c.signal(syscall.SIGINT)
		if o := c.wait(); o.code != exitIncomplete && o.code != -1 || strings.Contains(o.stderr, "at once\nopcost: ended") {
			t.Errorf("%d: %s", o.code, o.stderr)
		}
	})
}
