package digest

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"opcost/collectors"
	"opcost/collectors/internal/testserver"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

func find(rows []result.Digest, part string) result.Digest {
	for _, r := range rows {
		if strings.Contains(r.Text, part) {
			return r
		}
	}
	return result.Digest{}
}

// settled measures a window whose statements have ended: the server counts a statement some
// microseconds after its client has the result.
func settled(t *testing.T, sql collectors.Querier, o Options, load func()) (map[string]result.Reading, []result.Digest) {
	t.Helper()
	return measure(t, sql, o, func() { load(); time.Sleep(50 * time.Millisecond) })
}

// load is 137 statements of one digest, 41 of another, 20 executions of a
// prepared one.
func load(t *testing.T, conn *testserver.Conn) {
	t.Helper()
	for i := range 137 {
		conn.Exec(t, fmt.Sprintf("select k from t where id = %d and 'my secret' = 'my secret'", i+1))
	}
	for i := range 41 {
		conn.Exec(t, fmt.Sprintf("update t set k = k + %d where id in (1, 2, 3)", i+1))
	}
	st, err := conn.DB.Prepare("select id from t where k = ?")
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	for i := range 20 {
		rows, err := st.Query(-i)
		if err != nil {
			t.Fatal(err)
		}
		rows.Close()
	}
}

var tables = []string{"create database d", "use d", "create table t (id int primary key, k int) engine=innodb"}

// prepare makes a table with 200 rows.
func prepare(t *testing.T, s *testserver.Server) *testserver.Conn {
	conn := s.Control(t)
	conn.Exec(t, tables...)
	var rows []string
	for i := range 200 {
		rows = append(rows, fmt.Sprintf("(%d, %d)", i+1, i+1))
	}
	conn.Exec(t, "insert into t values "+strings.Join(rows, ","))
	return conn
}

func check(t *testing.T, rs map[string]result.Reading, rows []result.Digest) {
	t.Helper()
	read, write := find(rows, "SELECT `k`"), find(rows, "UPDATE")
	if read.Count != 137 || read.RowsSent != 137 || read.RowsExamined != 137 || read.Schema != "d" || read.State != result.OK {
		t.Errorf("%+v, want 137 executions of one row each", read)
	}
	// Of three rows that an IN names, each update reads and changes each once.
	if write.Count != 41 || write.RowsAffected != 3*41 || write.RowsExamined < 3*41 || write.State != result.OK {
		t.Errorf("%+v, want 41 executions of three rows each", write)
	}
	is(t, rs, "server_statements", result.OK, 137+41+20)
	var latency float64
	for _, r := range rows {
		latency += r.LatencyUS
		if strings.Contains(r.Text, "secret") || strings.Contains(r.Text, ownMark) || strings.Contains(r.Text, statusText) {
			t.Errorf("%+v: a literal, or a statement of our own", r)
		}
	}
	whole := *rs["server_latency_us"].Value
	if u := rs["server_latency_us"].Uncertainty; latency > whole+u+1 || read.LatencyUS <= 0 || u > 0.1*whole {
		t.Errorf("the digests have %.1f us, the server's sum is %.1f us (±%g)", latency, whole, u)
	}
}

// TestLiveMariaDB counts a known load to the last statement, our own taken out.
func TestLiveMariaDB(t *testing.T) {
	s := testserver.Start(t, "--performance-schema=ON")
	target := s.Target(t)
	conn := prepare(t, s)
	control := func() { // as other collectors do
		if _, err := target.SQL.Query(t.Context(), "SHOW GLOBAL STATUS"); err != nil {
			t.Fatal(err)
		}
		if _, err := target.SQL.Query(t.Context(), "SHOW GLOBAL STATUS WHERE Variable_name IN ('Questions', 'Queries')"); err != nil {
			t.Fatal(err)
		}
		if _, err := target.SQL.Query(t.Context(), "SELECT 1 AS "+collectors.OwnMark+"_test"); err != nil {
			t.Fatal(err)
		}
	}

	t.Run("idle", func(t *testing.T) {
		rs, rows := settled(t, target.SQL, Options{}, control)
		if len(rows) != 0 {
			t.Errorf("%+v, want none: all was our own", rows)
		}
		is(t, rs, "server_statements", result.OK, 0)
		is(t, rs, "digest_statements", result.OK, 0)
		// The reading of the sums ran twice and is taken out once, at the mean.
		r := rs["server_latency_us"]
		if *r.Value > r.Uncertainty+1 {
			t.Errorf("%s: of our own statements more than the uncertainty is left", show(r))
		}
		t.Logf("%s", show(r))
	})

	t.Run("load", func(t *testing.T) {
		rs, rows := settled(t, target.SQL, Options{}, func() { control(); load(t, conn); control() })
		check(t, rs, rows)
		is(t, rs, "digest_statements", result.Partial, 137+41, "20 of 198", "prepared")
		is(t, rs, "digest_cpu_us", result.Unsupported, 0, "8.0.28")
		t.Logf("%s; %+v", show(rs["server_latency_us"]), rows)
	})

	t.Run("latency", func(t *testing.T) {
		// A second judge: the statement sleeps for a known time.
		rs, rows := settled(t, target.SQL, Options{}, func() { conn.Exec(t, "select sleep(0.2)") })
		if r := find(rows, "sleep"); r.Count != 1 || r.LatencyUS < 200_000 || *rs["server_latency_us"].Value+rs["server_latency_us"].Uncertainty < 200_000 {
			t.Errorf("%+v, want 0.2 s and more", r)
		}
	})

	t.Run("call", func(t *testing.T) {
		conn.Exec(t, "create procedure d.p() begin declare i int default 0; while i < 10 do select k into @x from d.t where id = 7; set i = i + 1; end while; end")
		rs, rows := settled(t, target.SQL, Options{}, func() { conn.Exec(t, "call d.p()") })
		is(t, rs, "server_statements", result.OK, 1)
		if len(rows) != 1 || rows[0].Count != 1 {
			t.Errorf("%+v, want the CALL alone", rows)
		}
	})

	t.Run("truncated", func(t *testing.T) {
		rs, rows := settled(t, target.SQL, Options{}, func() {
			conn.Exec(t, "select 1", "truncate table performance_schema.events_statements_summary_by_digest", "select k from t where id = 1")
		})
		is(t, rs, "digest_statements", result.Failed, 0, "TRUNCATE")
		if r := find(rows, "SELECT `k`"); r.State != result.Failed {
			t.Errorf("%+v, want it void", rows)
		}
	})
}

func TestLiveOff(t *testing.T) {
	s := testserver.Start(t)
	_, err := New(Options{}).Arm(t.Context(), s.Target(t), probe.Caps{})
	if u, ok := err.(*collectors.Unsupported); !ok || !strings.Contains(u.Reason, "is off") {
		t.Errorf("%v, want that performance_schema is off", err)
	}
}

func TestLiveNoAccess(t *testing.T) {
	s := testserver.Start(t, "--performance-schema=ON")
	s.Control(t).Exec(t, "create user nobody@localhost")
	_, err := New(Options{}).Arm(t.Context(), collectors.Target{SQL: s.ControlAs(t, "nobody")}, probe.Caps{})
	if u, ok := err.(*collectors.Unsupported); !ok || !strings.Contains(u.Reason, "denied") || !strings.Contains(u.Remedy, "GRANT SELECT") {
		t.Errorf("%v, want what to grant", err)
	}
}

// TestLiveFull fills the server's table of digests and measures the edge.
func TestLiveFull(t *testing.T) {
	s := testserver.Start(t, "--performance-schema=ON", "--performance-schema-digests-size=2000")
	target := s.Target(t)
	conn := prepare(t, s)
	fill := func(from, to int) {
		for i := from; i < to; i++ {
			conn.Exec(t, fmt.Sprintf("select k as a%d from t where id = 1", i))
		}
	}
	fill(0, 2100)
	begin := time.Now()
	e, err := readDigests(t.Context(), target.SQL, false)
	took := time.Since(begin)
	if err != nil || len(e) < 1990 {
		t.Fatalf("%d digests, %v", len(e), err)
	}
	rs, rows := settled(t, target.SQL, Options{Keep: 10}, func() { fill(0, 50); fill(5000, 5020) })
	t.Logf("%d digests are read in %v; %s", len(e), took, show(rs["digest_statements"]))
	is(t, rs, "server_statements", result.OK, 70)
	full := find(rows, "full")
	var sum int64
	for _, r := range rows {
		sum += r.Count
	}
	// Our own statements found the table full too, and are taken out.
	if full.State != result.Partial || full.Count != 20 || sum != 70 {
		t.Errorf("%+v; %d in all, want the 20 that found no room and 70 in all", full, sum)
	}
}

// TestLiveMySQL is for the columns and consumers that MariaDB lacks.
func TestLiveMySQL(t *testing.T) {
	s := testserver.StartMySQL(t)
	target := s.Target(t)
	conn := prepare(t, s)
	rs, rows := settled(t, target.SQL, Options{}, func() { load(t, conn) })
	check(t, rs, rows)
	if r := find(rows, "EXECUTE SELECT"); r.Count != 20 {
		t.Errorf("%+v, want 20 executions", r)
	}
	is(t, rs, "digest_cpu_us", result.Unsupported, 0, "events_statements_cpu")
	conn.Exec(t, "update performance_schema.setup_consumers set enabled = 'YES' where name = 'events_statements_cpu'")
	rs, rows = settled(t, target.SQL, Options{}, func() { conn.Exec(t, "select benchmark(5000000, 1+1)") })
	r := find(rows, "benchmark")
	// It does nothing but compute: CPU and latency agree but for waiting.
	if r.CPUUS == nil || *r.CPUUS < 0.3*r.LatencyUS || *r.CPUUS > 1.05*r.LatencyUS || *rs["digest_cpu_us"].Value < *r.CPUUS {
		t.Errorf("%+v, want CPU close to latency; all: %+v", r, rows)
	}
}

// TestBenchEdge is what an edge costs of a server with 10,000 digests.
func TestBenchEdge(t *testing.T) {
	if os.Getenv("OPCOST_BENCH") == "" {
		t.Skip("it makes 10,000 digests: `make bench`, or OPCOST_BENCH=1, runs it")
	}
	s := testserver.Start(t, "--performance-schema=ON", "--performance-schema-digests-size=20000")
	conn := prepare(t, s)
	for i := range 10000 {
		conn.Exec(t, fmt.Sprintf("select k as a%d, %s from t where id = 1", i, strings.Repeat("k, ", 40)+"k"))
	}
	a, err := New(Options{}).Arm(t.Context(), s.Target(t), probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	for _, edge := range []func(context.Context) error{a.Begin, a.End} {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		begin := time.Now()
		if err := edge(t.Context()); err != nil {
			t.Fatal(err)
		}
		took := time.Since(begin)
		runtime.GC()
		runtime.ReadMemStats(&after)
		t.Logf("an edge took %v, allocated %d kB, kept %d kB", took,
			(after.TotalAlloc-before.TotalAlloc)/1024, (int64(after.HeapAlloc)-int64(before.HeapAlloc))/1024)
		for i := range 3 {
			conn.Exec(t, fmt.Sprintf("select k as a%d, %s from t where id = 1", i, strings.Repeat("k, ", 40)+"k"))
		}
	}
	t.Logf("%d digests", len(a.(*armed).end.digests))
}
