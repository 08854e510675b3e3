package perfdata

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"opcost/collectors/child"
	"opcost/profiles/perfscript"
	"opcost/testbed/figures"

	"golang.org/x/sys/unix"
)

// deep is a program of 400 functions that call each other 40 deep, each way
// down another one.
func deep() string {
	var b strings.Builder
	b.WriteString("volatile unsigned long s;\ntypedef void (*fn)(int, unsigned long);\nextern fn all[400];\n")
	for i := range 400 {
		fmt.Fprintf(&b, "__attribute__((noinline,noclone)) void level_of_the_walk_number_%d(int d, unsigned long r) { for (int i = 0; i < 20; i++) s += i; if (d) all[(r >> 33) %% 400](d - 1, r * 6364136223846793005UL + %d); s++; }\n", i, 2*i+1)
	}
	b.WriteString("fn all[400] = {")
	for i := range 400 {
		fmt.Fprintf(&b, "level_of_the_walk_number_%d,", i)
	}
	b.WriteString("};\nint main(void) { for (unsigned long i = 0; i < 3000000; i++) all[i % 400](40, i * 2654435761UL); return 0; }\n")
	return b.String()
}

// TestBenchStream: reading what perf script prints takes hardly longer than
// perf script does when its output is thrown away.
func TestBenchStream(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") != "1" {
		t.Skip("set OPCOST_BENCH=1")
	}
	needs(t, "perf", "gcc")
	dir := t.TempDir()
	t.Setenv("HOME", dir)
	src, exe := filepath.Join(dir, "deep.c"), filepath.Join(dir, "deep")
	if err := os.WriteFile(src, []byte(deep()), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-O1", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", exe, src).CombinedOutput(); err != nil {
		t.Fatalf("gcc: %v\n%s", err, out)
	}
	data := record(t, dir, exe)
	ctx := context.Background()
	argv := arguments(data, Options{Perf: "perf"}, "", fields)
	alone := func() time.Duration {
		null, err := os.OpenFile("/dev/null", os.O_WRONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		defer null.Close()
		began := time.Now()
		p, err := child.Start(child.Spec{Argv: argv, Stdout: null})
		if err != nil {
			t.Fatal(err)
		}
		if <-p.Done(); p.Err() != nil {
			t.Fatal(p.Err())
		}
		return time.Since(began)
	}
	with := func() time.Duration {
		began := time.Now()
		set, _, err := run(ctx, argv, perfscript.Options{})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		if len(set.Profiles) != 1 || len(set.Profiles[0].Stacks) < 1000 {
			t.Fatalf("%d profiles, few stacks", len(set.Profiles))
		}
		return took
	}
	alone() // the files are in memory from here on
	var as, bs []time.Duration
	for i := range 7 { // A B, B A: what grows meanwhile hits both
		var a, b time.Duration
		if i%2 == 0 {
			a = alone()
			b = with()
		} else {
			b = with()
			a = alone()
		}
		as, bs = append(as, a), append(bs, b)
		t.Logf("perf script alone %v, read by Parse %v: %.3f", a, b, float64(b)/float64(a))
	}
	before := cpu(unix.RUSAGE_CHILDREN)
	alone()
	perf := cpu(unix.RUSAGE_CHILDREN) - before
	before, self := cpu(unix.RUSAGE_CHILDREN), cpu(unix.RUSAGE_SELF)
	with()
	t.Logf("CPU: perf script alone %v; into our pipe %v, and %v to read it", perf, cpu(unix.RUSAGE_CHILDREN)-before, cpu(unix.RUSAGE_SELF)-self)
	began := time.Now()
	if _, err := Read(ctx, data, Options{}); err != nil {
		t.Fatal(err)
	}
	t.Logf("with what perf is asked beside (build ids, counts): %.3f of perf script alone", float64(time.Since(began))/float64(slices.Min(as)))
	// The fastest of each: what else runs on the machine only adds.
	ratio := float64(slices.Min(bs)) / float64(slices.Min(as))
	figures.Say(t, figures.Figure{Name: "profiles: reading perf script over perf script alone, wall time", Limit: "1.15", Seen: fmt.Sprintf("%.3f", ratio), Met: ratio <= 1.15})
	against(t, argv, data)
	if ratio > 1.15 {
		t.Errorf("reading takes %.3f times as long as perf script alone, over 1.15", ratio)
	}
}

// against compares reading what perf script prints with the other programs that
// make folded stacks of it: by CPU time, since ours shares the work between
// threads.
func against(t *testing.T, argv []string, data string) {
	text := filepath.Join(t.TempDir(), "script.txt")
	into := func(path string, argv ...string) time.Duration {
		t.Helper()
		out, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Stdout = out
		if err := cmd.Run(); err != nil {
			t.Fatalf("%v: %v", argv, err)
		}
		return cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	script := into(text, argv...)
	in, err := os.Open(text)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	before := cpu(unix.RUSAGE_SELF)
	if _, err := perfscript.Parse(in, perfscript.Options{}); err != nil {
		t.Fatal(err)
	}
	ours := cpu(unix.RUSAGE_SELF) - before
	say := func(what string, theirs time.Duration, absent string) {
		figures.Say(t, figures.Figure{Name: "profiles: CPU to read perf script's text, " + what + " over ours", Absent: absent,
			Seen: fmt.Sprintf("%.1f (%.2f s, %.2f s)", float64(theirs)/float64(ours), theirs.Seconds(), ours.Seconds())})
	}
	if path, err := exec.LookPath("stackcollapse-perf.pl"); err == nil {
		say("stackcollapse-perf.pl", into(filepath.Join(t.TempDir(), "folded"), path, text), "")
	} else {
		say("stackcollapse-perf.pl", 0, "FlameGraph's script is not on PATH, and in no package of this system")
	}
	// perf's own reads the samples by itself, so what perf script takes for its text is taken off.
	found, err := filepath.Glob("/usr/lib*/perf*/scripts/python/stackcollapse.py")
	if err != nil || len(found) == 0 {
		say("perf's stackcollapse.py less perf script", 0, "this perf has no Python scripts")
		return
	}
	all := into(filepath.Join(t.TempDir(), "folded"), "perf", "script", "-i", data, "-s", found[0])
	say("perf's stackcollapse.py less perf script", max(0, all-script), "")
}

// cpu is the time used so far, by us or by the programs that have ended.
func cpu(who int) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(who, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
