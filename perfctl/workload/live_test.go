package workload

import (
	"context"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	"opcost/perfctl/result"
	"opcost/perfctl/workload/internal/testserver"
)

// live is one server for all live tests, started by the first that asks.
var live struct {
	server    *testserver.Server
	err       error
	databases int
}

func TestMain(m *testing.M) {
	code := m.Run()
	if live.server != nil {
		live.server.Stop()
	}
	os.Exit(code)
}

// load makes a database of its own on the shared server.
func load(t testing.TB, d Data) Access {
	t.Helper()
	testserver.Missing(t)
	if live.server == nil && live.err == nil {
		live.server, live.err = testserver.Start("--innodb-buffer-pool-size=256M", "--log-output=TABLE")
	}
	if live.err != nil {
		t.Fatal(live.err)
	}
	live.databases++
	a := accessTo(live.server)
	a.Database = fmt.Sprintf("bench%d", live.databases)
	if err := Load(context.Background(), a, d, nil); err != nil {
		t.Fatal(err)
	}
	return a
}

func accessTo(s *testserver.Server) Access {
	return Access{Network: "unix", Addr: s.Socket, User: "root", Charset: "latin1", Protocol: Prepared}
}

// control is a connection beside the load.
func control(t testing.TB, a Access) *sql.DB {
	t.Helper()
	db, err := pool(a)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// status reads the server's counters by name.
func status(t testing.TB, db *sql.DB) map[string]int64 {
	t.Helper()
	rows, err := db.Query("SHOW GLOBAL STATUS")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]int64{}
	for rows.Next() {
		var name, value string
		if err := rows.Scan(&name, &value); err != nil {
			t.Fatal(err)
		}
		if n, err := strconv.ParseInt(value, 10, 64); err == nil {
			out[name] = n
		}
	}
	return out
}

// ask gives one value.
func ask[T any](t testing.TB, db *sql.DB, query string, args ...any) T {
	t.Helper()
	var v T
	if err := db.QueryRow(query, args...).Scan(&v); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", query, err))
	}
	return v
}

// quiesce closes the gate and gives the count.
func quiesce(t testing.TB, b *Builtin) result.OpCount {
	t.Helper()
	if err := b.Quiesce(context.Background()); err != nil {
		t.Fatal(err)
	}
	n, err := b.Read(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if n.Uncertainty != 0 {
		t.Errorf("uncertainty %v behind a closed gate", n.Uncertainty)
	}
	return n
}

func test(t testing.TB, id string) Test {
	t.Helper()
	found, err := Resolve([]string{id})
	if err != nil {
		t.Fatal(err)
	}
	return found[0]
}

// startLoad starts a load that is stopped with the test.
func startLoad(t testing.TB, cfg BuiltinConfig) *Builtin {
	t.Helper()
	b, err := StartBuiltin(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Stop(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// settle waits until the server has no other connections than those named: it
// counts the COM_QUIT of a closed one among the Questions, maybe a test later.
func settle(t testing.TB, db *sql.DB, connections int64) {
	t.Helper()
	for range 5000 {
		if ask[int64](t, db, "SELECT VARIABLE_VALUE FROM information_schema.GLOBAL_STATUS WHERE VARIABLE_NAME = 'Threads_connected'") == connections {
			return
		}
		time.Sleep(time.Millisecond)
	}
	t.Fatalf("the server does not get down to %d connections", connections)
}
