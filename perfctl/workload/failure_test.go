package workload

import (
	"context"
	"net"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/window"
	"opcost/perfctl/workload/internal/testserver"
)

// wait fails the test, instead of hanging it, when a load that must end does not.
func wait(t *testing.T, done <-chan struct{}) {
	t.Helper()
	select {
	case <-done:
	case <-time.After(time.Minute):
		t.Fatal("not done after a minute")
	}
}

func TestServerKilledLive(t *testing.T) {
	testserver.Missing(t)
	s, err := testserver.Start()
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	a := accessTo(s)
	a.Database = "bench"
	d := Data{Tables: 1, Rows: 1000, Seed: 7}
	if err := Load(context.Background(), a, d, nil); err != nil {
		t.Fatal(err)
	}

	plain := a
	plain.TLS = true
	_, err = StartBuiltin(context.Background(), BuiltinConfig{Access: plain, Test: test(t, "point-query"), Data: d, Clients: 1})
	if err == nil || !strings.Contains(err.Error(), "TLS") {
		t.Errorf("TLS from a server without it: %v", err)
	}

	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "read-write_range=10"), Data: d, Clients: 3, Seed: 1})
	done := b.Release(window.Phase{Name: "x"})
	time.Sleep(100 * time.Millisecond)
	if err := s.Proc.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	wait(t, done)
	err = b.Quiesce(context.Background())
	if err == nil || err != b.Err() {
		t.Fatalf("Quiesce: %v, Err: %v", err, b.Err())
	}
	for _, part := range []string{"client ", " of 3: ", "connection"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("%q does not say %q", err, part)
		}
	}
	if !strings.Contains(err.Error(), "sbtest1") && !strings.Contains(err.Error(), "BEGIN") && !strings.Contains(err.Error(), "COMMIT") {
		t.Errorf("%q names no statement", err)
	}
	wait(t, b.Release(window.Phase{Name: "y"}))
	if _, err := b.Read(context.Background()); err == nil {
		t.Error("Read hides that the load has failed")
	}
	<-s.Proc.Done()
	if _, err := StartBuiltin(context.Background(), BuiltinConfig{Access: a, Test: test(t, "point-query"), Data: d, Clients: 1}); err == nil || !strings.Contains(err.Error(), a.Addr) {
		t.Errorf("connecting to a dead server: %v", err)
	}
}

func TestConnectionKilledLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 1000, Seed: 7}
	a := load(t, d)
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "point-query"), Data: d, Clients: 2, Seed: 1})
	done := b.Release(window.Phase{Name: "x"})
	if _, err := control(t, a).Exec("KILL CONNECTION ?", b.ConnectionIDs()[1]); err != nil {
		t.Fatal(err)
	}
	wait(t, done)
	err := b.Quiesce(context.Background())
	if err == nil || !strings.HasPrefix(err.Error(), "client 2 of 2: SELECT c FROM sbtest1 WHERE id=?: ") {
		t.Errorf("%v", err)
	}
}

// Lock conflicts are counted, retried as new transactions, and the server's
// count of statements is still ours.
func TestDeadlocksAreCountedLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 2, Seed: 7} // 4 clients on 2 rows
	a := load(t, d)
	db := control(t, a)
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "write-only"), Data: d, Clients: 4, Seed: 1})
	settle(t, db, 5)
	before := status(t, db)
	wait(t, b.Release(window.Phase{Name: "x", Operations: 4000}))
	n := quiesce(t, b)
	after := status(t, db)
	if questions := after["Questions"] - before["Questions"] - 1; n.End+n.Errors != questions {
		t.Errorf("%d operations and %d errors, the server counts %d", n.End, n.Errors, questions)
	}
	if deadlocks := after["Innodb_deadlocks"] - before["Innodb_deadlocks"]; n.Errors < deadlocks || deadlocks == 0 {
		t.Errorf("%d errors, the server counts %d deadlocks", n.Errors, deadlocks)
	}
	if c := after["Com_commit"] - before["Com_commit"]; c != n.Transactions {
		t.Errorf("%d transactions, %d commits", n.Transactions, c)
	}
	if l := b.Latency(); l.Count != n.End-n.Errors { // every error was followed by a ROLLBACK, untimed
		t.Errorf("%d statements timed, %d done, of them %d ROLLBACKs", l.Count, n.End, n.Errors)
	}
}

func TestLockWaitTimeoutIsCountedLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 10, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	old := ask[int](t, db, "SELECT @@global.innodb_lock_wait_timeout")
	if _, err := db.Exec("SET GLOBAL innodb_lock_wait_timeout = 0"); err != nil {
		t.Fatal(err)
	}
	defer db.Exec("SET GLOBAL innodb_lock_wait_timeout = ?", old) //nolint:errcheck // the server is the test's own
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "update-one"), Data: d, Clients: 1, Seed: 1})
	tx, err := control(t, a).Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("UPDATE sbtest1 SET k=k+1 WHERE id=1"); err != nil {
		t.Fatal(err)
	}
	wait(t, b.Release(window.Phase{Name: "x", Operations: 1}))
	err = b.Quiesce(context.Background())
	if err == nil || !strings.Contains(err.Error(), "1000 statements failed one after another") || !strings.Contains(err.Error(), "Error 1205") {
		t.Errorf("a row that stays locked: %v", err)
	}
	if n, _ := b.Read(context.Background()); n.Errors != tooManyErrors || n.End != 0 {
		t.Errorf("%+v", n)
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}

func TestStartErrorsLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 100, Seed: 7}
	a := load(t, d)
	good := BuiltinConfig{Access: a, Test: test(t, "point-query"), Data: d, Clients: 1}
	for want, change := range map[string]func(*BuiltinConfig){
		"sbtest2":                 func(c *BuiltinConfig) { c.Data.Tables = 2 },
		"ids up to 100 where 300": func(c *BuiltinConfig) { c.Data.Rows = 300 },
		"Unknown database":        func(c *BuiltinConfig) { c.Access.Database = "nowhere" },
		"charset \"koi8r\"":       func(c *BuiltinConfig) { c.Access.Charset = "koi8r" },
		"protocol \"binary\"":     func(c *BuiltinConfig) { c.Access.Protocol = "binary" },
		"network \"pipe\"":        func(c *BuiltinConfig) { c.Access.Network = "pipe" },
		"0 clients":               func(c *BuiltinConfig) { c.Clients = 0 },
		"no workload":             func(c *BuiltinConfig) { c.Test = Test{} },
		"0 tables":                func(c *BuiltinConfig) { c.Data.Tables = 0 },
		"pin a client thread":     func(c *BuiltinConfig) { c.CPUs = []int{1000} },
		"Access denied":           func(c *BuiltinConfig) { c.Access.Password = "wrong-secret" },
	} {
		c := good
		change(&c)
		_, err := StartBuiltin(context.Background(), c)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v does not say %q", err, want)
		}
		if err != nil && strings.Contains(err.Error(), "secret") {
			t.Errorf("%v tells the password", err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := StartBuiltin(ctx, good); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("cancelled: %v", err)
	}
}

// TestSilentServer: one that takes no connection, as a server without a file
// descriptor left does, is given up.
func TestSilentServer(t *testing.T) {
	socket := filepath.Join(t.TempDir(), "s")
	l, err := net.Listen("unix", socket) // nobody accepts
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	point, err := Resolve([]string{"point-query"})
	if err != nil {
		t.Fatal(err)
	}
	_, err = startBuiltin(context.Background(), BuiltinConfig{
		Access: Access{Network: "unix", Addr: socket, User: "root", Charset: "latin1", Protocol: Prepared},
		Test:   point[0], Data: Data{Tables: 1, Rows: 1}, Clients: 2,
	}, 50*time.Millisecond)
	if err == nil || !strings.Contains(err.Error(), "client 1 of 2: no answer within 50ms") || !strings.Contains(err.Error(), "ulimit -n") {
		t.Errorf("%v", err)
	}
}
