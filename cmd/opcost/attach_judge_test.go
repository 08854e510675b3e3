package main

import (
	"bufio"
	"context"
	"database/sql"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
)

// cumulated are cumulative numbers over time.
type cumulated struct {
	mu sync.Mutex
	at []time.Time
	n  []float64
}

func (s *cumulated) add(at time.Time, n float64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at, s.n = append(s.at, at), append(s.n, n)
}

// until is the number at a moment, on the line between its neighbours.
func (s *cumulated) until(t *testing.T, at time.Time) float64 {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := 1; i < len(s.at); i++ {
		if !s.at[i].Before(at) && !s.at[i-1].After(at) {
			part := float64(at.Sub(s.at[i-1])) / float64(s.at[i].Sub(s.at[i-1]))
			return s.n[i-1] + part*(s.n[i]-s.n[i-1])
		}
	}
	t.Fatalf("%v is not between the first and the last of %d readings", at, len(s.at))
	return 0
}

// schedstats is the CPU time in microseconds of all threads, by hand.
func schedstats(t *testing.T, pid int) (us float64) {
	t.Helper()
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, f := range files {
		text, err := os.ReadFile(f)
		if err != nil {
			continue // it has ended
		}
		var ns, rest float64
		if _, err := fmt.Sscan(string(text), &ns, &rest); err != nil {
			t.Fatal(err)
		}
		us += ns / 1e3
	}
	return us
}

// judges: CPU/query against summed schedstat, and context switches/query
// against perf stat, each read all along by the test and taken at the moments
// at which opcost says that its window began and ended.
func judges(t *testing.T, s *attachServer) {
	s.load(t, 2, 30*time.Second)
	var cpu, queries, switches cumulated
	// perf prints a sum every 100 ms, stamped since its start, which is when the
	// line that came with the least delay says.
	p := exec.Command("perf", "stat", "-x", ",", "-I", "100", "--log-fd", "1", "-e", "context-switches", "-p", fmt.Sprint(s.PID()))
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	var done sync.WaitGroup
	done.Go(func() {
		sum, start := 0.0, time.Now()
		var since []time.Duration
		var sums []float64
		for in := bufio.NewScanner(out); in.Scan(); {
			var at, n float64
			if _, err := fmt.Sscanf(strings.TrimSpace(in.Text()), "%g,%g", &at, &n); err != nil {
				continue
			}
			stamp := time.Duration(at * 1e9)
			if began := time.Now().Add(-stamp); len(since) == 0 || began.Before(start) {
				start = began
			}
			sum += n
			since, sums = append(since, stamp), append(sums, sum)
		}
		for i := range since {
			switches.add(start.Add(since[i]), sums[i])
		}
	})
	stop := make(chan struct{})
	done.Go(func() {
		for {
			select {
			case <-stop:
				return
			case <-time.After(50 * time.Millisecond):
			}
			a := time.Now()
			us, n := schedstats(t, s.PID()), s.questions(t)
			middle := a.Add(time.Since(a) / 2)
			cpu.add(middle, us)
			queries.add(middle, n)
		}
	})
	time.Sleep(300 * time.Millisecond)
	r := parseLive(t, opcost(t, s.attach("--duration", "5s", "--format", "json")...))
	time.Sleep(300 * time.Millisecond)
	close(stop)
	_ = p.Process.Signal(os.Interrupt)
	done.Wait()
	_ = p.Wait() // by the signal

	begin, end := r.Started, r.Started.Add(time.Duration(r.Seconds*1e9))
	over := func(s *cumulated) float64 { return s.until(t, end) - s.until(t, begin) }
	n := over(&queries)
	for _, c := range []struct {
		metric string
		judge  float64
		within float64
	}{
		{"qps", n / r.Seconds, 0.01},
		{"cpu_us_per_query", over(&cpu) / n, 0.01},
		{"context_switches_per_query", over(&switches) / n, 0.02},
	} {
		got := r.metric(t, c.metric)
		off := got/c.judge - 1
		t.Logf("%s: opcost %.5g, by hand %.5g: %+.2f%%", c.metric, got, c.judge, 100*off)
		if math.Abs(off) > c.within {
			t.Errorf("%s: %.2f%% off the judge, over %.0f%%", c.metric, 100*off, 100*c.within)
		}
	}
	if u := r.Rows[0].Metrics["server_latency_us"]; u.Value == nil {
		t.Errorf("no latency by the server: %+v", u)
	}
	joined := 0
	for _, th := range r.Threads {
		if th.User == "root" && !th.Own {
			joined++
		}
	}
	if joined < 3 || len(r.Digests) == 0 { // sysbench's two, and the test's own
		t.Errorf("%d threads joined to connections, %d digests", joined, len(r.Digests))
	}
	for _, k := range r.Kinds {
		if k.Name == "com_show_status" && k.Count > n/10 {
			t.Errorf("%v SHOW STATUS", k.Count)
		}
	}
}

// manyConnections: 500 that are idle and 50 that are busy.
func manyConnections(t *testing.T, s *attachServer) {
	const limit = 0.01
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = "root", "unix", s.Socket()
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	db := sql.OpenDB(connector)
	defer db.Close()
	for range 500 {
		c, err := db.Conn(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
	}
	// And what comes in between says little: one window of five must be good.
	const tries = 5
	for try := range tries {
		stop := s.load(t, 50, time.Minute) // long enough for a machine that stands still
		wide := widths(t, s, limit)
		stop()
		if wide == "" {
			return
		} else if t.Log(wide); try == tries-1 {
			t.Error(wide)
		}
	}
}

// widths measures a window and says what its edges make uncertain by more than
// the limit, or is not whole; "" for nothing.
func widths(t *testing.T, s *attachServer, limit float64) (wide string) {
	file := inDir(t, "many")
	r := parseLive(t, opcost(t, s.attach("--duration", "10s", "--format", "json", "--baseline", file)...))
	w := saved(t, file)
	t.Logf("%.0f statements in %.1f s; reading the edges took %v and %v", r.Operations, r.Seconds, time.Duration(w.EdgeNS[0]), time.Duration(w.EdgeNS[1]))
	if w.EdgeNS[0] <= 0 || w.EdgeNS[1] <= 0 {
		t.Error("the width of an edge is not in the record")
	}
	seen := 0
	for _, x := range w.Readings {
		if x.Gauge || x.Value == nil || *x.Value == 0 {
			continue
		}
		switch x.Name {
		case "cpu_us", "context_switches", "context_switches_voluntary", "context_switches_involuntary", "questions", "run_queue_us":
			seen++
			share := x.Uncertainty / *x.Value
			t.Logf("%s: %.6g ±%.2f%% (%s)", x.Name, *x.Value, 100*share, x.State)
			if share > limit {
				wide += fmt.Sprintf("%s: uncertain by %.2f%%, over %.0f%%; ", x.Name, 100*share, 100*limit)
			}
			if x.State != "ok" { // as when the server ends a thread of its pool meanwhile
				wide += fmt.Sprintf("%s: %s, %s; ", x.Name, x.State, x.Reason)
			}
		}
	}
	if seen != 6 || len(r.Threads) < 200 {
		t.Errorf("%d of 6 readings, %d threads in the table", seen, len(r.Threads))
	}
	return wide
}
