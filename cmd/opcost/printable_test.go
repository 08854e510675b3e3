package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"plain: é 数\n\ttab\n":              "plain: é 数\n\ttab\n",
		"\x1b[31mred\x1b]0;title\a":        "�[31mred�]0;title�",
		"over\rwritten, \u202eright to":    "over�written, �right to",
		"\xff\xfe no UTF-8 \x00":           "�� no UTF-8 �",
		"C1 \u009b31m, \u200bzero width\n": "C1 �31m, �zero width\n",
	} {
		var b strings.Builder
		if n, err := fmt.Fprint(printable{&b}, text); err != nil || n != len(text) || b.String() != want {
			t.Errorf("%q: %q, want %q (%d, %v)", text, b.String(), want, n, err)
		}
	}
}

// TestGarbageBinary: a server that is a script and prints what it likes has no
// way to the user's terminal, and no way to fill the disk.
func TestGarbageBinary(t *testing.T) {
	dir := testDir(t, "versions: [{name: a, mysqld: ./garbage}]\nrepeats: 1\ncounters: none\n")
	text := "#!/bin/sh\nexec yes \"$(printf '\\033[31mgarbage\\r')\"\n"
	if err := os.WriteFile(filepath.Join(dir, "garbage"), []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	o := start(t, dir, "run", "plan.yaml", "--out", "out").wait()
	if o.code != exitUsage || !strings.Contains(o.stderr, "garbage for its version") || strings.ContainsAny(o.stderr, "\x1b\r") {
		t.Errorf("exit %d, %q", o.code, o.stderr)
	}
	nothingAlive(t, dir)
	nothingLeft(t, dir, "out")
}
