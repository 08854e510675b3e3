package threads

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

const pid = 100

// fake is a process of our own making, in a PID namespace where thread 10n is
// thread n, and the server that it is.
type fake struct {
	t     *testing.T
	root  string
	mysql bool
	conns [][]string // rows of the question
	fail  error
	pool  string
	sent  int64
	// connected is what the status says.
	connected int
	ticks     int
}

func newFake(t *testing.T) *fake {
	f := &fake{t: t, root: t.TempDir(), pool: "one-thread-per-connection", connected: 2, ticks: 777}
	f.stat()
	f.thread(100, "mariadbd", 1, 0, 5000, 0)
	f.thread(101, "mariadbd", 10, 1, 70_000, 1000)
	f.thread(102, "page_cleaner", 3, 0, 9000, 0)
	f.conns = [][]string{
		{"7", "11", "app", "shop", "Query", "select k from t where id = 73313", "0", ""},
		{"9", "12", "root", "", "Query", "SELECT ID AS opcost_own_threads", "1", ""},
	}
	f.thread(102+10, "unused", 0, 0, 1, 0)
	return f
}

func (f *fake) put(name, text string) {
	f.t.Helper()
	name = filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) stat() {
	f.put("100/stat", fmt.Sprintf("100 (mariadbd) S 1 100 100 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 3 0 %d 186589184 16704 "+
		"18446744073709551615 1 1 0 0 0 0 0 0 8404998 0 0 0 17 1 0 0 22 0 0\n", f.ticks))
}

// thread has the number tid-90 in the server's own namespace.
func (f *fake) thread(tid int, name string, vol, invol, cpu, wait uint64) {
	f.put(fmt.Sprintf("100/task/%d/status", tid), fmt.Sprintf("Name:\t%s\nNSpid:\t%d\t%d\nvoluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t%d\n", name, tid, tid-90, vol, invol))
	f.put(fmt.Sprintf("100/task/%d/schedstat", tid), fmt.Sprintf("%d %d %d\n", cpu, wait, vol+invol))
}

func (f *fake) end(tid int) {
	if err := os.RemoveAll(filepath.Join(f.root, "100/task", strconv.Itoa(tid))); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) Statements() int64 { return f.sent }

func (f *fake) Query(_ context.Context, q string) ([][]string, error) {
	f.sent++
	switch {
	case f.fail != nil:
		return nil, f.fail
	case strings.Contains(q, "thread_handling"):
		return [][]string{{f.pool}}, nil
	case q == askMariaDB && f.mysql:
		return nil, errors.New("Error 1054 (42S22): Unknown column 'TID' in 'field list'")
	case q == askMariaDB && !f.mysql, q == askMySQL && f.mysql:
		return f.conns, nil
	case q == askNames && !f.mysql:
		return [][]string{{"10", "thread/sql/main"}}, nil
	case strings.Contains(q, "Threads_connected") && !f.mysql:
		return [][]string{{"Threads_connected", strconv.Itoa(f.connected)}}, nil
	}
	return nil, errors.New("not a statement of the collector: " + q)
}

func (f *fake) target(sql collectors.Querier) collectors.Target {
	return collectors.Target{PID: pid, StartTicks: 777, SQL: sql}
}

func (f *fake) collector(o Options) collector {
	c := New(o).(collector)
	c.proc = f.root
	return c
}

func (f *fake) window(o Options, sql collectors.Querier, change func()) (map[string]result.Reading, []result.Thread) {
	f.t.Helper()
	return measure(f.t, f.collector(o), f.target(sql), probe.Caps{}, change)
}

func measure(t *testing.T, c collectors.Collector, target collectors.Target, caps probe.Caps, load func()) (map[string]result.Reading, []result.Thread) {
	t.Helper()
	a, err := c.Arm(t.Context(), target, caps)
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	load()
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]result.Reading{}
	for _, r := range rs {
		if _, twice := out[r.Name]; twice || (r.Value != nil) != r.State.Usable() || r.State != result.OK && r.Reason == "" || !r.Gauge {
			t.Errorf("given twice, no gauge, or state, value and reason do not fit: %+v", r)
		}
		out[r.Name] = r
	}
	rows := a.(collectors.WithThreads).Threads()
	for _, r := range rows {
		if r.State == "" || r.State != result.OK && r.Reason == "" || (r.Instructions == nil) != (r.Cycles == nil) {
			t.Errorf("state and reason do not fit: %+v", r)
		}
	}
	return out, rows
}

// is checks a reading's state, value where it has one, and words of its reason or remedy.
func is(t *testing.T, rs map[string]result.Reading, name string, st result.State, value float64, words ...string) {
	t.Helper()
	r, there := rs[name]
	if !there || r.State != st || r.Value != nil && *r.Value != value {
		t.Errorf("%s: %+v, want %s %g", name, r, st, value)
	}
	for _, w := range words {
		if !strings.Contains(r.Reason+" "+r.Remedy, w) {
			t.Errorf("%s: reason %q, remedy %q; want a word on %q", name, r.Reason, r.Remedy, w)
		}
	}
}

func row(t *testing.T, rows []result.Thread, tid int) result.Thread {
	t.Helper()
	for _, r := range rows {
		if r.TID == tid {
			return r
		}
	}
	t.Errorf("no row of thread %d", tid)
	return result.Thread{}
}
