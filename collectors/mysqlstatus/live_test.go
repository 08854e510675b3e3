package mysqlstatus

import (
	"regexp"
	"testing"

	"opcost/collectors/internal/testserver"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// TestLiveServer proves on a real server that our own statements are taken out
// to the last one, and a known load is counted to the last one.
func TestLiveServer(t *testing.T) {
	s := testserver.Start(t)
	target := s.Target(t)
	conn := s.Control(t)
	conn.Exec(t, "create database d", "use d", "create table d.t (id int primary key, k int, key (k)) engine=innodb",
		"insert into d.t select seq, seq from seq_1_to_1000")
	window := func(t *testing.T, quiet bool, load func()) (map[string]result.Reading, []result.Reading) {
		t.Helper()
		a, err := New(Options{Quiet: quiet}).Arm(t.Context(), target, probe.Caps{})
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
		return byName(t, rs), rs
	}
	statements := regexp.MustCompile(`^(questions|queries|com_.*|handler_.*|rows_.*|status_rows_read|select_.*|sort_.*|created_.*)$`)

	t.Run("idle", func(t *testing.T) {
		got, rs := window(t, true, func() {})
		checked := 0
		for name, r := range got {
			if statements.MatchString(name) {
				checked++
				if r.State != result.OK || *r.Value != 0 {
					t.Errorf("%+v, want 0: the window held only our own reads", r)
				}
			}
		}
		if n, ok := Statements(rs); n != 0 || !ok || checked < 30 {
			t.Errorf("Statements %d, %v; %d readings checked", n, ok, checked)
		}
		t.Logf("%d readings", len(rs))
	})

	t.Run("our other statements", func(t *testing.T) {
		got, _ := window(t, true, func() {
			for range 3 {
				if _, err := target.SQL.Query(t.Context(), "select 1"); err != nil {
					t.Fatal(err)
				}
			}
		})
		want(t, got, map[string]float64{"questions": 0, "queries": 0, "com_select": 0, "handler_read_rnd_next": 0})
	})

	const n = 137
	t.Run("prepared reads", func(t *testing.T) {
		stmt, err := conn.DB.Prepare("select k from d.t where id = ?")
		if err != nil {
			t.Fatal(err)
		}
		defer stmt.Close()
		var k int
		if err := stmt.QueryRow(1).Scan(&k); err != nil { // opens the table
			t.Fatal(err)
		}
		for _, quiet := range []bool{true, false} {
			got, rs := window(t, quiet, func() {
				for i := range n {
					if err := stmt.QueryRow(i + 1).Scan(&k); err != nil || k != i+1 {
						t.Fatal(k, err)
					}
				}
			})
			// One look-up by the primary key each; nothing else is read.
			want(t, got, map[string]float64{"questions": n, "queries": n, "com_stmt_execute": n, "com_select": n,
				"com_stmt_prepare": 0, "handler_read_key": n, "handler_read_next": 0, "rows_changed": 0, "com_update": 0})
			if c, ok := Statements(rs); c != n || !ok {
				t.Errorf("Statements %d, %v; want %d", c, ok, n)
			}
			rows := got["rows_read"]
			if quiet && *rows.Value != n {
				t.Errorf("rows_read is %+v, want %d", rows, n)
			}
			if !quiet && (*rows.Value < n || *rows.Value-rows.Uncertainty > n) {
				t.Errorf("rows_read is %g with uncertainty %g: %d is not within", *rows.Value, rows.Uncertainty, n)
			}
		}
	})

	t.Run("text writes and a range", func(t *testing.T) {
		got, _ := window(t, true, func() {
			for range n {
				conn.Exec(t, "update d.t set k = k + 1 where id = 7")
			}
			conn.Exec(t, "delete from d.t where id in (1, 2, 3)", "insert into d.t values (2001, 1), (2002, 1)",
				"select id from d.t where id between 100 and 149")
		})
		// The range: one look-up, then each next row, the last of them past the end.
		want(t, got, map[string]float64{"questions": n + 3, "com_update": n, "com_delete": 1, "com_insert": 1, "com_select": 1,
			"handler_update": n, "handler_delete": 3, "handler_write": 2, "rows_changed": n + 5, "handler_read_next": 50})
	})

	t.Run("levels", func(t *testing.T) {
		got, _ := window(t, true, func() {})
		if r := got["threads_connected_end"]; r.Value == nil || *r.Value != 2 || !r.Gauge {
			t.Errorf("%+v, want the 2 connections of this test", r)
		}
		if r := got["innodb_buffer_pool_pages_total_begin"]; r.Value == nil || *r.Value < 1500 || *r.Value > 2048 {
			t.Errorf("%+v, want about the 2048 pages of 32 MB", r)
		}
	})

	t.Run("flush status", func(t *testing.T) {
		got, rs := window(t, true, func() {
			conn.Exec(t, "select sleep(2.1)", "flush status")
		})
		if r := got["questions"]; r.State == result.OK {
			t.Errorf("%+v: the counters were reset in the window", r)
		}
		if c, ok := Statements(rs); ok {
			t.Errorf("Statements gives %d", c)
		}
	})
}
