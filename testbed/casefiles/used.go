package casefiles

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Use is what a test does with a case.
type Use string

const (
	Compared  Use = "compared"  // what is read of it was compared with right values
	Refused   Use = "refused"   // it is nothing that is claimed, and the error says what it is
	Reference Use = "reference" // it holds right values, and all of them were compared
)

// Used tells how a test uses cases; a case counts if the test passes. Files are
// paths, or names below the folder of all cases ("05-vmstat-iostat/jc/x.out"); a
// fact without a file goes by its name in the index. Tests say it where the
// values are compared. It is written to the file that $OPCOST_CORPUS names, from
// which `make corpus` adds up; without it nothing is done.
func Used(t testing.TB, how Use, files ...string) {
	t.Helper()
	record := os.Getenv("OPCOST_CORPUS")
	if record == "" {
		return
	}
	all := root(t)
	t.Cleanup(func() {
		outcome := "passed"
		if t.Failed() || t.Skipped() {
			outcome = "failed"
		}
		var b strings.Builder
		for _, file := range files {
			if rel, err := filepath.Rel(all, file); err == nil && filepath.IsAbs(file) {
				file = rel
			}
			fmt.Fprintf(&b, "%s\t%s\t%s\t%s %s\n", how, outcome, filepath.ToSlash(file), strings.TrimSuffix(filepath.Base(os.Args[0]), ".test"), t.Name())
		}
		f, err := os.OpenFile(record, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		if _, err := f.WriteString(b.String()); err != nil {
			t.Fatal(err)
		}
	})
}
