package open

import (
	"compress/gzip"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

// head is a case's beginning, unpacked.
func head(t *testing.T, path string) []byte {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if z, err := gzip.NewReader(f); err == nil {
		r = z
	} else if _, err := f.Seek(0, io.SeekStart); err != nil {
		t.Fatal(err)
	}
	b, err := io.ReadAll(io.LimitReader(r, headSize))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// kinds says what the files of the cases are, by where they lie; the longest
// beginning of a path counts.
var kinds = map[string]format{
	"02-perf-script":                      perfScript,
	"02-perf-script/flamegraph/expected":  foldedF,
	"02-perf-script/inferno/expected":     foldedF,
	"02-perf-script/inferno/folded":       foldedF,
	"02-perf-script/inferno/collapse-rec": foldedF,
	"02-perf-script/mysqld-folded":        foldedF,
	"03-perf-data":                        perfData,
	"08-callgrind":                        callgrindF,
	// Neither is a profile that anything reads.
	"02-perf-script/inferno/no-events.txt":                    "",
	"02-perf-script/inferno/expected/no-events-collapsed.txt": "",
	"03-perf-data/hotspot/perf.data.true.v1":                  "", // before Linux 3.0
	"03-perf-data/hotspot/perf.data.broken.gz":                "", // 60 bytes of it
	"02-perf-script/index.json":                               "",
	"03-perf-data/index.json":                                 "",
	"08-callgrind/index.json":                                 "",
}

func TestTellCases(t *testing.T) {
	n := 0
	for _, folder := range []string{"02-perf-script", "03-perf-data", "08-callgrind"} {
		root := casefiles.Folder(t, folder)
		err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			rel, err := filepath.Rel(filepath.Dir(root), path)
			if err != nil {
				return err
			}
			longest, want := "", format("")
			for prefix, k := range kinds {
				if strings.HasPrefix(rel, prefix) && len(prefix) > len(longest) {
					longest, want = prefix, k
				}
			}
			n++
			if got, hint := tell(head(t, path)); got != want || (got == "") != (hint != "") {
				t.Errorf("%s is %q (%s), want %q", rel, got, hint, want)
			}
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if n < 100 {
		t.Errorf("%d files", n)
	}
}

func TestTell(t *testing.T) {
	tests := []struct {
		in   string
		want format
		hint string
	}{
		{"", "", "is empty"},
		{"\x7fELF\x02", "", "a program"},
		{`{"shared": {"frames": []}}`, "", "JSON"},
		{"\n[1, 2]\n", "", "JSON"},
		{"<!DOCTYPE html>", "", "HTML"},
		{"PK\x03\x04", "", "zip"},
		{"hello there\n", "", "not known"},
		{"\x00\x01\x02\x03", "", "binary"},
		{"perf.data" + strings.Repeat("\x00", 248) + "ustar\x00", "", "tar"},
		{"PERFILE2\x68", perfData, ""},
		{"2ELIFREP", perfData, ""},
		{"\x1f\x8b\x08", gzipped, ""},
		{"\x0a\x04\x08\x01\x10\x02", pprofF, ""},
		{"version: 1\ncreator: x\nevents: Ir\n", callgrindF, ""},
		{"\n# callgrind format\n", callgrindF, ""},
		{"events: Ir\nfn=x 1 2\n", callgrindF, ""},
		{"main;f 3\n", foldedF, ""},
		{"[unknown];f 3\n", foldedF, ""},
		{"<module>;f 3\n", foldedF, ""},
		{"{lambda()#1};f 3.5\n", foldedF, ""},
		{"a: b 1;f 3\nevents: x;g 4\n", foldedF, ""},
		{"mysqld  1234 5.678: 1 cycles: \n\tffff f+0x1 (/x)\n\n", perfScript, ""},
		{"# ========\n# captured on    : Mon\n", perfScript, ""},
		{" java 1 2.0:  1 cycles:  ff f (/x)\n", perfScript, ""},
	}
	for _, tt := range tests {
		if got, hint := tell([]byte(tt.in)); got != tt.want || !strings.Contains(hint, tt.hint) || (hint == "") != (got != "") {
			t.Errorf("%q is %q (%s), want %q (%s)", tt.in, got, hint, tt.want, tt.hint)
		}
	}
}

// Telling looks at anything, and gives a format or a reason.
func FuzzTell(f *testing.F) {
	f.Add([]byte("main;f 3\n"))
	f.Add([]byte("mysqld  1234 5.678: 1 cycles: \n\tffff f+0x1 (/x)\n\n"))
	f.Add([]byte("version: 1\nevents: Ir\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		if got, hint := tell(head); (got == "") != (hint != "") {
			t.Errorf("%q, %q", got, hint)
		}
	})
}
