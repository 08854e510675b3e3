package perfscript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"opcost/profiles"
)

const sample = "w 1/1 1.5: 100 cycles: \n\t  1f main+0x1 (/bin/w)\n\t  2f _start (/bin/w)\n\n"

func read(t testing.TB, in string, o Options) *profiles.Set {
	t.Helper()
	set, err := Parse(strings.NewReader(in), o)
	if err != nil {
		t.Fatal(err)
	}
	return set
}

func TestEventsStayApart(t *testing.T) {
	in := sample + strings.Replace(sample, "100 cycles:", "7 cpu-clock:u:", 1) + sample + strings.Replace(sample, "100 cycles:", "page-faults:", 1)
	set := read(t, in, Options{})
	var got []string
	for _, p := range set.Profiles {
		w, n := p.Total()
		got = append(got, fmt.Sprint(p.Event.Name, p.Event.Unit, w, n, p.Problems.Periods))
	}
	want := []string{"cyclescycles200 2 0", "cpu-clock:unanoseconds7 1 0", "page-faultssamples1 1 1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestPeriodsLacking(t *testing.T) {
	set := read(t, sample+strings.Replace(sample, "100 ", "", 1), Options{})
	p := set.Profiles[0]
	if w, n := p.Total(); w != 101 || n != 2 || p.Problems.Periods != 1 || p.Event.Unit != profiles.Cycles {
		t.Errorf("weight %d, samples %d, %+v, %s", w, n, p.Problems, p.Event.Unit)
	}
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], "1 of 2 samples have no period") {
		t.Errorf("warnings %q", set.Warnings)
	}
}

func TestInlined(t *testing.T) {
	set := read(t, "w 1/1 1.5: 1 cycles: \n\t 1f a(int) (inlined)\n\t 1f b (inlined)\n\t 1f c+0x3 (/bin/w)\n\t 2f d (inlined)\n\n", Options{BuildIDs: map[string]string{"/bin/w": "abcd"}})
	p := set.Profiles[0]
	want := []profiles.Frame{
		{Function: "a(int)", Object: "/bin/w", BuildID: "abcd", Inlined: true, Space: profiles.User},
		{Function: "b", Object: "/bin/w", BuildID: "abcd", Inlined: true, Space: profiles.User},
		{Function: "c", Object: "/bin/w", BuildID: "abcd", Space: profiles.User},
		{Function: "d", Inlined: true},
	}
	var got []profiles.Frame
	for _, f := range p.Stacks[0].Frames {
		got = append(got, p.Frames[f])
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestFileAddresses: a function without a name is told by its place in the
// file, whether perf printed that (since 5.17) or the address in memory.
func TestFileAddresses(t *testing.T) {
	const maps = "w 5/5 0.1: PERF_RECORD_MMAP2 5/5: [0x400000(0x2000000) @ 0 08:01 12 0]: r-xp /bin/static\n" +
		"w 5/5 0.1: PERF_RECORD_MMAP2 5/5: [0x7f0000000000(0x10000) @ 0x26000 <abcd>]: r-xp /lib/libc.so.6\n" +
		"w 5/5 0.1: PERF_RECORD_MMAP 5/5: [0x7f1000000000(0x10000) @ 0]: r /data\n" +
		"w 5/5 0.1: PERF_RECORD_FORK(6:6):(5:5)\n"
	for _, c := range []struct {
		name, pid, libc, static string
		maps                    string
		wantLibc, wantStatic    uint64
		inFile                  bool
	}{
		{"in memory", "5", "7f0000000123", "7f0000", maps, 0x26123, 0x3f0000, true},
		{"in the file", "5", "26123", "7f0000", maps, 0x26123, 0x7f0000, true},
		{"forked", "6", "7f0000000123", "7f0000", maps, 0x26123, 0x3f0000, true},
		{"another process", "7", "7f0000000123", "7f0000", maps, 0x7f0000000123, 0x7f0000, false},
		{"after exec", "5", "7f0000000123", "7f0000", maps + "w 5/5 0.2: PERF_RECORD_COMM exec: w:5/5\n", 0x7f0000000123, 0x7f0000, false},
		{"without maps, in memory", "5", "7f0000000123", "7f0000", "", 0x7f0000000123, 0x7f0000, false},
		{"without maps, in the file", "5", "26123", "7f0000", "", 0x26123, 0x7f0000, true},
	} {
		in := c.maps + "w " + c.pid + "/" + c.pid + " 1.5: 1 cycles: \n\t" + c.libc + " [unknown] (/lib/libc.so.6)\n\t" + c.static + " [unknown] (/bin/static)\n\n"
		p := read(t, in, Options{}).Profiles[0]
		libc, static := p.Frames[p.Stacks[0].Frames[0]], p.Frames[p.Stacks[0].Frames[1]]
		if libc.Address != c.wantLibc || static.Address != c.wantStatic || libc.InFile != c.inFile || static.InFile != c.inFile {
			t.Errorf("%s: %+v, %+v", c.name, libc, static)
		}
	}
}

func TestMappings(t *testing.T) {
	m := &mapping{}
	m.insert(region{100, 200, 1000, "/a"})
	child := m.fork()
	m.insert(region{120, 140, 5000, "/b"})
	m.insert(region{190, 300, 0, "/c"})
	for _, c := range []struct {
		m    *mapping
		addr uint64
		path string
		want uint64
		ok   bool
	}{
		{m, 100, "/a", 1000, true}, {m, 119, "/a", 1019, true}, {m, 120, "/b", 5000, true}, {m, 120, "/a", 0, false},
		{m, 140, "/a", 1040, true}, {m, 189, "/a", 1089, true}, {m, 190, "/c", 0, true}, {m, 300, "/c", 0, false}, {m, 99, "/a", 0, false},
		{child, 120, "/a", 1020, true}, {child, 250, "/c", 0, false},
	} {
		if got, ok := c.m.at(c.addr, c.path); got != c.want || ok != c.ok {
			t.Errorf("%d in %s: %d %v", c.addr, c.path, got, ok)
		}
	}
}

func TestBroken(t *testing.T) {
	const libc, prog = "/usr/lib/libc.so.6", "/usr/sbin/mariadbd"
	stack := func(lines ...string) string {
		return "w 1/1 1.5: 1 cycles: \n\t" + strings.Join(lines, "\n\t") + "\n\n"
	}
	for _, c := range []struct {
		name, in string
		want     int64
	}{
		{"whole, libc has names", stack("1 f ("+prog+")", "2 start_thread ("+libc+")", "3 clone3 ("+libc+")"), 0},
		{"whole, a versioned name", stack("1 f ("+prog+")", "2 __libc_start_main@@GLIBC_2.34 ("+libc+")", "3 [unknown] ([unknown])"), 0},
		{"whole, libc stripped", stack("1 f ("+prog+")", "2 [unknown] ("+prog+")", "3 [unknown] ("+libc+")"), 0},
		{"a leaf in libc, then nothing", stack("1 memcpy ("+libc+")", "2 [unknown] ("+libc+")"), 1},
		{"cut inside the program", stack("1 read ("+libc+")", "2 do_command ("+prog+")"), 1},
		{"cut inside the stripped program", stack("1 read ("+libc+")", "2 [unknown] ("+prog+")"), 1},
		{"a stripped static program", stack("1 main.f (/go)", "2 [unknown] (/go)"), 0},
		{"garbage", stack("1 read ("+libc+")", "5966605dd52f8e00 [unknown] ([unknown])"), 1},
		{"a kernel thread", stack("ffffffff81000000 schedule ([kernel.kallsyms])", "ffffffff81000001 kthread ([kernel.kallsyms])", "ffffffff81000002 ret_from_fork_asm ([kernel.kallsyms])"), 0},
		{"a kernel without names", stack("ffffffff81000000 [unknown] ([kernel.kallsyms])", "ffffffff81000001 [unknown] ([kernel.kallsyms])"), 0},
		{"user space lacking", stack("ffffffff81000000 vfs_read ([kernel.kallsyms])", "ffffffff81000001 entry_SYSCALL_64_after_hwframe ([kernel.kallsyms])"), 1},
		{"no call graph at all", "w 1/1 1.5: 1 cycles:  ffffffff9b201293 vfs_read ([kernel.kallsyms])\n", 0},
	} {
		p := read(t, c.in, Options{}).Profiles[0]
		if p.Problems.Broken != c.want {
			t.Errorf("%s: %d broken, want %d", c.name, p.Problems.Broken, c.want)
		}
	}
}

func TestOddities(t *testing.T) {
	deep := "w 1/1 1.5: 3 cycles: \n" + strings.Repeat("\t 1f f (/bin/w)\n", 1000) + "\n"
	for _, c := range []struct {
		name, in        string
		stacks, samples int64
		warning         string
	}{
		{"1,000 frames", deep, 1, 1, ""},
		{"line feeds of DOS", strings.ReplaceAll(sample, "\n", "\r\n"), 1, 1, ""},
		{"an empty line behind the header", strings.Replace(sample, "cycles: \n", "cycles:\n\n", 1), 1, 1, ""},
		{"no empty line between samples", strings.TrimRight(sample, "\n") + "\n" + sample, 1, 2, ""},
		{"samples without frames", "w 1/1 1.5: 1 cycles: \n\nw 1/1 1.6: 1 cycles: \n\n", 1, 2, ""},
		{"cut behind a line", strings.TrimSuffix(sample, "\n"), 1, 1, "ends inside a sample"},
		{"cut inside a line", sample + sample[:40], 2, 2, "ends inside a sample"},
		{"cut inside a header", sample + sample[:10], 1, 1, "neither a sample's first line nor a frame"},
		{"a strange line", strings.Replace(sample, "\t  2f", "\t  THIS_IS\n\t  2f", 1), 1, 1, "line 3, \"\\t  THIS_IS\": no frame, inside a sample"},
		{"source lines", strings.Replace(sample, "(/bin/w)\n", "(/bin/w)\n  main.c:12\n", 1), 1, 1, ""},
		{"comments", "# ========\n#\n" + sample + "# x\n" + sample, 1, 2, ""},
		{"a thread named as a comment", strings.Replace(sample, "w ", "# w ", 1), 1, 1, ""},
		{"a thread named by a space", " " + sample, 1, 1, ""},
		{"a thread without a name", strings.Replace(sample, "w ", " ", 1), 1, 1, ""},
		{"a thread named by a line feed", "w\n" + sample, 1, 1, "neither"},
		{"a tracepoint with a stack", "w 1/1 1.5: sched:sched_switch: prev=add 12 (x)\n\t  1f f (/bin/w)\n\n", 1, 1, ""},
		{"a bad address", "w 1/1 1.5: 1 cycles: \n\t11112222333344445 f (/bin/w)\n\t1 g (/bin/w)\n\n", 1, 1, "no frame"},
		{"an address alone", "w 1/1 1.5: 1 cycles: \n\t  7f11\n\n", 1, 1, ""},
		{"a long line", sample + "w" + strings.Repeat("x", 3*maxLine) + "\n" + sample, 1, 2, "a line of over 1048576 bytes was left out"},
	} {
		set, err := Parse(strings.NewReader(c.in), Options{})
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		p := set.Profiles[0]
		if _, n := p.Total(); n != c.samples || int64(len(p.Stacks)) != c.stacks {
			t.Errorf("%s: %d samples in %d stacks, want %d in %d", c.name, n, len(p.Stacks), c.samples, c.stacks)
		}
		if all := strings.Join(set.Warnings, "\n"); !strings.Contains(all, c.warning) || (c.warning == "") != (all == "") {
			t.Errorf("%s: warnings %q, want %q", c.name, all, c.warning)
		}
	}
	p := read(t, deep, Options{}).Profiles[0]
	if n := len(p.Stacks[0].Frames); n != 1000 {
		t.Errorf("%d of 1,000 frames", n)
	}
}

func TestTooDeep(t *testing.T) {
	set := read(t, "w 1/1 1.5: 3 cycles: \n"+strings.Repeat("\t 1f f (/bin/w)\n", maxFrames+9)+"\n", Options{})
	if n := len(set.Profiles[0].Stacks[0].Frames); n != maxFrames || len(set.Warnings) != 1 {
		t.Errorf("%d frames, warnings %q", n, set.Warnings)
	}
}

func TestThreads(t *testing.T) {
	in := sample + strings.Replace(sample, "w 1/1", "w 1/2", 1) + strings.Replace(sample, "w 1/1", ":3 3/3", 1) + strings.Replace(sample, "w 1/1", "w 4", 1)
	for o, want := range map[Threads][]string{
		ByName: {"w", ""}, ByProcess: {"w-1", "-3", "w-?"}, ByThread: {"w-1/1", "w-1/2", "-3/3", "w-?/4"},
	} {
		var got []string
		for _, s := range read(t, in, Options{Threads: o}).Profiles[0].Stacks {
			got = append(got, s.Thread)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(o, diff)
		}
	}
}

func TestLostAndRecorded(t *testing.T) {
	in := "# cmdline : /usr/bin/perf record -q -e cycles -F 499 -g -o k.data ./k \n" +
		"w 1/1 1.1: PERF_RECORD_LOST lost 12\n" + sample + "w 1/1 1.1: PERF_RECORD_LOST lost 3\n"
	p := read(t, in, Options{}).Profiles[0]
	if p.Problems.Lost != 15 || p.About.Hz != 499 || p.About.CallGraph != "fp" {
		t.Errorf("%+v %+v", p.Problems, p.About)
	}
	for line, want := range map[string]profiles.About{
		"# event : name = cycles, { sample_period, sample_freq } = 4000, sample_type = IP|CALLCHAIN, freq = 1, x": {Hz: 4000, CallGraph: "fp"},
		"# event : name = c, { sample_period, sample_freq } = 100000, sample_type = IP|CALLCHAIN":                 {CallGraph: "fp"},
		"# event : name = c, sample_type = IP|CALLCHAIN|BRANCH_STACK, branch_sample_type = USER|CALL_STACK":       {CallGraph: "lbr"},
		"# event : name = c, sample_type = CALLCHAIN|REGS_USER, sample_stack_user = 8192":                         {CallGraph: "dwarf"},
		"# cmdline : perf record --freq=99 --call-graph dwarf,8192 ./k":                                           {Hz: 99, CallGraph: "dwarf"},
		"# cmdline : perf record -F 99999999999999999999 -ag":                                                     {CallGraph: "fp"},
	} {
		var got profiles.About
		if comment(&got, line); got != want {
			t.Errorf("%s: %+v", line, got)
		}
	}
}

func TestErrors(t *testing.T) {
	other := errors.New("the disk is gone")
	for _, c := range []struct{ name, in, want string }{
		{"empty", "", "no samples: the text is empty"},
		{"comments alone", "# ========\n#\n", "no samples in 2 lines: the recording holds none"},
		{"records alone", "w 1/1 1.1: PERF_RECORD_LOST lost 12\n", "no samples in 1 lines"},
		{"prose", "Dear reader,\nthis is no profile.\n", "no samples in 2 lines, and this is not perf script's output (neither a sample's first line nor a frame (2 such lines, the first: line 1, \"Dear reader,\"))"},
		{"long prose", strings.Repeat("Dear reader,\n", 200), "line 101: 101 lines are no part of perf script's output, the last \"Dear reader,\""},
		{"perf.data", "PERFILE2h\x00\x00\x00", "line 1: this is a perf.data file"},
		{"gzip", "\x1f\x8b\x08\x00", "line 1: this is compressed (gzip)"},
		{"binary", "\x7fELF\x02\x01\x00", "line 1: this is a binary file"},
		{"callgrind", "# callgrind format\n", "line 1: this is a callgrind.out file"},
		{"weights that do not fit", strings.Repeat(strings.Replace(sample, "100", "9223372036854775800", 1), 2), "line 8: the sum of weights is over"},
		{"events without end", func() string {
			var b strings.Builder
			for i := range maxEvents + 2 {
				fmt.Fprintf(&b, "w 1/1 1.5: 1 e%d: \n\t1 f (/w)\n\n", i)
			}
			return b.String()
		}(), "line 3073: more than 1024 different events"},
	} {
		_, err := Parse(strings.NewReader(c.in), Options{})
		if err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.want)
		}
	}
	_, err := Parse(io.MultiReader(strings.NewReader(sample), iotest.ErrReader(other)), Options{})
	if !errors.Is(err, other) || !strings.Contains(err.Error(), "after line 4") {
		t.Errorf("a reader's error: %v", err)
	}
	if _, err := Parse(iotest.OneByteReader(strings.NewReader(sample)), Options{}); err != nil {
		t.Errorf("byte by byte: %v", err)
	}
}

// FuzzParse: no text may make Parse panic, or give a profile that does not add up.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		sample, "# x\n" + sample[:30], "a 1 cpu-clock:\n\n\t1 f (inlined)\n", "  x 1 1.2: 3 cycles:u:  ffffffff9b201293 [unknown] ([unknown])\n",
		"w 5/5 0.1: PERF_RECORD_MMAP2 5/5: [0x7f0000000000(0x10000) @ 0x26000 <abcd>]: r-xp /lib/libc.so.6\nw 5/5 1.5: 1 c: \n\t7f0000000123 [unknown] (/lib/libc.so.6)\n\n",
		"w 5/5 0.1: PERF_RECORD_FORK(6:6):(5:5)\nw 1/1 1.1: PERF_RECORD_LOST lost 12\n" + sample, "a 1/2 3.4: 5 e: 6/7 8.9: 10 cycles: \n\t1 f (a (b))\n",
	} {
		f.Add([]byte(s), uint8(0))
	}
	f.Fuzz(func(t *testing.T, in []byte, threads uint8) {
		o := Options{Threads: Threads(threads % 3)}
		set, err := Parse(bytes.NewReader(in), o)
		if slow, err2 := parse(bytes.NewReader(in), o, recent{}); !cmp.Equal(set, slow) || fmt.Sprint(err) != fmt.Sprint(err2) {
			t.Fatalf("a line that was known meant something else: %v, %v, %s", err, err2, cmp.Diff(slow, set))
		}
		if err != nil {
			return
		}
		for _, p := range set.Profiles {
			_, samples := p.Total()
			if samples <= 0 || p.Problems.Broken+p.Problems.NoStack > samples || p.Problems.Periods > samples {
				t.Fatalf("%d samples, %+v", samples, p.Problems)
			}
			for _, s := range p.Stacks {
				for _, f := range s.Frames {
					if int(f) >= len(p.Frames) {
						t.Fatal("a frame of no profile")
					}
				}
			}
		}
	})
}
