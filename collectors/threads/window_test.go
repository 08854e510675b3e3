package threads

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

func TestWindow(t *testing.T) {
	f := newFake(t)
	f.end(112)
	rs, rows := f.window(Options{}, f, func() {
		f.thread(101, "mariadbd", 40, 3, 270_000, 5000)
		f.thread(103, "mariadbd", 2, 1, 30_000, 0) // began in the window
		f.conns = append(f.conns, []string{"12", "13", "new", "shop", "Sleep", "", "0", ""})
		f.conns[0][5] = "select 'my secret'"
	})
	want := []result.Thread{
		{TID: 101, Name: "mariadbd", Connection: 7, User: "app", DB: "shop", Command: "Query", Statement: "select ?",
			CPUUS: 200, RunQueueUS: 4, Voluntary: 30, Involuntary: 2, State: result.OK},
		{TID: 103, Name: "mariadbd", Connection: 12, User: "new", DB: "shop", Command: "Sleep", CPUUS: 30, Voluntary: 2, Involuntary: 1, State: result.OK},
		{TID: 100, Name: "thread/sql/main", State: result.OK},
		{TID: 102, Name: "page_cleaner", Connection: 9, User: "root", Command: "Query", Own: true, State: result.OK},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("threads (-want +got):\n%s", d)
	}
	is(t, rs, "threads_joined", result.OK, 3)
	if len(rs) != 1 {
		t.Errorf("%v: nobody asked perf", rs)
	}
}

func TestThreadsComeAndGo(t *testing.T) {
	f := newFake(t)
	f.conns = append(f.conns, []string{"20", "22", "gone", "", "Sleep", "", "0", ""})
	_, rows := f.window(Options{Keep: 2}, f, func() {
		f.end(112)
		f.thread(100, "mariadbd", 2, 0, 905_000, 0)
		f.thread(101, "mariadbd", 30, 3, 870_000, 1000)
		f.thread(102, "reused", 1, 0, 60, 0) // the counts went back: another thread
		f.conns = [][]string{{"8", "11", "other", "", "Query", "", "0", ""}}
	})
	if r := rows[0]; r.TID != 100 || r.CPUUS != 900 || r.State != result.OK {
		t.Errorf("%+v", r)
	}
	// Its thread served two connections.
	if r := rows[1]; r.TID != 101 || r.State != result.Partial || r.Connection != 8 || r.Statement != "" || !strings.Contains(r.Reason, "7 and 8") {
		t.Errorf("%+v, want a partial row that names connections 7 and 8", r)
	}
	// The new 102, the old one, and 112.
	if r := rows[2]; len(rows) != 3 || r.Others != 3 || r.State != result.Partial || !strings.Contains(r.Reason, "2 of them ended") ||
		r.CPUUS != 0.06 || r.Voluntary != 1 {
		t.Errorf("%+v, want the sum of the rest, partial", r)
	}
	f = newFake(t)
	_, rows = f.window(Options{}, f, func() { f.end(101) })
	if r := row(t, rows, 101); r.State != result.Failed || r.Connection != 7 || r.User != "app" {
		t.Errorf("%+v, want a row without numbers and with its connection", r)
	}
	f = newFake(t)
	_, rows = f.window(Options{}, f, func() { f.conns = f.conns[1:] })
	if r := row(t, rows, 101); r.State != result.OK || r.Connection != 7 || !strings.Contains(r.Reason, "ended") {
		t.Errorf("%+v, want the connection that it had", r)
	}
}

func TestNamespaceNumbers(t *testing.T) {
	// A kernel that does not say them: the target's table does.
	f := newFake(t)
	for _, tid := range []string{"101", "102"} {
		f.put("100/task/"+tid+"/status", "Name:\tx\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t0\n")
	}
	target := f.target(f)
	target.NSTIDs = map[int]int{11: 101, 12: 102}
	_, rows := measure(t, f.collector(Options{}), target, probe.Caps{}, func() {})
	if row(t, rows, 101).Connection != 7 || row(t, rows, 102).Connection != 9 {
		t.Errorf("%+v", rows)
	}
}

func TestJoin(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*fake)
		state  result.State
		words  []string
	}{
		{"denied", func(f *fake) { f.fail = errors.New("Error 1142 (42000): SELECT command denied to user 'u'") }, result.Unsupported, []string{"denied", "GRANT SELECT"}},
		{"old", func(f *fake) { f.fail = errors.New("Error 1054 (42S22): Unknown column 'THREAD_OS_ID'") }, result.Unsupported, []string{"MySQL 5.7"}},
		{"performance_schema off", func(f *fake) { f.mysql, f.conns = true, nil }, result.Unsupported, []string{"performance_schema=ON"}},
		{"pool", func(f *fake) { f.pool = "pool-of-threads" }, result.Unsupported, []string{"pool-of-threads"}},
		{"no PROCESS", func(f *fake) { f.conns, f.connected = f.conns[:1], 30 }, result.Partial, []string{"1 of 30", "GRANT PROCESS"}},
		{"another server", func(f *fake) { f.conns = [][]string{{"1", "4711", "u", "", "Query", "", "1", ""}} }, result.Partial, []string{"none", "login"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			c.change(f)
			n := 0.0
			if c.name == "no PROCESS" {
				n = 1
			}
			rs, rows := f.window(Options{}, f, func() { f.thread(101, "mariadbd", 40, 3, 270_000, 5000) })
			is(t, rs, "threads_joined", c.state, n, c.words...)
			if rows[0].TID != 101 || rows[0].CPUUS != 200 {
				t.Errorf("%+v: the counts do not need the join", rows[0])
			}
		})
	}
	f := newFake(t)
	rs, _ := f.window(Options{}, nil, func() {})
	is(t, rs, "threads_joined", result.Unsupported, 0, "login", "--dsn")

	// The connection is lost in the window: what the begin said is kept.
	rs, rows := f.window(Options{}, f, func() { f.fail = errors.New("server has gone away") })
	is(t, rs, "threads_joined", result.Partial, 2, "gone away")
	if r := row(t, rows, 101); r.Connection != 7 || r.Statement != "select k from t where id = ?" || r.Reason != "" {
		t.Errorf("%+v", r)
	}

	f = newFake(t)
	f.mysql = true
	f.conns[0][7] = "thread/sql/one_connection"
	f.conns = append(f.conns, []string{"", "10", "", "", "", "", "", "thread/sql/main"})
	_, rows = f.window(Options{Literals: true}, f, func() {})
	if r := row(t, rows, 101); r.Connection != 7 || r.Name != "thread/sql/one_connection" || !strings.Contains(r.Statement, "73313") {
		t.Errorf("%+v, want MySQL's names, and the literal that was asked for", r)
	}
	if r := row(t, rows, 100); r.Connection != 0 || r.Name != "thread/sql/main" {
		t.Errorf("%+v, want a background thread", r)
	}
}

func TestProcess(t *testing.T) {
	arm := func(f *fake) error {
		_, err := f.collector(Options{}).Arm(t.Context(), f.target(f), probe.Caps{})
		return err
	}
	f := newFake(t)
	f.ticks = 778
	f.stat()
	if err := arm(f); err == nil || !strings.Contains(err.Error(), "no longer the server") {
		t.Errorf("another process: %v", err)
	}
	f = newFake(t)
	for _, tid := range []string{"100", "101", "102", "112"} {
		f.put("100/task/"+tid+"/schedstat", "0 0 0\n")
	}
	var u *collectors.Unsupported
	if err := arm(f); !errors.As(err, &u) || u.Remedy == "" {
		t.Errorf("a kernel without schedstat: %v", err)
	}
	f = newFake(t)
	f.root = t.TempDir()
	if err := arm(f); err == nil {
		t.Error("no process, and no error")
	}

	f = newFake(t)
	a, err := f.collector(Options{}).Arm(t.Context(), f.target(f), probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	f.ticks = 778
	f.stat()
	if err := a.End(t.Context()); err == nil {
		t.Error("End is content with another process")
	}
	if rs, err := a.Close(); err == nil || rs != nil {
		t.Errorf("Close gives %v, %v", rs, err)
	}
}
