package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/result"
)

// What time.Now is made to say: its wall clock is set an hour ahead and back
// again, each for 700 ms. The monotonic part is left.
const (
	nowIs    = "sec, nsec, mono := runtimeNow()\n\tif mono == 0 {"
	nowJumps = "sec, nsec, mono := runtimeNow()\n\tsec += 3600 * (mono / 700_000_000 % 2)\n\tif mono == 0 {"
)

// jumping builds the program with a wall clock that jumps, by the compiler's
// -overlay of one file of the standard library.
func jumping(t *testing.T) string {
	t.Helper()
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(strings.TrimSpace(string(root)), "src", "time", "time.go")
	text, err := os.ReadFile(file)
	if err != nil {
		t.Skipf("the standard library's source is not here: %v", err)
	}
	if strings.Count(string(text), nowIs) != 1 {
		t.Skip("time.Now of this Go is written otherwise: adapt nowIs")
	}
	dir := t.TempDir()
	changed, overlay, program := filepath.Join(dir, "time.go"), filepath.Join(dir, "overlay.json"), filepath.Join(dir, "opcost")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {file: changed}})
	if err != nil {
		t.Fatal(err)
	}
	for name, b := range map[string][]byte{changed: []byte(strings.Replace(string(text), nowIs, nowJumps, 1)), overlay: replace} {
		if err := os.WriteFile(name, b, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := exec.Command("go", "build", "-overlay", overlay, "-o", program, ".").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return program
}

// TestFaultClockSteps measures with a wall clock that is set back and forth by an
// hour all the while: no duration, rate or timeout follows it.
func TestFaultClockSteps(t *testing.T) {
	long(t)
	lacking(t, "mariadbd", "perf")
	program := jumping(t)
	dir := testDir(t, oneVersion+"duration: 3s\nrepeats: 3\ncounters: auto\n")
	f := &faulty{t: t, dir: dir}
	noValgrind(f)
	began := time.Now()
	c := startArgv(t, dir, f.env, nil, program, "run", "plan.yaml", "--out", "out")
	f.ends(c, exitDone)
	took := time.Since(began)

	for id, text := range kept(t, dir, "out") {
		var r result.Run
		if err := json.Unmarshal([]byte(text), &r); err != nil {
			t.Fatal(err)
		}
		for _, w := range r.Passes[0].Windows {
			d := time.Duration(w.DurationNS)
			if d < 3*time.Second || d > took {
				t.Errorf("%s: the window lasted %v, and the whole command %v", id, d, took)
			}
			for _, edge := range w.EdgeNS {
				if edge < 0 || time.Duration(edge) > took {
					t.Errorf("%s: an edge took %v", id, time.Duration(edge))
				}
			}
			if l := w.Latency; l == nil || l.MeanUS <= 0 || l.MaxUS > float64(d.Microseconds()) {
				t.Errorf("%s: response times %+v", id, l)
			}
			for _, q := range w.Quality {
				if q.Name == "stopped" || q.Name == "stalled" && !q.OK {
					t.Errorf("%s: the clock was taken for a standstill: %+v", id, q)
				}
			}
			off := w.Start.Sub(began) // a stamp is true, or an hour ahead
			if off > 30*time.Minute {
				off -= time.Hour
			}
			if off < 0 || off > took {
				t.Errorf("%s: the window began %v after the command", id, off)
			}
		}
		if !complete(t, text) {
			t.Errorf("%s is not complete: %s", id, text)
		}
	}
	f.whole(f.row(1), "qps", "cpu_us_per_query", "context_switches_per_query")

	s := attachable(t)
	s.load(t, 1, time.Minute)
	began = time.Now()
	live := parseLive(t, startArgv(t, t.TempDir(), nil, nil, append([]string{program}, s.attach("--duration", "3s", "--format", "json")...)...).wait())
	if live.Seconds < 3 || live.Seconds > time.Since(began).Seconds() {
		t.Errorf("attach measured for %g s", live.Seconds)
	}
	for _, m := range []string{"qps", "cpu_us_per_query"} {
		if v := live.metric(t, m); v <= 0 {
			t.Errorf("%s is %g", m, v)
		}
	}

	// The proof that the clock did jump: each window of a watch begins with the
	// time of day.
	w := startArgv(t, t.TempDir(), nil, nil, append([]string{program}, s.attach("--interval", "300ms")...)...)
	pages := func() []string {
		return regexp.MustCompile(`(?m)^(\d\d):\d\d:\d\d  `).FindAllString(w.stdout.text(), -1)
	}
	eventually(t, "twelve windows", func() bool { return len(pages()) >= 12 })
	w.signal(syscall.SIGINT)
	if o := w.wait(); o.code != exitDone {
		t.Errorf("the watch: exit %d, %s", o.code, o.stderr)
	}
	hours := map[string]bool{}
	for _, p := range pages() {
		hours[p[:2]] = true
	}
	if len(hours) < 2 {
		t.Errorf("the clock did not jump: %q", pages())
	}
}
