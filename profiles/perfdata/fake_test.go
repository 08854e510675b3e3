package perfdata

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"opcost/profiles/perfscript"
)

const sample = `w 1/1 1.5: 100 cycles: \n\t  1f main (/bin/w)\n\t  2f _start (/bin/w)\n\n`

// fake is a perf whose `script` is the given shell code; what else it is asked
// it answers with nothing, or, for `report --stats`, with stats.
func fake(t testing.TB, script, stats string) (perf, data string) {
	t.Helper()
	dir := t.TempDir()
	perf, data = filepath.Join(dir, "perf"), filepath.Join(dir, "perf.data")
	text := "#!/bin/sh\necho \"$*\" >> " + dir + "/argv\ncase $1 in\nreport) printf '" + stats + "';;\nscript) " + script + "\n;; esac\n"
	if err := os.WriteFile(perf, []byte(text), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(data, []byte("PERFILE2 and so on"), 0o600); err != nil {
		t.Fatal(err)
	}
	return perf, data
}

func argvOf(t testing.TB, perf string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(filepath.Dir(perf), "argv"))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestFailures(t *testing.T) {
	for _, c := range []struct{ name, script, wantErr, wantWarning string }{
		{"ends well", "printf '" + sample + "'", "", ""},
		{"fails at the start", "echo 'cannot open it' >&2; exit 3", "perf script ended with exit status 3: cannot open it", ""},
		{"fails silently", "exit 3", "perf script ended with exit status 3", ""},
		{"fails in the middle", "printf '" + sample + "'; echo '0x1c28 [0]: failed to process type: 0' >&2; exit 234", "", "perf script ended with exit status 234 in the middle"},
		{"says nothing, status 0", ":", "no samples", ""},
		{"says why, status 0", "echo 'incompatible file format (rerun with -v)' >&2", "perf cannot read this file (incompatible file format", ""},
		{"warns", "printf '" + sample + "'; printf 'Warning:\\nProcessed 3 events and lost 2 chunks!\\n\\n' >&2", "", "perf script: Processed 3 events and lost 2 chunks!"},
		{"prints something else, without end", "while :; do echo 'what is this'; done", "what perf script prints of it cannot be read: line 101", ""},
	} {
		perf, data := fake(t, c.script, "")
		set, err := Read(context.Background(), data, Options{Perf: perf})
		if (err == nil) != (c.wantErr == "") || err != nil && (!strings.Contains(err.Error(), c.wantErr) || !strings.HasPrefix(err.Error(), data)) {
			t.Errorf("%s: error %v, want %q", c.name, err, c.wantErr)
			continue
		}
		if err == nil {
			if all := strings.Join(set.Warnings, "\n"); !strings.Contains(all, c.wantWarning) || (all == "") != (c.wantWarning == "") {
				t.Errorf("%s: warnings %q, want %q", c.name, all, c.wantWarning)
			}
		}
	}
}

func TestNoSamplesIsTold(t *testing.T) {
	perf, data := fake(t, "printf '# cmdline : perf record -g\\n'", "")
	if _, err := Read(context.Background(), data, Options{Perf: perf}); !errors.Is(err, perfscript.ErrNoSamples) {
		t.Errorf("%v", err)
	}
}

// TestFieldLacking: a file without times or periods is read without them.
func TestFieldLacking(t *testing.T) {
	perf, data := fake(t, `case "$*" in *time*) echo "Samples for 'cycles' event do not have TIME attribute set. Cannot print 'time' field." >&2; exit 255;;
*period*) echo "Samples for 'cycles' event do not have PERIOD attribute set. Cannot print 'period' field." >&2; exit 255;;
*) printf 'w 1/1 cycles: \n\t 1f f (/w)\n\n';; esac`, "")
	set, err := Read(context.Background(), data, Options{Perf: perf})
	if err != nil {
		t.Fatal(err)
	}
	if w, n := set.Profiles[0].Total(); w != 1 || n != 1 || set.Profiles[0].Problems.Periods != 1 {
		t.Errorf("%d, %d, %+v", w, n, set.Profiles[0].Problems)
	}
	if argv := argvOf(t, perf); strings.Count(argv, "script ") != 3 || !strings.Contains(argv, "comm,pid,tid,event,ip,sym,dso") {
		t.Errorf("argv %s", argv)
	}
	perf, data = fake(t, `echo "Samples for 'cycles' event do not have ODD attribute set. Cannot print 'odd' field." >&2; exit 255`, "")
	if _, err := Read(context.Background(), data, Options{Perf: perf}); err == nil || !strings.Contains(err.Error(), "ODD") {
		t.Errorf("a field that we did not ask for: %v", err)
	}
}

// TestStats: what perf report counts goes to its event; the records of a full
// buffer, which count the same losses again, are not added.
func TestStats(t *testing.T) {
	const stats = `\nAggregated stats:\n TOTAL events: 9\n LOST events: 2\n THROTTLE events: 5  ( 1.0%%)\n LOST_SAMPLES events: 2\ncycles stats:\n SAMPLE events: 1\n LOST_SAMPLES events: 30\nodd stats:\n SAMPLE events: 3\n LOST_SAMPLES events: 4\n`
	two := sample + strings.Replace(sample, "100 cycles", "7 odd", 1)
	perf, data := fake(t, "printf 'w 1/1 1.1: PERF_RECORD_LOST lost 12\\n"+two+"'", stats)
	set, err := Read(context.Background(), data, Options{Perf: perf})
	if err != nil {
		t.Fatal(err)
	}
	if a, b := set.Profiles[0].Problems, set.Profiles[1].Problems; a.Lost != 30 || b.Lost != 4 || a.Throttled != 5 {
		t.Errorf("%+v %+v", a, b)
	}
	if all := strings.Join(set.Warnings, "\n"); !strings.Contains(all, "odd: perf script printed 1 samples, perf report counts 3") {
		t.Errorf("%q", all)
	}
}

func TestArguments(t *testing.T) {
	perf, data := fake(t, "printf '"+sample+"'", "# os release : 1.2.3-other\\n")
	set, err := Read(context.Background(), data, Options{Perf: perf, SymFS: "/some/root"})
	if err != nil {
		t.Fatal(err)
	}
	argv := argvOf(t, perf)
	if strings.Count(argv, "--symfs /some/root") != 2 || !strings.Contains(argv, "--no-inline") || strings.Contains(argv, "--kallsyms") {
		t.Errorf("argv %s", argv)
	}
	if len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], `recorded on Linux "1.2.3-other"`) {
		t.Errorf("%q", set.Warnings)
	}
	perf, data = fake(t, "printf '"+sample+"'", "")
	if _, err := Read(context.Background(), data, Options{Perf: perf, Inline: true}); err != nil {
		t.Fatal(err)
	}
	if argv := argvOf(t, perf); strings.Contains(argv, "--no-inline") || strings.Contains(argv, "--symfs") {
		t.Errorf("argv %s", argv)
	}
}

// TestLargePieces: perf prints in pieces that are worth a reader's waking; where
// nothing can make it do so, the profile is the same.
func TestLargePieces(t *testing.T) {
	needs(t, "stdbuf")
	perf, data := fake(t, "echo \"pieces of $_STDBUF_O\" >&2; printf '"+sample+"'", "")
	set, err := Read(context.Background(), data, Options{Perf: perf})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"perf script: pieces of 65536"}; !slices.Equal(set.Warnings, want) {
		t.Errorf("%q, want %q", set.Warnings, want)
	}
	t.Setenv("PATH", t.TempDir())
	without, err := Read(context.Background(), data, Options{Perf: perf})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"perf script: pieces of"}; !slices.Equal(without.Warnings, want) || !cmp.Equal(without.Profiles, set.Profiles) {
		t.Errorf("without stdbuf: %q, %s", without.Warnings, cmp.Diff(set.Profiles, without.Profiles))
	}
}

// TestHangs: a perf that does not go on is ended with the context, and what it
// started does not keep us waiting.
func TestHangs(t *testing.T) {
	child := filepath.Join(t.TempDir(), "child")
	perf, data := fake(t, "printf '"+sample+"'; sleep 60 & echo $! > "+child+"; sleep 60", "")
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	began := time.Now()
	_, err := Read(ctx, data, Options{Perf: perf})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > 30*time.Second {
		t.Errorf("%v after %v", err, time.Since(began))
	}
	pid, err := os.ReadFile(child)
	if err != nil {
		t.Skipf("the fake had no time to start anything: %v", err)
	}
	for range 500 {
		stat, err := os.ReadFile("/proc/" + strings.TrimSpace(string(pid)) + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("what perf started (pid %s) goes on", pid)
}

func TestNotReadable(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return p
	}
	for _, c := range []struct{ path, want string }{
		{filepath.Join(dir, "absent"), "no such file"},
		{write("empty", ""), "the file is empty"},
		{write("short", "PERF"), "of 4 bytes, this is no perf.data file"},
		{write("text", "Dear reader"), `it begins with "Dear rea", not PERFILE2`},
		{write("old", "PERFFILE and so on"), "before Linux 3.0"},
		{write("zst", "\x28\xb5\x2f\xfd and so on"), "zstd"},
		{"/dev/null", "no regular file"},
	} {
		_, err := Read(context.Background(), c.path, Options{Perf: "true"})
		if err == nil || !strings.Contains(err.Error(), c.want) || !strings.HasPrefix(err.Error(), c.path) {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	_, err := Read(context.Background(), write("good", "PERFILE2 and so on"), Options{Perf: filepath.Join(dir, "no-perf")})
	if err == nil || !strings.Contains(err.Error(), "reading it needs perf") {
		t.Errorf("without perf: %v", err)
	}
}
