package perfscript

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

// open reads a case, unpacked if it is packed (one is only named so).
func open(t testing.TB, path string) io.Reader {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if bytes.HasPrefix(b, []byte{0x1f, 0x8b}) {
		z, err := gzip.NewReader(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		return z
	}
	return bytes.NewReader(b)
}

func expectedFold(t testing.TB, path string) map[string]int64 {
	t.Helper()
	want := map[string]int64{}
	s := bufio.NewScanner(open(t, path))
	s.Buffer(nil, 1<<24)
	for s.Scan() {
		i := strings.LastIndexByte(s.Text(), ' ')
		n, err := strconv.ParseInt(s.Text()[i+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		want[s.Text()[:i]] += n
	}
	return want
}

// differences are all the stacks in which our profile, folded in a tool's
// manner, differs from that tool's own fold: by input, the end of the stack
// (its leaf's side, without annotations), our count minus theirs, and why.
var differences = map[string][]difference{
	"flamegraph/perf-dd-stacks-01":           {{"[unknown];system_call", 10101010, cutOff}},
	"flamegraph/perf-iperf-stacks-pidtid-01": {{"[unknown];[unknown];[iperf]", 1, cutOff}},
	"flamegraph/perf-java-stacks-01":         {{"schedule_hrtimeout_range_clock;schedule;__schedule", 1, cutOff}},
	"flamegraph/perf-mirageos-stacks-01":     {{"mir-console;camlMain__fun_1418;camlLwt__return_1285", 1, cutOff}},
	"flamegraph/perf-vertx-stacks-01": {
		{"tcp_clean_rtx_queue;__kfree_skb;skb_release_data;skb_release_data.part.45", 1, cutOff},
		{"sun/nio/ch/FileDispatcherImpl:.write0;[libc-2.15.so]", 3, emptyName},
		{"sun/nio/ch/FileDispatcherImpl:.write0; ", -3, emptyName},
	},
	"inferno/single-line-stacks": {{"false;_dl_start", -1, "a line of another event (cycles, not cycles:u): the tool overlooks that, since the event is not at the line's end; ours is a profile of its own"}},
}

const (
	cutOff    = "the tool leaves out the last sample, which has no empty line behind it; ours counts it and warns"
	emptyName = "perf printed an empty name; the tool keeps it, ours is a function without a name in libc"
)

type difference struct {
	end    string
	count  int64
	reason string
}

var (
	annotation = regexp.MustCompile(`_\[[kij]\]| <[0-9a-f]+>`)
	threadIDs  = regexp.MustCompile(`^([^;]*?)-(\?|\d+)(/\d+)?;`)
)

func TestFolds(t *testing.T) {
	dir := casefiles.Folder(t, "02-perf-script")
	for _, tool := range []string{"flamegraph", "inferno"} {
		files, err := filepath.Glob(filepath.Join(dir, tool, "expected", "*"))
		if err != nil || len(files) < 7 {
			t.Fatalf("%d expected folds of %s: %v", len(files), tool, err)
		}
		for _, f := range files {
			name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(f), ".gz"), ".txt")
			base, option, _ := strings.Cut(name, "-collapsed")
			t.Run(tool+"/"+name, func(t *testing.T) {
				in := filepath.Join(dir, tool, base+".txt")
				for _, other := range []string{in + ".gz", filepath.Join(dir, "flamegraph", base+".txt")} {
					if _, err := os.Stat(in); err != nil {
						in = other
					}
				}
				o := Options{}
				fo := foldOptions{first: true, inferno: tool == "inferno"}
				switch option {
				case "-pid":
					o.Threads = ByProcess
				case "-tid":
					o.Threads = ByThread
				case "-addrs":
					fo.addrs = true
				case "-kernel":
					fo.kernel = true
				case "-jit":
					fo.jit = true
				case "-all":
					fo.kernel, fo.jit = true, true
				}
				casefiles.Used(t, casefiles.Reference, f)
				casefiles.Used(t, casefiles.Compared, in)
				want := expectedFold(t, f)
				if len(want) == 0 { // inferno/no-events: an empty text is our error
					if _, err := Parse(open(t, in), o); !errors.Is(err, ErrNoSamples) {
						t.Errorf("an empty text: %v", err)
					}
					return
				}
				set, err := Parse(open(t, in), o)
				if err != nil {
					t.Fatal(err)
				}
				compareFolds(t, fold(set, fo), want, differences[tool+"/"+base])
			})
		}
	}
}

func compareFolds(t *testing.T, got, want map[string]int64, listed []difference) {
	t.Helper()
	used := make([]bool, len(listed))
	all := map[string]int64{}
	for k, n := range got {
		all[k] += n
	}
	for k, n := range want {
		all[k] -= n
	}
next:
	for k, n := range all {
		if n == 0 {
			continue
		}
		plain := threadIDs.ReplaceAllString(annotation.ReplaceAllString(k, ""), "$1;")
		for i, d := range listed {
			if !used[i] && d.count == n && strings.HasSuffix(plain, d.end) {
				used[i] = true
				continue next
			}
		}
		t.Errorf("differs by %d, and is not listed with a reason: %s", n, plain)
	}
	for i, d := range listed {
		if !used[i] {
			t.Errorf("does not differ in %q, which is listed", d.end)
		}
	}
}

// TestSampleCounts holds the numbers of samples in the index against ours.
func TestSampleCounts(t *testing.T) {
	counted := regexp.MustCompile(`^(\d+) sample headers`)
	n := 0
	for _, c := range casefiles.Index(t, "02-perf-script") {
		m := counted.FindStringSubmatch(c.Expected)
		if m == nil || c.Path == "" {
			continue
		}
		casefiles.Used(t, casefiles.Compared, c.Path)
		want, err := strconv.ParseInt(m[1], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		if c.File == "flamescope/perf.test01.gz" {
			want = 9 // it was counted as packed, and is plain text; `grep -c '^[a-z].*cpu-clock: $'` says 9
		}
		set, err := Parse(open(t, c.Path), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			continue
		}
		var got int64
		for _, p := range set.Profiles {
			weight, samples := p.Total()
			got += samples
			var self int64
			for _, s := range p.Stacks {
				self += s.Weight
			}
			if self != weight {
				t.Errorf("%s: self costs add up to %d of %d", c.File, self, weight)
			}
		}
		if got != want {
			t.Errorf("%s: %d samples, want %d", c.File, got, want)
		}
		n++
	}
	if n < 13 {
		t.Errorf("only %d inputs in the index say how many samples they hold", n)
	}
}

// TestOddInputs reads two inputs by which another tool once failed; the counts
// are made by eye.
func TestOddInputs(t *testing.T) {
	dir := filepath.Join(casefiles.Folder(t, "02-perf-script"), "inferno")
	for name, want := range map[string]struct {
		main     int64 // of 500000 in all
		warnings string
	}{
		"empty-line.txt":       {500000, ""},                     // between a sample's head and its stack
		"weird-stack-line.txt": {250000, "THIS_IS_A_WEIRD_LINE"}, // where a frame should be: a sample without a stack
	} {
		path := filepath.Join(dir, name)
		casefiles.Used(t, casefiles.Compared, path)
		set, err := Parse(open(t, path), Options{})
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		compareFolds(t, fold(set, foldOptions{first: true}), map[string]int64{"inline-counter;main": want.main}, nil)
		if weight, n := set.Profiles[0].Total(); weight != 500000 || n != 2 {
			t.Errorf("%s: %d in %d samples", name, weight, n)
		}
		if all := strings.Join(set.Warnings, "\n"); !strings.Contains(all, want.warnings) {
			t.Errorf("%s: warnings %q, want one of %q", name, all, want.warnings)
		}
	}
}
