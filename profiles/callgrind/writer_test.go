package callgrind

import (
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/collectors/child"
	"opcost/profiles/internal/live"
)

// annotated is the line of callgrind_annotate that holds the program's totals.
var annotated = regexp.MustCompile(`(?m)^([\d,]+) \(100.0%\).*PROGRAM TOTALS`)

// annotate gives the instructions in a file as callgrind_annotate reads it. It
// gets a copy without the lines that say the sum (it would believe "summary:",
// which can be off by some), and so adds up the functions itself.
func annotate(t *testing.T, path string) uint64 {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = regexp.MustCompile(`(?m)^(summary|totals):.*$`).ReplaceAll(text, nil)
	without := filepath.Join(t.TempDir(), "without-sums")
	if err := os.WriteFile(without, text, 0o600); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, err := child.Output(t.Context(), "callgrind_annotate", "--show=Ir", without)
	m := annotated.FindStringSubmatch(stdout)
	if m == nil {
		t.Fatalf("callgrind_annotate: %v\n%s%s", err, stdout, stderr)
	}
	n, err := strconv.ParseUint(strings.ReplaceAll(m[1], ",", ""), 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// The installed valgrind writes the format in all its forms: own costs must add
// up to its totals, and those be what its own reader says.
func TestParseWhatValgrindWrites(t *testing.T) {
	live.Needs(t, "valgrind", "callgrind_annotate", "ls")
	tests := map[string][]string{
		"plain":          nil,
		"addresses":      {"--dump-instr=yes"},
		"jumps":          {"--dump-instr=yes", "--collect-jumps=yes"},
		"uncompressed":   {"--compress-strings=no", "--compress-pos=no"},
		"simulations":    {"--cache-sim=yes", "--branch-sim=yes"},
		"callers":        {"--separate-callers=2", "--separate-recs=2"},
		"parts":          {"--dump-every-bb=50000"},
		"parts combined": {"--dump-every-bb=50000", "--combine-dumps=yes"},
		"threads":        {"--separate-threads=yes"},
	}
	for name, options := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			argv := append([]string{"valgrind", "--tool=callgrind", "--callgrind-out-file=" + filepath.Join(dir, "out")}, options...)
			if _, stderr, err := child.Output(t.Context(), append(argv, "ls", "-l", "/")...); err != nil {
				t.Fatalf("%v\n%s", err, stderr)
			}
			files, err := os.ReadDir(dir)
			if err != nil {
				t.Fatal(err)
			}
			parts, counted := 0, false
			for _, f := range files {
				path := filepath.Join(dir, f.Name())
				if info, err := f.Info(); err != nil || info.Size() == 0 {
					continue // holds a name free
				}
				p, err := ParseFile(path)
				if err != nil {
					t.Fatal(err)
				}
				parts += len(p.Parts)
				for _, part := range p.Parts {
					if diff := cmp.Diff(part.Totals, part.Self()); diff != "" {
						t.Errorf("part %d: -totals +own costs\n%s", part.Number, diff)
					}
				}
				n := p.Parts[0].Totals[0] // Ir
				counted = counted || n > 0
				if strings.HasPrefix(name, "parts") || n == 0 {
					// A part written while the program runs has calls under way,
					// "calls=0", which callgrind_annotate takes for own costs; and
					// nothing is not 100% of anything.
					continue
				}
				if want := annotate(t, path); n != want {
					t.Errorf("%d instructions, callgrind_annotate adds up %d", n, want)
				}
			}
			if !counted || strings.HasPrefix(name, "parts") && parts < 2 {
				t.Errorf("%d parts, counted: %v", parts, counted)
			}
		})
	}
}
