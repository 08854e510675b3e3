package selection

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"opcost/perfctl/result"
)

func TestParse(t *testing.T) {
	isDir := func(s string) bool { return s == "night" || s == "a:b" }
	for text, want := range map[string]Selector{
		"8.0.28":       {Version: "8.0.28"},
		"night:8.0.28": {Dir: "night", Version: "8.0.28"},
		"a:b:8.0":      {Dir: "a:b", Version: "8.0"},
		"night":        {Dir: "night"},
		"x:8.0":        {Version: "x:8.0"}, // no such folder: the version's own colon
		"8.0.28,workload=random-points_range=1000,clients=4": {Version: "8.0.28", Workload: "random-points_range=1000", Clients: []int{4}},
		"night:v,clients=1,clients=4,host=nuc,protocol=text": {Dir: "night", Version: "v", Clients: []int{1, 4}, Host: "nuc", Protocol: "text"},
		"workload=scan":                   {Workload: "scan"},
		"workload=random-points_range=10": {Workload: "random-points_range=10"},
		"night,workload=scan,driver=slap": {Dir: "night", Workload: "scan", Driver: "slap"},
		"version=odd=name,workload=scan":  {Version: "odd=name", Workload: "scan"},
		"":                                {},
	} {
		got, err := Parse(text, isDir)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if d := cmp.Diff(want, got, cmpopts.IgnoreUnexported(Selector{})); d != "" {
			t.Errorf("%q (-want +got):\n%s", text, d)
		}
	}
	for text, want := range map[string]string{
		"v,clients=x": "clients=x", "v,clients=0": "from 1", "v,scan": `"scan" is not a selection`, "v,workload=": "not a selection", "v,colour=red": "known: version",
	} {
		if _, err := Parse(text, isDir); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, not %q", text, err, want)
		}
	}
}

func TestPick(t *testing.T) {
	runs := []result.Run{{Version: "a", Workload: "scan", Clients: 1}, {Version: "a", Workload: "scan", Clients: 4}, {Version: "b", Workload: "scan", Clients: 4}}
	pick := func(text string) []result.Run {
		s, err := Parse(text, func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		got, err := s.Pick(runs)
		if len(got) == 0 && (err == nil || !strings.Contains(err.Error(), "a,workload=scan,clients=1; a,workload=scan,clients=4; b,")) {
			t.Errorf("%q: %v", text, err)
		}
		return got
	}
	for text, n := range map[string]int{"a": 2, "a,clients=4": 1, "clients=4": 2, "": 3, "c": 0, "a,workload=insert": 0} {
		if got := pick(text); len(got) != n {
			t.Errorf("%q picks %d runs, not %d", text, len(got), n)
		}
	}
}
