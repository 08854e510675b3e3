package main

import (
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
)

// otherPrograms are those that the documents' commands use besides ours; they
// are not run. A command that is in none of the lists is not found, which fails
// the test.
var otherPrograms = []string{
	"apt-get", "benchstat", "git", "go", "install", "jq", "less", "man", "mariadb", "perf", "sha256sum", "sysbench", "tar",
}

// realPrograms can do no harm, and make what the commands after them read.
var realPrograms = []string{"cat", "date", "uname"}

// docOutside is where a redirection would write outside the test's folder.
var docOutside = regexp.MustCompile(`>\s*(?:/|~|\$HOME)[\w./-]+`)

// recorder notes its name and arguments in place of what it stands for. Fields
// end with 0x1f, and calls with 0x1e. What comes through a pipe is read, so that
// who writes it does not fail.
const recorder = `#!/bin/sh
cat >/dev/null
printf '%s\037' "${0##*/}" "$@" >>"$CALLS"
printf '\036' >>"$CALLS"
`

// recorded are the same as functions of a shell, for what is called most.
const recorded = `
note() { printf '%s\037' "$@" >>"$CALLS"; printf '\036' >>"$CALLS"; }
sudo() { "$@"; }
make() { note make "$@"; }
pidof() { echo 4711; }
[ -e bin/opcost ] || opcost() { note opcost "$@"; }
`

// recorders makes a folder in which commands can be tried: a folder bin with
// nothing but recorders and harmless programs, and the project's scripts as
// recorders too.
func recorders(t *testing.T) (dir string) {
	t.Helper()
	dir = t.TempDir()
	bin := filepath.Join(dir, "bin")
	write := func(path string) {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(recorder), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, p := range otherPrograms {
		write(filepath.Join(bin, p))
	}
	scripts, err := filepath.Glob(filepath.Join(projectDir, "testbed", "*.sh"))
	if err != nil || len(scripts) == 0 {
		t.Fatal(err, "no scripts")
	}
	for _, s := range scripts {
		write(filepath.Join(dir, "testbed", filepath.Base(s)))
	}
	if err := os.Mkdir(filepath.Join(dir, "opcost"), 0o700); err != nil { // what git would have cloned
		t.Fatal(err)
	}
	for _, p := range realPrograms {
		path, err := exec.LookPath(p)
		if err == nil {
			err = os.Symlink(path, filepath.Join(bin, p))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// calls are the programs that a text calls, with the arguments that the shell
// makes of it.
func calls(t *testing.T, dir string, s shellText) [][]string {
	t.Helper()
	return callsOf(t, dir, []shellText{s})[0]
}

// callsOf are the same of several texts, in one shell.
func callsOf(t *testing.T, dir string, texts []shellText) (all [][][]string) {
	t.Helper()
	log := func(i int) string { return filepath.Join(dir, fmt.Sprintf("calls.%d", i)) }
	program := strings.Builder{}
	program.WriteString(recorded)
	for i, s := range texts {
		fmt.Fprintf(&program, "export CALLS='%s'\n(set -e\n%s\n)\n[ $? = 0 ] || echo '%s:%d: fails'\n", log(i), docOutside.ReplaceAllString(s.text, ">/dev/null"), s.file, s.line)
	}
	cmd := exec.Command("sh", "-c", program.String())
	cmd.Dir, cmd.Env = dir, []string{"PATH=" + filepath.Join(dir, "bin"), "HOME=" + dir}
	if out, err := cmd.CombinedOutput(); err != nil || strings.Contains(string(out), ": fails\n") {
		t.Errorf("%v: %s", err, out)
	}
	for i := range texts {
		text, err := os.ReadFile(log(i))
		if err != nil && !os.IsNotExist(err) { // it is not there where nothing was called
			t.Fatal(err)
		}
		_ = os.Remove(log(i))
		var one [][]string
		for call := range strings.SplitSeq(string(text), "\036") {
			if call != "" {
				one = append(one, strings.Split(strings.TrimSuffix(call, "\037"), "\037"))
			}
		}
		all = append(all, one)
	}
	return all
}

// parses is nil where opcost takes the arguments. A parser is of one use: it
// keeps which flags it has seen.
func parses(args []string) error {
	helped := false
	var root any = new(cli)
	if len(args) > 0 && !strings.HasPrefix(args[0], "-") {
		root = new(commands)
	}
	parser, err := kong.New(root, kong.Name("opcost"), kong.Vars{"version": "0"}, kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) { helped = true }))
	if err != nil {
		return err
	}
	if _, err := parser.Parse(args); err != nil && !helped {
		return err
	}
	return nil
}

// targets are what make can be told to make.
func targets(t *testing.T) (names []string) {
	t.Helper()
	for _, m := range regexp.MustCompile(`(?m)^([a-z-]+):`).FindAllStringSubmatch(document(t, "Makefile"), -1) {
		names = append(names, m[1])
	}
	return names
}

// TestDocsCommandsParse: what documents show, the shell and opcost take.
func TestDocsCommandsParse(t *testing.T) {
	dir, makes, known := recorders(t), targets(t), commandsOf(t)
	n := 0
	for _, file := range documents(t) {
		texts, mentions := shownCommands(file, document(t, file))
		for i, calls := range callsOf(t, dir, texts) {
			s := texts[i]
			for _, call := range calls {
				n++
				var err error
				switch call[0] {
				case "opcost":
					err = parses(call[1:])
				case "make":
					err = makesTarget(makes, call[1:])
				}
				if err != nil {
					t.Errorf("%s:%d: %s: %v", s.file, s.line, strings.Join(call, " "), err)
				}
			}
		}
		for _, m := range mentions {
			n++
			if problem := known.mistake(m.text, makes); problem != "" {
				t.Errorf("%s:%d: `%s`: %s", m.file, m.line, m.text, problem)
			}
		}
	}
	if n < 100 {
		t.Errorf("%d commands in all documents", n)
	}
}

func makesTarget(targets, args []string) error {
	for _, a := range args {
		if !strings.Contains(a, "=") && !slices.Contains(targets, a) {
			return &os.PathError{Op: "make", Path: a, Err: os.ErrNotExist}
		}
	}
	return nil
}

// model is each command's flags, by its words ("profile top").
type model map[string][]string

func commandsOf(t *testing.T) model {
	t.Helper()
	parser, err := kong.New(new(cli), kong.Vars{"version": "0"})
	if err != nil {
		t.Fatal(err)
	}
	m := model{}
	var walk func(n *kong.Node, path string)
	walk = func(n *kong.Node, path string) {
		for _, group := range n.AllFlags(true) {
			for _, f := range group {
				m[path] = append(m[path], "--"+f.Name)
			}
		}
		for _, c := range n.Children {
			walk(c, strings.TrimSpace(path+" "+c.Name))
		}
	}
	walk(parser.Model.Node, "")
	return m
}

// mistake is what is wrong with a command of which parts may be left out: the
// words must name a command, and the flags be its.
func (m model) mistake(text string, targets []string) string {
	words := strings.Fields(text)
	if words[0] == "make" {
		if len(words) > 1 && !slices.Contains(targets, words[1]) {
			return "no such target"
		}
		return ""
	}
	if words[0] != "opcost" {
		if _, err := os.Stat(filepath.Join(projectDir, words[0])); err != nil {
			return "no such script"
		}
		return ""
	}
	path := ""
	for _, w := range words[1:] {
		longer := strings.TrimSpace(path + " " + w)
		_, is := m[longer]
		if !is && path == "" && regexp.MustCompile(`^[a-z]+$`).MatchString(w) {
			return "no such command"
		}
		if !is {
			break
		}
		path = longer
	}
	for _, f := range regexp.MustCompile(`--[a-z][a-z-]*`).FindAllString(text, -1) {
		if !slices.Contains(m[path], f) {
			return f + " is no flag of it"
		}
	}
	return ""
}

// TestDocsCommandsMistakes: each kind of mistake is found.
func TestDocsCommandsMistakes(t *testing.T) {
	known, makes := commandsOf(t), targets(t)
	for text, wrong := range map[string]bool{
		"opcost report": false, "opcost report … --sweep": false, "opcost profile diff DIR --base a": false, "opcost --version": false, "make test-long": false,
		"opcost measure": true, "opcost report --swep": true, "opcost profile diff --sweep": true, "make toast": true, "testbed/nothing.sh": true,
	} {
		if got := known.mistake(text, makes); (got != "") != wrong {
			t.Errorf("%s: %q", text, got)
		}
	}
	for text, wrong := range map[string]bool{"report a --sweep": false, "report": true, "report a --swep": true, "--version": false, "run": true, "measure a": true} {
		if err := parses(strings.Fields(text)); (err != nil) != wrong {
			t.Errorf("%s: %v", text, err)
		}
	}
	dir := recorders(t)
	got := calls(t, dir, shellText{"x", 1, `A=1 opcost report "a b" --base 'x' | benchstat - && sudo make test >out`})
	want := [][]string{{"benchstat", "-"}, {"make", "test"}, {"opcost", "report", "a b", "--base", "x"}}
	slices.SortFunc(got, slices.Compare)
	if !slices.EqualFunc(got, want, slices.Equal[[]string]) {
		t.Errorf("%q", got)
	}
}
