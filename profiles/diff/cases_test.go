package diff

import (
	"compress/gzip"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"opcost/profiles/folded"
	"opcost/profiles/granularity"
	"opcost/testbed/casefiles"
)

// growth is one function in an entry of the cases' index: "cmp_data +0.56".
var growth = regexp.MustCompile(`(\S[^,:]*(?:::[^,:]+)*) ([+-][0-9.]+)(?:,|$)`)

// TestPublished: two published profiles of a real server, and how many points of
// the old total each function grew or shrank by, computed by others.
func TestPublished(t *testing.T) {
	dir := casefiles.Folder(t, "02-perf-script")
	text, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var index []struct{ File, Expected string }
	if err := json.Unmarshal(text, &index); err != nil {
		t.Fatal(err)
	}
	expected := ""
	for _, e := range index {
		if e.File == "mysqld-folded DIFF my8408-sp0 -> my8408-sp1" {
			expected = e.Expected
		}
	}
	casefiles.Used(t, casefiles.Compared, "02-perf-script/mysqld-folded DIFF my8408-sp0 -> my8408-sp1")
	_, expected, found := strings.Cut(expected, "old total: ")
	if !found {
		t.Fatal("the index lacks the difference")
	}
	expected = strings.ReplaceAll(expected, ". Falls: ", ", ")
	base, new := published(t, filepath.Join(dir, "mysqld-folded", "my8408-sp0.folded.gz")), published(t, filepath.Join(dir, "mysqld-folded", "my8408-sp1.folded.gz"))
	total, _ := base.Profile.Total()
	base.Operations, new.Operations = float64(total)/100, float64(total)/100 // so that the old total is 100
	table := build(t, []Side{base}, []Side{new}, Options{By: granularity.Name, KeepNoise: true})
	got := map[string]float64{}
	for _, r := range table.Rows {
		got[r.Function] += r.Delta
	}
	n := 0
	for _, m := range growth.FindAllStringSubmatch(expected, -1) {
		want, err := strconv.ParseFloat(m[2], 64)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(m[1], "[") {
			continue // without a name: a row of its object
		}
		n++
		if d, ok := got[m[1]]; !ok || math.Abs(d-want) > 0.0051 {
			t.Errorf("%s: %+.3f points (there: %v), want %+.2f", m[1], d, ok, want)
		}
	}
	if n < 12 {
		t.Errorf("only %d functions were read out of %q", n, expected)
	}
	if math.Abs(table.Total.New-87.34) > 0.005 {
		t.Errorf("the new total is %.3f%% of the old one, want 87.34", table.Total.New)
	}
}

func published(t *testing.T, path string) Side {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	set, err := folded.Options{Thread: true}.Read(z)
	if err != nil {
		t.Fatal(err)
	}
	return Side{Profile: set.Profiles[0]}
}
