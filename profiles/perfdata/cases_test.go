package perfdata

import (
	"context"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"opcost/collectors/child"
	"opcost/testbed/casefiles"
)

// needs skips the test without the tools, or fails it where all tests must run.
func needs(t testing.TB, tools ...string) {
	t.Helper()
	for _, tool := range tools {
		if _, err := exec.LookPath(tool); err != nil {
			missing(t, err.Error())
		}
	}
}

// refusedCases are those that cannot be read, and what the error must say.
var refusedCases = map[string]string{
	"hotspot/perf.data.PerfFormatLost":      "perf cannot read this file (incompatible file format", // cut off behind 363,968 bytes of the data
	"hotspot/perf.data.broken.gz":           "this is compressed (gzip)",
	"hotspot/perf.data.true.v2.gz":          "this is compressed (gzip)",
	"hotspot/perf.data.true.v1":             "in the format of before Linux 3.0",
	"quipper/perf.data.piped.intel_pt-4.14": "bad event header size", // records longer than 64 kB, of a newer perf's pipe mode
}

// counted are the samples of the files that the index has no number of, by
// `perf script -D -i FILE | grep -c PERF_RECORD_SAMPLE`.
var counted = map[string]int64{
	"hotspot/perf.data.true.v2": 1, "quipper/perf.data.forkexit-3.8": 10335, "quipper/perf.data.numatopology-3.2": 175,
	"quipper/perf.data.piped.ctx_switch_namespaces-4.14": 7, "quipper/perf.data.piped.lost_samples-4.4": 191,
	"quipper/perf.data.piped.no_attr_ids-4.14": 7, "quipper/perf.data.throttle-3.8": 14980,
}

// problems that the files are known to have: quipper's names say so, and
// `perf script -D` shows the records.
var problems = map[string]struct{ lost, throttled int64 }{
	"quipper/perf.data.lost_samples-4.4": {2, 0}, "quipper/perf.data.piped.lost_samples-4.4": {2, 0},
	"quipper/perf.data.throttle-3.8": {0, 68}, "quipper/perf.data.piped.target.throttled-3.4": {0, 1},
	"quipper/perf.data.hw_and_sw-3.4": {0, 27}, "quipper/perf.data.piped.hw_and_sw-3.4": {0, 22}, "quipper/perf.data.branch_stack_spec": {0, 2},
}

// TestCases reads every file: the samples are as many as the index says, or
// the error says what the file is.
func TestCases(t *testing.T) {
	needs(t, "perf")
	events := regexp.MustCompile(`sample_event (\d+)`)
	read := 0
	for _, c := range casefiles.Index(t, "03-perf-data") {
		use := casefiles.Compared
		if _, ok := refusedCases[c.File]; ok {
			use = casefiles.Refused
		}
		casefiles.Used(t, use, c.Path)
		set, err := Read(context.Background(), c.Path, Options{})
		if text, ok := refusedCases[c.File]; ok {
			if err == nil || !strings.Contains(err.Error(), text) || !strings.Contains(err.Error(), c.Path) {
				t.Errorf("%s: error %v, want %q", c.File, err, text)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			continue
		}
		read++
		want := counted[c.File]
		if m := events.FindStringSubmatch(c.Expected); m != nil {
			want, _ = strconv.ParseInt(m[1], 10, 64)
		}
		var got, lost, throttled int64
		for _, p := range set.Profiles {
			weight, n := p.Total()
			got += n
			lost += p.Problems.Lost
			throttled += p.Problems.Throttled
			if weight <= 0 || p.Problems.Periods != 0 {
				t.Errorf("%s: %s weighs %d, %+v", c.File, p.Event.Name, weight, p.Problems)
			}
		}
		if got != want || want == 0 {
			t.Errorf("%s: %d samples, want %d", c.File, got, want)
		}
		if p := problems[c.File]; lost != p.lost || throttled != p.throttled {
			t.Errorf("%s: %d lost, %d throttled, want %+v", c.File, lost, throttled, p)
		}
		for _, w := range set.Warnings {
			if strings.Contains(w, "no part of") || strings.Contains(w, "neither") || strings.Contains(w, "outside") || strings.Contains(w, "perf report counts") {
				t.Errorf("%s: %s", c.File, w)
			}
		}
	}
	t.Logf("%d files give profiles, %d a clear error", read, len(refusedCases))
}

// TestWeights holds the sums of periods against perf report's.
func TestWeights(t *testing.T) {
	needs(t, "perf")
	counts := regexp.MustCompile(`# Samples: \S+ +of event '([^']+)'\n# Event count \(approx\.\): (\d+)`)
	for _, c := range casefiles.Index(t, "03-perf-data") {
		switch c.File {
		case "quipper/perf.data.callgraph-3.8", "quipper/perf.data.busy.0-3.4", "quipper/perf.data.throttle-3.8", "quipper/perf.data.singleprocess-3.4":
		default:
			continue
		}
		out, _, err := child.Output(context.Background(), "perf", "report", "--stdio", "--force", "--sort", "comm", "-g", "none", "--input", c.Path)
		if err != nil {
			t.Fatal(err)
		}
		set, err := Read(context.Background(), c.Path, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]int64{}
		for _, p := range set.Profiles {
			got[p.Event.Name], _ = p.Total()
		}
		all := counts.FindAllStringSubmatch(out, -1)
		if len(all) != len(got) {
			t.Errorf("%s: perf report has %d events, we %d", c.File, len(all), len(got))
		}
		for _, m := range all {
			if want, _ := strconv.ParseInt(m[2], 10, 64); got[m[1]] != want {
				t.Errorf("%s: %s weighs %d, perf report says %d", c.File, m[1], got[m[1]], want)
			}
		}
	}
}

func TestBuildIDs(t *testing.T) {
	got := parseBuildIDs("635d9e4f686bf3b5adf08d7a735a5260899b17a6 [kernel.kallsyms]\n33b6bb158d0389f4 /a b/c.so\n                [vdso]\n0000000000000000 /x\nfailed to open\n")
	if len(got) != 2 || got["[kernel.kallsyms]"] != "635d9e4f686bf3b5adf08d7a735a5260899b17a6" || got["/a b/c.so"] != "33b6bb158d0389f4" {
		t.Errorf("%q", got)
	}
}
