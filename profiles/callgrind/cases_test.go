package callgrind

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/testbed/casefiles"
)

// cases is the folder of real inputs, or a skip.
func cases(t *testing.T) string {
	t.Helper()
	return casefiles.Folder(t, "08-callgrind")
}

func parseCase(t *testing.T, path string) *File {
	t.Helper()
	p, err := ParseFile(path)
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
			casefiles.Used(t, casefiles.Compared, filepath.Join(dir, c.File))
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
			checkRead(t, filepath.Join(dir, c.File), part.Events, want)
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

// checkRead compares the profiles' totals with the sums that another reader has
// found. Where the file's own sums are others, that must be said.
func checkRead(t *testing.T, path string, events []string, want []uint64) {
	t.Helper()
	set, err := ReadFiles(path)
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Profiles) != len(events) {
		t.Fatalf("%d profiles of %q", len(set.Profiles), events)
	}
	for i, p := range set.Profiles {
		weight, samples := p.Total()
		if p.Event.Name != events[i] || !p.Event.Counted || weight != int64(want[i]) || samples != 0 {
			t.Errorf("%+v: %d in %d samples, want %d", p.Event, weight, samples, want[i])
		}
	}
	warned := map[string]string{"bzr.callgrind.gz": "summary", "empty.callgrind": "no cost at all"}[filepath.Base(path)]
	if got := strings.Join(set.Warnings, "\n"); (got == "") != (warned == "") || !strings.Contains(got, warned) {
		t.Errorf("warnings %q, want %q", got, warned)
	}
}

// Cache and branch simulation: the header of a real file, whose rates were
// published with it.
func TestParseHeaderOnly(t *testing.T) {
	path := filepath.Join(cases(t), "issues", "sieve-13-events-header.txt")
	casefiles.Used(t, casefiles.Compared, path)
	p := parseCase(t, path)
	part := p.Parts[0]
	v := map[string]uint64{}
	for i, e := range part.Events {
		v[e] = part.Summary[i]
	}
	if len(v) != 13 || v["Ir"] != 1593524482 || v["D1mr"]+v["D1mw"] != 1565783+106606740 || v["Dr"]+v["Dw"] != 100070282+348326590 || v["Bcm"] != 7873 || v["Bc"] != 448371161 {
		t.Errorf("%v", v)
	}
	set, err := Read(strings.NewReader(readCase(t, "issues/sieve-13-events-header.txt")))
	if err != nil {
		t.Fatal(err)
	}
	if len(set.Profiles) != 13 || len(set.Warnings) != 2 || !strings.Contains(set.Warnings[0], "cut short") {
		t.Errorf("%d profiles, %q", len(set.Profiles), set.Warnings)
	}
}

func readCase(t *testing.T, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(cases(t), name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
