package digest

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

func TestWindow(t *testing.T) {
	s := newServer()
	rs, rows := measure(t, s, Options{}, func() {
		s.add(key{"d", "aa"}, [columns]uint64{count: 30, timer: 3_000_000, sent: 30, examined: 60, cpuTime: 2_000_000})
		s.digests[key{"e", "cc"}] = counts{"2", [columns]uint64{count: 5, timer: 10_000_000, affected: 5, tmpTables: 2, tmpDiskTables: 1, sortRows: 9, errorCount: 1}}
		s.texts["cc"] = "DELETE FROM `t` " + strings.Repeat("é", 1000)
		// The reading of these sums at the window's begin took 1 us; it is in them.
		s.kind("statement/sql/select", 31, 4_000_000)
		s.kind("statement/sql/delete", 5, 10_000_000)
		s.kind("statement/com/Prepare", 1, 2_000_000) // a client waits for it; it is no statement
		s.kind("statement/com/Binlog Dump", 1, 1e15)  // a replica went away
		s.kind("statement/sp/stmt", 50, 1e9)          // in its CALL's time already
		s.digests[key{"", "0e"}] = counts{"2", [columns]uint64{count: 2, timer: 2_000_000}}
		s.texts["0e"] = "SELECT `EVENT_NAME` AS `opcost_own_kinds` , `COUNT_STAR` FROM ..."
		s.digests[key{"", "0f"}] = counts{"2", [columns]uint64{count: 1, timer: 9_000_000}}
		s.texts["0f"] = "SELECT SCHEMA_NAME AS `opcost_own_digests` , ..."
	})
	us := func(v float64) *float64 { return &v }
	want := []result.Digest{
		{Schema: "e", Digest: "cc", Text: clip(s.texts["cc"]), Count: 5, LatencyUS: 10, CPUUS: us(0), RowsAffected: 5, TmpTables: 2, TmpDiskTables: 1,
			SortRows: 9, Errors: 1, State: result.OK},
		{Schema: "d", Digest: "aa", Text: "SELECT `k` FROM `t` WHERE `id` = ?", Count: 30, LatencyUS: 3, CPUUS: us(2), RowsSent: 30, RowsExamined: 60, State: result.OK},
	}
	if d := cmp.Diff(want, rows); d != "" {
		t.Errorf("digests (-want +got):\n%s", d)
	}
	if n := len(rows[0].Text); n > textBytes || n < textBytes-4 {
		t.Errorf("a long text has %d bytes", n)
	}
	is(t, rs, "server_latency_us", result.OK, 4+10+2-1)
	is(t, rs, "server_statements", result.OK, 35)
	is(t, rs, "digest_statements", result.OK, 35)
	is(t, rs, "digest_cpu_us", result.OK, 2)
	is(t, rs, "digests", result.OK, 2)
	if !rs["digests"].Gauge {
		t.Error("digests is no gauge")
	}
}

func TestOwnStatusStatements(t *testing.T) {
	s := newServer()
	status := func(n uint64) {
		s.add(key{"", "5e"}, [columns]uint64{count: n, timer: n * 1_000_000, examined: n * 400})
		s.kind("statement/sql/show_status", n, n*1_000_000)
	}
	s.texts["5e"] = "SHOW GLOBAL STATUS "
	for _, c := range []struct {
		others uint64 // a monitor's
		rows   int
	}{{0, 0}, {3, 1}} {
		rs, rows := measure(t, s, Options{}, func() {
			s.sent = append(s.sent, "SHOW GLOBAL STATUS", "SHOW GLOBAL STATUS")
			status(2 + c.others)
			s.kind("statement/sql/select", 1, 500_000) // the sums' own reading
			s.add(key{"", "0e"}, [columns]uint64{count: 2, timer: 1_000_000})
			s.texts["0e"] = "SELECT `EVENT_NAME` AS `opcost_own_kinds`"
		})
		if len(rows) != c.rows {
			t.Fatalf("%+v, want %d", rows, c.rows)
		}
		if c.rows == 1 && (rows[0].Count != 3 || rows[0].RowsExamined != 1200 || !strings.Contains(rows[0].Reason, "2 of 5")) {
			t.Errorf("%+v, want the monitor's 3", rows[0])
		}
		is(t, rs, "server_statements", result.OK, float64(c.others))
		is(t, rs, "server_latency_us", result.OK, float64(c.others))
	}
	// One that is in no digest that we know is said.
	rs, _ := measure(t, s, Options{}, func() {
		s.sent = append(s.sent, "SELECT 1")
		s.kind("statement/sql/select", 2, 3_000_000)
		s.add(key{"", "0e"}, [columns]uint64{count: 2, timer: 2_000_000})
	})
	is(t, rs, "server_statements", result.OK, 0)
	if r := rs["server_latency_us"]; r.Uncertainty < 1 || *r.Value != 2 /* the sums own reading is out */ || r.Reason == "" {
		t.Errorf("%s, want 2 us of which one statement's are ours", show(r))
	}
}

func TestEmptied(t *testing.T) {
	for name, change := range map[string]func(*server){
		"counts went back": func(s *server) { s.digests[key{"d", "aa"}] = counts{"1", [columns]uint64{count: 3, timer: 9_000_000}} },
		"a row is gone": func(s *server) {
			delete(s.digests, key{"d", "aa"})
			s.add(key{"d", "bb"}, [columns]uint64{count: 1})
		},
		"more since than before": func(s *server) {
			s.digests[key{"d", "bb"}] = counts{"2", [columns]uint64{count: 1000, timer: 9_000_000}}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := newServer()
			rs, rows := measure(t, s, Options{}, func() { change(s); s.kind("statement/sql/select", 11, 1_000_000) })
			is(t, rs, "digest_statements", result.Failed, 0, "TRUNCATE")
			is(t, rs, "digest_cpu_us", result.Failed, 0, "TRUNCATE")
			is(t, rs, "server_statements", result.OK, 10)
			if len(rows) != 1 || rows[0].State != result.Failed || rows[0].Text == "" || rows[0].Count != 0 {
				t.Errorf("%+v, want what was executed, by name and without numbers", rows)
			}
		})
	}
	s := newServer()
	rs, rows := measure(t, s, Options{}, func() {
		s.kinds = map[string][2]uint64{"statement/sql/select": {3, 9}}
		s.add(key{"d", "aa"}, [columns]uint64{count: 1})
	})
	is(t, rs, "server_latency_us", result.Failed, 0, "statement/com/Binlog Dump went back")
	is(t, rs, "server_statements", result.Failed, 0)
	is(t, rs, "digest_statements", result.OK, 1)
	if len(rows) != 1 {
		t.Errorf("%+v", rows)
	}
}

func TestFullTable(t *testing.T) {
	s := newServer()
	_, rows := measure(t, s, Options{Keep: 1}, func() {
		s.add(key{"d", "aa"}, [columns]uint64{count: 1, timer: 9_000_000})
		s.add(key{"d", "bb"}, [columns]uint64{count: 2, timer: 8_000_000})
		s.digests[key{"d", "cc"}] = counts{"1", [columns]uint64{count: 4, timer: 7_000_000, cpuTime: 1_000_000}}
		s.digests[key{}] = counts{"1", [columns]uint64{count: 11, timer: 1_100_000}} // 3 of them our own
	})
	if len(rows) != 3 {
		t.Fatalf("%+v, want the slowest, the full table's, the others", rows)
	}
	if r := rows[1]; r.State != result.Partial || r.Count != 8 || r.LatencyUS != 0.8 || !strings.Contains(r.Reason, "performance_schema_digests_size=10000") {
		t.Errorf("%+v, want it to say that the table is full", r)
	}
	if r := rows[2]; r.Others != 2 || r.Count != 6 || r.LatencyUS != 15 || *r.CPUUS != 1 || r.State != result.OK {
		t.Errorf("%+v, want the sum of bb and cc", r)
	}
}

func TestNoDigest(t *testing.T) {
	s := newServer()
	rs, _ := measure(t, s, Options{}, func() {
		s.add(key{"d", "aa"}, [columns]uint64{count: 10})
		s.kind("statement/sql/select", 11, 1)
		s.kind(executeKind, 90, 1)
	})
	is(t, rs, "digest_statements", result.Partial, 10, "90 of 100", "prepared")
	is(t, rs, "server_statements", result.OK, 100)
}

func TestCoverage(t *testing.T) {
	s := newServer()
	s.hidden = 3
	rs, _ := measure(t, s, Options{}, func() { s.kind("statement/sql/select", 2, 1) })
	is(t, rs, "digest_statements", result.Partial, 0, "3 of 12 connections")
	is(t, rs, "server_latency_us", result.Partial, 1e-6, "3 of 12 connections")
	s.consumers["thread_instrumentation"] = "NO" // then nobody asks the threads
	rs, _ = measure(t, s, Options{}, func() { s.kind("statement/sql/select", 2, 1) })
	is(t, rs, "server_statements", result.OK, 1)
	s.disabled = 5
	rs, _ = measure(t, s, Options{}, func() { s.kind("statement/sql/select", 2, 1) })
	is(t, rs, "server_statements", result.Partial, 1, "5 of 200 kinds")
}

func TestSwitchedOff(t *testing.T) {
	for _, c := range []struct {
		name   string
		change func(*server)
		words  []string
	}{
		{"off", func(s *server) { s.on = "0" }, []string{"performance_schema is off", "performance_schema=ON", "restart", "administrator"}},
		{"global consumer", func(s *server) { s.consumers["global_instrumentation"] = "NO" }, []string{"global_instrumentation", "UPDATE"}},
		{"no access", func(s *server) {
			s.fail["setup_consumers"] = errors.New("Error 1142 (42000): SELECT command denied to user")
		},
			[]string{"denied", "GRANT SELECT ON performance_schema.*"}},
		{"old server", func(s *server) {
			s.fail["@@global"] = errors.New("Error 1193 (HY000): Unknown system variable 'performance_schema'")
		}, []string{"MySQL 5.6"}},
		{"instruments", func(s *server) { s.disabled = 200 }, []string{"setup_instruments"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer()
			c.change(s)
			_, err := New(Options{}).Arm(t.Context(), collectors.Target{SQL: s}, probe.Caps{})
			var u *collectors.Unsupported
			if !errors.As(err, &u) {
				t.Fatalf("%v, want *Unsupported", err)
			}
			for _, w := range c.words {
				if !strings.Contains(u.Reason+" "+u.Remedy, w) {
					t.Errorf("reason %q, remedy %q; want a word on %q", u.Reason, u.Remedy, w)
				}
			}
			for _, q := range s.sent {
				if !strings.HasPrefix(q, "SELECT ") {
					t.Errorf("sent %q, which is no SELECT", q)
				}
			}
		})
	}
	if _, err := New(Options{}).Arm(t.Context(), collectors.Target{}, probe.Caps{}); !errors.As(err, new(*collectors.Unsupported)) {
		t.Errorf("without a login: %v", err)
	}

	s := newServer()
	s.consumers["statements_digest"] = "NO"
	s.consumers["events_statements_cpu"] = "NO"
	rs, rows := measure(t, s, Options{}, func() { s.kind("statement/sql/select", 11, 11_000_000) })
	is(t, rs, "server_statements", result.OK, 10)
	is(t, rs, "server_latency_us", result.OK, 11) // with our own reading, which is said
	if r := rs["server_latency_us"]; r.Uncertainty != 1 || r.Reason == "" {
		t.Errorf("%s: one statement's time is ours", show(r))
	}
	is(t, rs, "digest_statements", result.Unsupported, 0, "statements_digest", "UPDATE performance_schema.setup_consumers")
	if rows != nil {
		t.Errorf("%+v", rows)
	}
	s.consumers["statements_digest"] = "YES"
	rs, _ = measure(t, s, Options{}, func() {})
	is(t, rs, "digest_cpu_us", result.Unsupported, 0, "events_statements_cpu", "UPDATE")
	delete(s.consumers, "events_statements_cpu")
	rs, _ = measure(t, s, Options{}, func() {})
	is(t, rs, "digest_cpu_us", result.Unsupported, 0, "8.0.28")
}

func TestConnectionLost(t *testing.T) {
	s := newServer()
	a, err := New(Options{}).Arm(t.Context(), collectors.Target{SQL: s}, probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.fail["performance_schema"] = errors.New("server has gone away")
	if err := a.End(t.Context()); err == nil {
		t.Error("End is content")
	}
	if rs, err := a.Close(); err == nil || rs != nil || a.(collectors.WithDigests).Digests() != nil {
		t.Errorf("Close gives %v, %v", rs, err)
	}
}

// BenchmarkEdge10000Digests is the client's part of an edge: the table is
// parsed, compared and cut. B/op has the fake's rows in it.
func BenchmarkEdge10000Digests(b *testing.B) {
	s := newServer()
	for i := range 10000 {
		hash := fmt.Sprintf("%032x", i)
		s.digests[key{"d", hash}] = counts{"2024-01-01 00:00:00", [columns]uint64{count: uint64(i), timer: 1e12}}
		s.texts[hash] = strings.Repeat("x", 900)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := readDigests(b.Context(), s, true); err != nil {
			b.Fatal(err)
		}
	}
}
