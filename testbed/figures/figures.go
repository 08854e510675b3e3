// Package figures is where benchmarks write down what they saw, so that `make
// bench` ends with one table of it. It is for tests only, and judges nothing but
// what it is told.
package figures

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// Figure is a number that the docs state.
type Figure struct {
	Name  string
	Limit string // "": there is none
	Seen  string
	Met   bool // with a Limit
	// Absent says why it could not be measured; "": it was.
	Absent string
}

// Say logs a figure, and adds it to the file that OPCOST_BENCH_OUT names, a line
// each: name, limit, what was seen, and "yes", "no" or "", parted by "|".
func Say(t testing.TB, f Figure) {
	t.Helper()
	met := ""
	switch {
	case f.Absent != "":
		f.Seen, met = "absent: "+f.Absent, ""
	case f.Limit != "" && f.Met:
		met = "yes"
	case f.Limit != "":
		met = "no"
	}
	t.Logf("figure: %s: %s (limit: %s) %s", f.Name, f.Seen, f.Limit, met)
	path := os.Getenv("OPCOST_BENCH_OUT")
	if path == "" {
		return
	}
	clean := strings.NewReplacer("|", "/", "\n", " ")
	line := fmt.Sprintf("%s|%s|%s|%s\n", clean.Replace(f.Name), clean.Replace(f.Limit), clean.Replace(f.Seen), met)
	out, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatalf("OPCOST_BENCH_OUT: %v", err)
	}
	defer out.Close()
	if _, err := out.WriteString(line); err != nil { // one write: packages may be tested side by side
		t.Fatalf("OPCOST_BENCH_OUT: %v", err)
	}
}
