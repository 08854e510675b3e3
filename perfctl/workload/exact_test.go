package workload

import (
	"fmt"
	"testing"
	"time"

	"opcost/perfctl/window"
)

// The client's count of statements and the server's own agree exactly over a
// gated window, ended by time or by operations.
func TestOperationsAreExactLive(t *testing.T) {
	d := Data{Tables: 2, Rows: 3000, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	for _, id := range []string{"point-query", "read-write_range=10", "update-index", "insert", "read-only_range=10"} {
		for _, clients := range []int{1, 4} {
			for _, protocol := range []string{Prepared, Text} {
				t.Run(fmt.Sprintf("%s/%d/%s", id, clients, protocol), func(t *testing.T) {
					a := a
					a.Protocol = protocol
					x := test(t, id)
					b := startLoad(t, BuiltinConfig{Access: a, Test: x, Data: d, Clients: clients, Seed: 1})
					settle(t, db, int64(1+clients))
					before, begin := status(t, db), quiesce(t, b)
					b.Release(window.Phase{Name: "timed"})
					time.Sleep(150 * time.Millisecond)
					timed := quiesce(t, b)
					<-b.Release(window.Phase{Name: "counted", Operations: 403})
					end := quiesce(t, b)
					after := status(t, db)

					n, own := end.End-begin.End, int64(1) // SHOW GLOBAL STATUS itself
					if questions := after["Questions"] - before["Questions"] - own; n+end.Errors != questions || n < 403 {
						t.Errorf("client %d and %d errors, server %d", n, end.Errors, questions)
					}
					counted, perTransaction := end.End-timed.End, int64(0)
					for _, s := range x.steps {
						perTransaction += int64(max(1, s.times))
					}
					if !x.Transactional && counted != 403 {
						t.Errorf("a phase of 403 operations did %d", counted)
					}
					if x.Transactional && end.Errors == 0 {
						// Each client's share of 403, rounded up to whole transactions.
						want := int64(0)
						for c := range clients {
							p := phase{Phase: window.Phase{Operations: 403}}
							want += (p.share(c, clients) + perTransaction - 1) / perTransaction * perTransaction
						}
						if counted != want {
							t.Errorf("a phase of 403 operations did %d, want %d", counted, want)
						}
						if n != end.Transactions*perTransaction {
							t.Errorf("%d statements in %d transactions", n, end.Transactions)
						}
						if c := after["Com_commit"] - before["Com_commit"]; c != end.Transactions {
							t.Errorf("%d transactions, server %d commits", end.Transactions, c)
						}
					}
					executed := after["Com_stmt_execute"] - before["Com_stmt_execute"]
					switch {
					case x.Protocol(protocol) == Text && executed != 0:
						t.Errorf("text, and yet %d executions of prepared statements", executed)
					case x.Protocol(protocol) == Prepared && !x.Transactional && executed != n:
						t.Errorf("%d statements, %d executions", n, executed)
					}
					if p := after["Com_stmt_prepare"] - before["Com_stmt_prepare"]; p != 0 {
						t.Errorf("%d statements prepared inside the window", p)
					}
					if l := b.Latency(); l == nil || l.Count != counted-rollbacks(end.Errors, x) {
						t.Errorf("%+v for %d statements", l, counted)
					}
				})
			}
		}
	}
}

// rollbacks is how many ROLLBACKs follow the errors.
func rollbacks(errors int64, x Test) int64 {
	if x.Transactional {
		return errors
	}
	return 0
}

// What the server reads for a statement is what the SQL asks for.
func TestRowsReadLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 3000, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	for _, c := range []struct {
		id, counter string
		each        float64
		slack       float64
	}{
		{"point-query", "Handler_read_key", 1, 0},
		{"random-points_range=10", "Handler_read_key", 10, 0.05}, // an id drawn twice is read once
		{"range-covered-pk", "Handler_read_next", 101, 0.05},     // fewer at the table's end
		{"update-index", "Handler_update", 1, 0},
	} {
		b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, c.id), Data: d, Clients: 1, Seed: 1})
		before := status(t, db)
		<-b.Release(window.Phase{Name: "x", Operations: 400})
		quiesce(t, b)
		got := float64(status(t, db)[c.counter]-before[c.counter]) / 400
		if got > c.each || got < c.each*(1-c.slack) {
			t.Errorf("%s: %s is %v a query, want %v", c.id, c.counter, got, c.each)
		}
	}
}

func TestScanCountsRowsLive(t *testing.T) {
	d := Data{Tables: 2, Rows: 3000, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	if _, err := db.Exec("DELETE FROM sbtest1 WHERE id > 2000"); err != nil {
		t.Fatal(err)
	}
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "scan"), Data: d, Clients: 2, Seed: 1})
	settle(t, db, 3)
	before := status(t, db)
	<-b.Release(window.Phase{Name: "x", Operations: 20001})
	n, after := quiesce(t, b), status(t, db)
	own := int64(0)
	{ // what SHOW GLOBAL STATUS reads of its own table
		again := status(t, db)
		own = again["Handler_read_rnd_next"] - after["Handler_read_rnd_next"]
	}
	scans := after["Questions"] - before["Questions"] - 1
	read := after["Handler_read_rnd_next"] - before["Handler_read_rnd_next"] - own - scans // one look beyond the end a scan
	if n.Per != PerRow || n.End != read {
		t.Errorf("%d operations per %s, the server read %d rows in %d scans", n.End, n.Per, read, scans)
	}
	if n.End < 20001 || n.End > 20001+2*3000 {
		t.Errorf("a phase of 20001 rows did %d", n.End)
	}
}

func TestDeleteCountsMissesLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 300, Seed: 7}
	a := load(t, d)
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "delete"), Data: d, Clients: 2, Seed: 1})
	<-b.Release(window.Phase{Name: "x", Operations: 500})
	n := quiesce(t, b)
	gone := 300 - ask[int64](t, control(t, a), "SELECT COUNT(*) FROM sbtest1")
	if n.Misses != 500-gone || gone == 0 || n.N() != 500 {
		t.Errorf("%d misses of %d, %d rows gone", n.Misses, n.N(), gone)
	}
}

// Both protocols, and a second start, send the same statements in the same
// order; the general log tells.
func TestSameStatementsLive(t *testing.T) {
	d := Data{Tables: 2, Rows: 3000, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	logged := func(protocol string, repeat int) []string {
		a := a
		a.Protocol = protocol
		// On before the statements are prepared: the server decides then
		// whether executions will be logged with their values.
		for _, q := range []string{"TRUNCATE mysql.general_log", "SET GLOBAL general_log = ON"} {
			if _, err := db.Exec(q); err != nil {
				t.Fatal(err)
			}
		}
		b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "read-write_range=10"), Data: d, Clients: 1, Seed: 1, Repeat: repeat})
		<-b.Release(window.Phase{Name: "x", Operations: 60})
		quiesce(t, b)
		if _, err := db.Exec("SET GLOBAL general_log = OFF"); err != nil {
			t.Fatal(err)
		}
		rows, err := db.Query("SELECT argument FROM mysql.general_log WHERE thread_id = ? AND command_type IN ('Query', 'Execute') AND argument NOT REGEXP 'CONNECTION_ID|MAX.id'", b.ConnectionIDs()[0])
		if err != nil {
			t.Fatal(err)
		}
		defer rows.Close()
		var out []string
		for rows.Next() {
			var s string
			if err := rows.Scan(&s); err != nil {
				t.Fatal(err)
			}
			out = append(out, s)
		}
		return out
	}
	prepared, text, again, other := logged(Prepared, 0), logged(Text, 0), logged(Prepared, 0), logged(Prepared, 1)
	want := sequence(test(t, "read-write_range=10"), d, 1, 0, 0, "x", 60)
	if fmt.Sprint(text) != fmt.Sprint(want) {
		t.Errorf("text sent\n%q, not\n%q", text, want)
	}
	if fmt.Sprint(prepared) != fmt.Sprint(want) || fmt.Sprint(again) != fmt.Sprint(want) {
		t.Errorf("prepared sent\n%q, not\n%q", prepared, want)
	}
	if fmt.Sprint(other) == fmt.Sprint(want) {
		t.Error("another repeat sent the same")
	}
}
