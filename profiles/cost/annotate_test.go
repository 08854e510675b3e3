package cost

import (
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"opcost/collectors/child"
	"opcost/profiles"
	"opcost/profiles/callgrind"
	"opcost/profiles/internal/live"
)

// count runs a program under callgrind and gives the path of its dump.
func count(t *testing.T, argv ...string) string {
	t.Helper()
	out := filepath.Join(t.TempDir(), "out")
	if _, stderr, err := child.Output(t.Context(), append([]string{"valgrind", "--tool=callgrind", "--callgrind-out-file=" + out}, argv...)...); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	return out
}

// annotatedLine is "1,234 (56.7%)  FILE:FUNCTION [OBJECT]"; there is no object
// where valgrind knew none.
var annotatedLine = regexp.MustCompile(`(?m)^ *([\d,]+) +\( *[\d.]+%\)  (.+?):(\S.*?)(?: \[[^\]]*\])?$`)

// What functions cost with all they called is what valgrind's own reader says,
// on a real program's dump: to the instruction, for every function. That reader
// knows a function by source file and name, not by object, so that functions of
// one name are added up here too.
func TestOfAgreesWithAnnotate(t *testing.T) {
	live.Needs(t, "valgrind", "callgrind_annotate", "ls")
	path := count(t, "ls", "-l", "/")
	stdout, stderr, err := child.Output(t.Context(), "callgrind_annotate", "--inclusive=yes", "--threshold=100", "--show=Ir", path)
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	want := map[string][]int64{}
	for _, m := range annotatedLine.FindAllStringSubmatch(stdout, -1) {
		n, err := strconv.ParseInt(strings.ReplaceAll(m[1], ",", ""), 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want[m[3]] = append(want[m[3]], n)
	}
	set, err := callgrind.ReadFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	totals := map[string]int64{}
	for _, r := range Of(set.Profiles[0]).Rows {
		name := r.Key.Function
		if name == "" {
			name = address(r.Key)
		}
		totals[name] += r.Total
	}
	agree, apart, recursive := 0, 0, 0
	for name, total := range totals {
		switch got := want[name]; {
		case len(want[name+"'2"]) > 0:
			recursive++ // callgrind_annotate adds up calls within calls
		case len(got) != 1:
			apart++ // it has a row for each source file that a name is in
		case got[0] != total:
			t.Errorf("%s: total %d, callgrind_annotate says %d", name, total, got[0])
		default:
			agree++
		}
	}
	t.Logf("%d functions agree; %d are in several files, %d recursive", agree, apart, recursive)
	if agree < 200 || apart > agree/2 {
		t.Errorf("%d functions agree, %d could not be compared", agree, apart)
	}
}

func address(f profiles.Frame) string {
	s := strconv.FormatUint(f.Address, 16)
	return "0x" + strings.Repeat("0", 16-len(s)) + s
}
