package folded

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/profiles"
	"opcost/testbed/casefiles"
)

func open(t testing.TB, path string) io.Reader {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(path, ".gz") {
		return bytes.NewReader(b)
	}
	z, err := gzip.NewReader(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// TestServers reads real servers' stacks. The number of stacks, their total and
// the shares of the largest functions are the index's.
func TestServers(t *testing.T) {
	sums := regexp.MustCompile(`^stacks (\d+), total (\d+) .*?largest self: (.*)`)
	share := regexp.MustCompile(`(?:^|, )(\S.*?) (\d+\.\d\d)%`)
	// Stacks of the text that differ from another only by a space behind
	// "[unknown]" (it comes from the SVG): they are one.
	twice := map[string]int{"mysqld-folded/my8408-sp0.folded.gz": 3, "mysqld-folded/my8408-sp1.folded.gz": 1}
	seen := 0
	for _, c := range casefiles.Index(t, "02-perf-script") {
		m := sums.FindStringSubmatch(c.Expected)
		if m == nil || c.Path == "" {
			continue
		}
		seen++
		casefiles.Used(t, casefiles.Compared, c.Path)
		event := profiles.Event{Name: "cycles", Unit: profiles.Cycles}
		set, err := Options{Thread: true, Event: event}.Read(open(t, c.Path))
		if err != nil {
			t.Errorf("%s: %v", c.File, err)
			continue
		}
		p := set.Profiles[0]
		weight, samples := p.Total()
		if got := strconv.FormatInt(weight, 10); got != m[2] || samples != 0 {
			t.Errorf("%s: total %s (%d samples), want %s", c.File, got, samples, m[2])
		}
		if got := strconv.Itoa(len(p.Stacks) + twice[c.File]); got != m[1] {
			t.Errorf("%s: %s stacks, want %s", c.File, got, m[1])
		}
		self := map[string]int64{}
		for _, s := range p.Stacks {
			if len(s.Frames) > 0 {
				f := p.Frames[s.Frames[0]]
				name := f.Function
				if !f.Named() {
					name = "[" + f.Object + "]"
				}
				self[name] += s.Weight
			}
		}
		shares := share.FindAllStringSubmatch(m[3], -1)
		if len(shares) != 6 {
			t.Errorf("%s: %d shares in %q", c.File, len(shares), m[3])
		}
		for _, sh := range shares {
			if got := fmt.Sprintf("%.2f", 100*float64(self[sh[1]])/float64(weight)); got != sh[2] {
				t.Errorf("%s: %s has %s%% of the cycles, want %s%%", c.File, sh[1], got, sh[2])
			}
		}
	}
	if seen != 8 {
		t.Errorf("%d servers' stacks in the index, want 8", seen)
	}
}

// TestInferno reads that tool's own test inputs; the sums are made by hand.
func TestInferno(t *testing.T) {
	dir := casefiles.Folder(t, "02-perf-script") + "/inferno/"
	for _, c := range []struct {
		file     string
		want     int64
		warnings string
	}{
		{"folded-inputs/bad-lines.txt", 31 + 6 + 1 + 19 + 2 + 274 + 274, "line 3, \"THIS IS A BAD LINE\": no folded stack; 2 such lines were left out"},
		{"folded-inputs/fractional.txt", 334, "5 counts have a fraction"}, // 334.618 rounded: 31.23+6.1+1.4+19.0+2.567+274.321
		{"folded-inputs/with-space.txt", 334, "5 counts have a fraction"},
		{"folded-inputs/tricky-stack.txt", 3, ""},
		// Those of a tool that takes out recursion, before and after.
		{"collapse-recursive/basic.txt", 1 + 2 + 4, ""},
		{"collapse-recursive/results/basic-collapsed.txt", 4 + 3, ""},
	} {
		casefiles.Used(t, casefiles.Compared, dir+c.file)
		set, err := Read(open(t, dir+c.file))
		if err != nil {
			t.Errorf("%s: %v", c.file, err)
			continue
		}
		got, _ := set.Profiles[0].Total()
		if diff := got - c.want; diff < 0 || diff > 1 {
			t.Errorf("%s: total %d, want %d", c.file, got, c.want)
		}
		if all := strings.Join(set.Warnings, "\n"); !strings.HasPrefix(all, c.warnings) || (all == "") != (c.warnings == "") {
			t.Errorf("%s: warnings %q", c.file, all)
		}
	}
	set, err := Read(open(t, dir+"folded-inputs/bad-lines.txt"))
	if err != nil {
		t.Fatal(err)
	}
	want := profiles.Frame{Function: "vfs_read", Space: profiles.Kernel}
	if !strings.Contains(fmt.Sprint(set.Profiles[0].Frames), fmt.Sprint(want)) {
		t.Errorf("no kernel frame vfs_read in %v", set.Profiles[0].Frames)
	}
}

func TestFractions(t *testing.T) {
	var in strings.Builder
	for range 1000 {
		in.WriteString("a;b 0.3\n")
	}
	in.WriteString("c 0.123456789123\n")
	set, err := Read(strings.NewReader(in.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := set.Profiles[0].Total(); got != 300 {
		t.Errorf("1000 times 0.3 add up to %d", got)
	}
}

func TestFrames(t *testing.T) {
	for text, want := range map[string]profiles.Frame{
		"main":                       {Function: "main"},
		"operator()_[i]":             {Function: "operator()", Inlined: true},
		"sys_read_[k]":               {Function: "sys_read", Space: profiles.Kernel},
		"Interpreter_[j]":            {Function: "Interpreter", Space: profiles.User},
		"[unknown]":                  {},
		"[unknown <1f>]":             {Address: 0x1f},
		"[libcrypto.so.3]":           {Object: "libcrypto.so.3"},
		"[libcrypto.so.3 <7f01>]":    {Object: "libcrypto.so.3", Address: 0x7f01},
		"[[vdso]]":                   {Object: "[vdso]"},
		"[[kernel.kallsyms]]_[k]":    {Object: "[kernel.kallsyms]", Space: profiles.Kernel},
		"[]":                         {Function: "[]"},
		"_[k]":                       {Function: "_[k]"},
		"std::vector<int, a<b> >":    {Function: "std::vector<int, a<b> >"},
		"<[T] as core::fmt>::fmt":    {Function: "<[T] as core::fmt>::fmt"},
		"(anonymous namespace)::f x": {Function: "(anonymous namespace)::f x"},
	} {
		if got := parseFrame(text); got != want {
			t.Errorf("%s: %+v, want %+v", text, got, want)
		}
		o := WriteOptions{Annotate: true, Address: true}
		if back := parseFrame(o.text(parseFrame(text))); back != want && want.Space != profiles.User {
			t.Errorf("%s: %+v after writing, want %+v", text, back, want)
		}
	}
}

func TestErrors(t *testing.T) {
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "no stacks: the text is empty"},
		{"blank", "\n\n", "no stacks in 2 lines"},
		{"prose", "Dear reader,\nthis is 1\nno profile at all\n", "line 1: \"Dear reader,\" is no folded stack"},
		{"binary", "PERFILE2\x00\x01", "line 1: this is a binary file"},
		{"negative", "a;b 3\na;c -2\n", "line 2: \"-2\": a count below 0"},
		{"difference", "a;b 3 4\na;c 2 1\n", "each stack has two counts"},
		{"the largest", "a 9223372036854775807\nb 1\n", ""},
		{"overflow", "a 9223372036854775800\na 9223372036854775800\n", "line 2: the sum of weights is over"},
		{"over 64 bits", "a 99999999999999999999\n", "line 1:"},
		{"long", strings.Repeat("x", maxLine+1), "line 1: longer than"},
	} {
		_, err := Read(strings.NewReader(c.in))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
}

// TestRoundTrip writes a profile and reads it back.
func TestRoundTrip(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
	java := b.Frame(profiles.Frame{Function: "Lorg/a/B;::call", Space: profiles.User})
	kernel := b.Frame(profiles.Frame{Function: "vfs read", Object: "[kernel.kallsyms]", Space: profiles.Kernel})
	none := b.Frame(profiles.Frame{Object: "/usr/sbin/mariadbd", Address: 0x12ab, InFile: true})
	for _, s := range []struct {
		thread string
		frames []int32
		weight int64
	}{{"conn 1", []int32{kernel, java, none}, 7}, {"", nil, 2}, {"conn 1", []int32{none}, 5}, {"x;y", []int32{java}, 0}} {
		if err := b.Add(s.thread, s.frames, s.weight, 1); err != nil {
			t.Fatal(err)
		}
	}
	var buf bytes.Buffer
	if err := Write(&buf, b.Profile(), WriteOptions{Thread: true, Annotate: true, Address: true}); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(buf.String()), "\n")
	sort.Strings(lines)
	want := []string{
		"[unknown thread] 2",
		"conn 1;[mariadbd <12ab>] 5",
		"conn 1;[mariadbd <12ab>];Lorg/a/B:::call;vfs read_[k] 7",
	}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	set, err := Options{Thread: true, Event: b.Profile().Event}.Read(&buf)
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := set.Profiles[0].Total(); got != 14 {
		t.Errorf("total %d after the round trip, want 14", got)
	}
}

func FuzzRead(f *testing.F) {
	for _, s := range []string{"a;b c 12\n", "a 0.5\nb_[k] 1.25\n", "[x <1>];y 3\n", ";;; 1\n", "a -1\n", "\n \n", " 5\n", "#00; 1", "\n\x00 1"} {
		f.Add([]byte(s), true)
	}
	f.Fuzz(func(t *testing.T, in []byte, thread bool) {
		set, err := Options{Thread: thread}.Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		p := set.Profiles[0]
		before, _ := p.Total()
		var buf bytes.Buffer
		if err := Write(&buf, p, WriteOptions{Thread: thread, Annotate: true, Address: true}); err != nil {
			t.Fatal(err)
		}
		if buf.Len() == 0 {
			return
		}
		again, err := Options{Thread: thread}.Read(&buf)
		if err != nil {
			// Only what can be taken for something else: two counts in each line.
			if strings.Contains(err.Error(), "two counts") {
				return
			}
			t.Fatalf("what was written cannot be read: %v", err)
		}
		if after, _ := again.Profiles[0].Total(); after != before {
			t.Fatalf("%d became %d", before, after)
		}
	})
}
