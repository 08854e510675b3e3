package callgrind

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// cases is the folder of real inputs, or a skip.
func cases(t *testing.T) string {
	t.Helper()
	root := os.Getenv("OPCOST_CASES")
	if root == "" {
		root = filepath.Join("..", "..", "..", "shared", "cases")
	}
	dir := filepath.Join(root, "08-callgrind")
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("no real inputs: %v; OPCOST_CASES names their folder", err)
	}
	return dir
}

func parseCase(t *testing.T, path string) *Profile {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var r io.Reader = f
	if strings.HasSuffix(path, ".gz") {
		if r, err = gzip.NewReader(f); err != nil {
			t.Fatal(err)
		}
	}
	p, err := Parse(r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// expected is what index.json says in words.
var expected = regexp.MustCompile(`^events \[\[(.*?)\]\], (\d+) part\(s\), \d position column\(s\); ` +
	`own cost summed by the format rules \[(.*?)\]; summary/totals lines \[(.*?)\];`)

// Real files of callgrind 3.3 to 3.19 and of other writers: the functions' own
// costs, summed, are what another reader has found.
func TestParseCases(t *testing.T) {
	dir := cases(t)
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index []struct{ File, Expected string }
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	tried := 0
	for _, c := range index {
		m := expected.FindStringSubmatch(c.Expected)
		if m == nil {
			continue // TestParseHeaderOnly
		}
		tried++
		t.Run(c.File, func(t *testing.T) {
			p := parseCase(t, filepath.Join(dir, c.File))
			if len(p.Parts) != 1 || m[2] != "1" {
				t.Fatalf("%d parts, want %s", len(p.Parts), m[2])
			}
			part := p.Parts[0]
			if got := "'" + strings.Join(part.Events, "', '") + "'"; got != m[1] {
				t.Errorf("events %s, want %s", got, m[1])
			}
			want := make([]uint64, len(part.Events)) // no cost at all is []
			for i, s := range strings.FieldsFunc(m[3], func(r rune) bool { return r == ',' || r == ' ' }) {
				want[i], _ = strconv.ParseUint(s, 10, 64)
			}
			if diff := cmp.Diff(want, part.Self()); diff != "" {
				t.Errorf("own costs -want +got\n%s", diff)
			}
			for name, got := range map[string][]uint64{"summary": part.Summary, "totals": part.Totals} {
				_, after, said := strings.Cut(m[4], "('"+name+"', '")
				value, _, _ := strings.Cut(after, "'")
				switch {
				case said != (got != nil):
					t.Errorf("%s: %v, want %q", name, got, value)
				case said && strconv.FormatUint(got[0], 10) != value:
					t.Errorf("%s: %v, want %s", name, got, value)
				}
			}
		})
	}
	if tried < 10 {
		t.Errorf("%d cases understood of %d", tried, len(index))
	}
}

// Cache and branch simulation: the header of a real file, whose rates were
// published with it.
func TestParseHeaderOnly(t *testing.T) {
	p := parseCase(t, filepath.Join(cases(t), "issues", "sieve-13-events-header.txt"))
	part := p.Parts[0]
	v := map[string]uint64{}
	for i, e := range part.Events {
		v[e] = part.Summary[i]
	}
	if len(v) != 13 || v["Ir"] != 1593524482 || v["D1mr"]+v["D1mw"] != 1565783+106606740 || v["Dr"]+v["Dw"] != 100070282+348326590 || v["Bcm"] != 7873 || v["Bc"] != 448371161 {
		t.Errorf("%v", v)
	}
	if _, err := instructions(part); err == nil || !strings.Contains(err.Error(), "cut short") {
		t.Errorf("a file without totals: %v", err)
	}
}
