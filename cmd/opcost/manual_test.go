package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestLongManInGroff: groff sets the page without a warning, and no line of it is
// wider than a terminal of 80 columns.
func TestLongManInGroff(t *testing.T) {
	long(t)
	lacking(t, "groff")
	o := inProcess("man")
	if o.code != exitDone || o.stderr != "" {
		t.Fatalf("%+v", o)
	}
	cmd := exec.Command("groff", "-man", "-ww", "-Tutf8", "-P-cbou", "-rLL=80n")
	var out, errs bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(o.stdout), &out, &errs
	if err := cmd.Run(); err != nil || errs.Len() > 0 {
		t.Errorf("groff: %v, %s", err, errs.String())
	}
	set := out.String()
	for line := range strings.Lines(set) {
		if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	// What is on the page is what was written, also where it looks like roff's own.
	for _, want := range []string{"NAME\n       opcost - what one query costs", "opcost profile diff", "--profile-event EVENT", "~/.my.cnf", "'.checks[] | select(.state != \"ok\")'",
		"opcost attach --no-login --ops-from 'redis-cli get orders'", "EXIT STATUS", "qps.abs.*", "eval \"$(opcost completion bash)\""} {
		if !strings.Contains(set, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
	for path, flags := range commandsOf(t) {
		for _, f := range flags {
			if !strings.Contains(set, f) {
				t.Errorf("the page lacks %s of %s", f, path)
			}
		}
	}
}

// TestLongManInMandoc: the other program that sets pages has nothing against it.
func TestLongManInMandoc(t *testing.T) {
	long(t)
	lacking(t, "mandoc")
	p, err := manualPage()
	if err != nil {
		t.Fatal(err)
	}
	p.Date = "2026-11-30" // that of the commit, which a test's program does not know
	var text bytes.Buffer
	if err := p.Man(&text); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "opcost.1")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("mandoc", "-Tlint", "-Wwarning", file).CombinedOutput(); err != nil || len(out) > 0 {
		t.Errorf("%v\n%s", err, out)
	}
}

// TestHelpFits: each help can be read in 80 columns, has an example, and the
// examples are whole commands.
func TestHelpFits(t *testing.T) {
	t.Setenv("COLUMNS", "80")
	for path := range commandsOf(t) {
		o := inProcess(append(strings.Fields(path), "--help")...)
		if o.code != exitDone || o.stderr != "" {
			t.Errorf("%s: %+v", path, o)
		}
		for line := range strings.Lines(o.stdout) {
			if n := utf8.RuneCountInString(strings.TrimRight(line, "\n")); n > 80 {
				t.Errorf("%s: %d columns: %s", path, n, line)
			}
		}
		if path != "" && path != "profile" && !strings.Contains(o.stdout, "Examples:\n\n    ") {
			t.Errorf("%s --help has no example", path)
		}
	}
}

// TestFormatsAreRefusedFirst: a format that a command does not have is said
// before anything is read or measured.
func TestFormatsAreRefusedFirst(t *testing.T) {
	for _, args := range []string{
		"attach --pid 1 --no-login --format benchfmt", "attach --pid 1 --no-login --format html", "narrow no.yaml --format benchfmt", "compare no --base a --new b --format html",
		"doctor --format benchfmt", "profile top no --format html", "profile diff a b --format benchfmt", "run no.yaml --format xml",
	} {
		o := inProcess(strings.Fields(args)...)
		if o.code != exitUsage || o.stdout != "" || !strings.HasPrefix(o.stderr, "opcost: --format must be one of ") {
			t.Errorf("%s: %+v", args, o)
		}
	}
	for _, more := range []string{"--noise-floor", "--estimate"} {
		for _, format := range []string{"benchfmt", "html"} {
			o := inProcess("run", "no.yaml", more, "--format", format)
			if o.code != exitUsage || !strings.Contains(o.stderr, "does not go with --noise-floor or --estimate") {
				t.Errorf("%s %s: %+v", more, format, o)
			}
		}
	}
}
