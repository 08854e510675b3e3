package workload

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/window"
	"opcost/perfctl/workload/internal/testserver"
)

// external makes a load by another program, with its outputs in a folder of
// the test's own.
func external(t *testing.T, d Driver, x Test, a Access, data Data, clients int) *External {
	t.Helper()
	id, err := d.Identify(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	e, err := NewExternal(ExternalConfig{Driver: d, Identity: id, Access: a, Test: x, Data: data, Clients: clients, Seed: 1, Dir: t.TempDir(), Tag: "w"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := e.Stop(); err != nil {
			t.Error(err)
		}
	})
	return e
}

// done runs a phase to its end.
func done(t *testing.T, e *External, operations int64) string {
	t.Helper()
	<-e.Release(window.Phase{Name: "x", Operations: operations})
	if err := e.Quiesce(context.Background()); err != nil {
		t.Fatal(err)
	}
	out, err := os.ReadFile(e.Output("x"))
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

// TestSysbenchSendsTheTestLive runs each of sysbench's own scripts for the tests
// that it is said to do, with the server's general log on, and compares what
// the server got with the test's statements.
func TestSysbenchSendsTheTestLive(t *testing.T) {
	testserver.Missing(t, "sysbench")
	d := Data{Tables: 1, Rows: 300}
	a := load(t, d)
	db := control(t, a)
	for _, x := range table {
		sysbench := Driver{Name: DriverSysbench}
		if sysbench.Does(x) != nil {
			continue
		}
		t.Run(x.ID, func(t *testing.T) {
			id, err := sysbench.Identify(context.Background())
			if err != nil {
				t.Fatal(err)
			}
			if err := id.Does(sysbench, x); err != nil {
				if _, err := NewExternal(ExternalConfig{Driver: sysbench, Identity: id, Access: a, Test: x, Data: d, Clients: 1, Dir: t.TempDir()}); err == nil || !strings.Contains(err.Error(), "sysbench 1.1") {
					t.Errorf("a test that this sysbench cannot do: %v", err)
				}
				return
			}
			e := external(t, sysbench, x, a, d, 1)
			for _, sql := range []string{"SET GLOBAL general_log=1", "TRUNCATE mysql.general_log"} {
				if _, err := db.Exec(sql); err != nil {
					t.Fatal(err)
				}
			}
			out := done(t, e, 1)
			if _, err := db.Exec("SET GLOBAL general_log=0"); err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(out, "total number of events:              1\n") {
				t.Errorf("sysbench said:\n%s", out)
			}
			var want []string
			for _, s := range x.steps {
				for range max(1, s.times) {
					want = append(want, shape(compile(s.sql, 1).prepared))
				}
			}
			got := logged(t, a)
			if strings.Join(got, "\n") != strings.Join(want, "\n") {
				t.Errorf("sent\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// logged are the statements of the general log that were executed, by shape.
func logged(t *testing.T, a Access) (all []string) {
	t.Helper()
	rows, err := control(t, a).Query("SELECT command_type, argument FROM mysql.general_log WHERE command_type IN ('Execute', 'Query') ORDER BY event_time")
	if err != nil {
		t.Fatal(err)
	}
	defer rows.Close()
	for rows.Next() {
		var kind, sql string
		if err := rows.Scan(&kind, &sql); err != nil {
			t.Fatal(err)
		}
		if s := shape(sql); !strings.Contains(s, "general_log") && !strings.Contains(s, "GENERAL_LOG") {
			all = append(all, s)
		}
	}
	return all
}

// shape is a statement without its values and without what does not matter to
// the server: spaces, the case of words, the order around =.
func shape(sql string) string {
	sql = literals.ReplaceAllString(sql, "?")
	return strings.ToUpper(strings.NewReplacer(" ", "", ";", "").Replace(sql))
}

// TestLuaScriptLive: a script of one's own, for a test that sysbench's cannot do.
func TestLuaScriptLive(t *testing.T) {
	testserver.Missing(t, "sysbench")
	folder := t.TempDir()
	script := `function thread_init() con = sysbench.sql.driver():connect() end
function event() con:query("SELECT COUNT(*) FROM sbtest1 WHERE LENGTH(c) < 0") end
function thread_done() con:disconnect() end
sysbench.cmdline.options = {tables = {"t", 1}, table_size = {"n", 1}}
`
	if err := os.WriteFile(filepath.Join(folder, "scan.lua"), []byte(script), 0o600); err != nil {
		t.Fatal(err)
	}
	d := Data{Tables: 1, Rows: 50}
	a := load(t, d)
	db := control(t, a)
	e := external(t, Driver{Name: DriverSysbench, Lua: folder}, test(t, "scan"), a, d, 2)
	before := status(t, db)["Com_select"]
	done(t, e, 12)
	if n := status(t, db)["Com_select"] - before; n != 12 {
		t.Errorf("%d statements, want 12", n)
	}
}

// TestMysqlslapUpdatesLive: N queries are N statements and N changed rows.
func TestMysqlslapUpdatesLive(t *testing.T) {
	testserver.Missing(t, "mariadb-slap")
	d := Data{Tables: 1, Rows: 50}
	a := load(t, d)
	db := control(t, a)
	for _, id := range []string{"update-one", "update-one-index"} {
		for _, clients := range []int{1, 4} {
			e := external(t, Driver{Name: DriverMysqlslap}, test(t, id), a, d, clients)
			before := status(t, db)
			out := done(t, e, 400)
			after := status(t, db)
			if n := after["Com_update"] - before["Com_update"]; n != 400 {
				t.Errorf("%s, %d clients: %d updates, want 400:\n%s", id, clients, n, out)
			}
			if n := after["Handler_update"] - before["Handler_update"]; n < 399 { // one may be what was there
				t.Errorf("%s, %d clients: %d rows changed", id, clients, n)
			}
			csv, err := os.ReadFile(filepath.Join(filepath.Dir(e.Output("x")), "w-x-mysqlslap.csv"))
			if err != nil || !strings.Contains(string(csv), ",") {
				t.Errorf("%s: its own report: %q, %v", id, csv, err)
			}
		}
	}
	a.Database = "no_such_database"
	e := external(t, Driver{Name: DriverMysqlslap}, test(t, "update-one"), a, d, 2)
	<-e.Release(window.Phase{Name: "x", Operations: 10})
	if err := e.Quiesce(context.Background()); err == nil || !strings.Contains(err.Error(), "Unknown database 'no_such_database'") {
		t.Errorf("a database that is not there: %v", err)
	}
	if n := ask[int64](t, db, "SELECT COUNT(*) FROM sbtest1"); n != 50 {
		t.Errorf("%d rows are left of 50: mysqlslap dropped the tables", n)
	}
}

func TestCommandRunsForItsTimeLive(t *testing.T) {
	testserver.Missing(t, "mariadb")
	d := Data{Tables: 1, Rows: 50}
	a := load(t, d)
	db := control(t, a)
	a.Database = "bench'x; false" // quoted for the shell, never to be reached
	e := external(t, Driver{Name: DriverCommand, Command: `i=0; while [ $i -lt {operations} ]; do i=$((i+1)); echo 'SELECT 1;'; done | mariadb --no-defaults -S {socket} -u {user} >/dev/null; test {database} = "bench'x; false"`},
		test(t, "point-query"), a, d, 1)
	before := status(t, db)["Com_select"]
	done(t, e, 25)
	// The client asks for @@version_comment and the like at its start.
	if n := status(t, db)["Com_select"] - before; n < 25 || n > 28 {
		t.Errorf("%d statements, want 25 and the client's own", n)
	}
}

// TestExternalCPU compares with the shell's own `times`, of two processes that
// work at the same time.
func TestExternalCPU(t *testing.T) {
	e := external(t, Driver{Name: DriverCommand, Command: `spin() { i=0; while [ $i -lt 200000 ]; do i=$((i+1)); done; }; spin & spin; wait; times; sleep {seconds}`},
		test(t, "point-query"), Access{Network: "unix", Addr: "/nowhere", Charset: "latin1", Protocol: Text}, Data{Tables: 1, Rows: 1}, 1)
	if d, err := e.CPU(); d != 0 || err != nil {
		t.Errorf("before it is started: %v, %v", d, err)
	}
	if err := e.Run("x", time.Second); err != nil {
		t.Fatal(err)
	}
	var during time.Duration
	for e.Running() {
		if d, err := e.CPU(); err == nil {
			if d < during-20*time.Millisecond {
				t.Errorf("CPU time fell from %v to %v", during, d)
			}
			during = max(during, d)
		}
		time.Sleep(20 * time.Millisecond)
	}
	after, err := e.CPU()
	if err != nil || during <= 0 || math.Abs(float64(after-during)) > 0.2*float64(after) {
		t.Errorf("%v while it ran, %v after its end, %v", during, after, err)
	}
	// `times` prints user and system of the shell, then of its children.
	out, _ := os.ReadFile(e.Output("x"))
	var sum time.Duration
	for _, f := range strings.Fields(string(out)) {
		if strings.HasSuffix(f, "s") && strings.Contains(f, "m") {
			if d, err := time.ParseDuration(f); err == nil {
				sum += d
			}
		}
	}
	if math.Abs(float64(after-sum)) > 0.05*float64(sum)+float64(30*time.Millisecond) {
		t.Errorf("%v of CPU, the shell says %v", after, sum)
	}
}

func TestExternalFailures(t *testing.T) {
	nowhere := Access{Network: "unix", Addr: filepath.Join(t.TempDir(), "none"), User: "root", Database: "x", Charset: "latin1", Protocol: Prepared}
	d := Data{Tables: 1, Rows: 10}
	for _, c := range []struct {
		name   string
		driver Driver
		need   string
		want   string
	}{
		{"sysbench without a server", Driver{Name: DriverSysbench}, "sysbench", "unable to connect to MySQL server"},
		{"a command that fails", Driver{Name: DriverCommand, Command: "echo out of luck; exit 3"}, "sh", "exit status 3: out of luck"},
		{"a silent command", Driver{Name: DriverCommand, Command: "exit 4"}, "sh", "exit status 4: it said nothing"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := exec.LookPath(c.need); err != nil {
				testserver.Missing(t, c.need)
			}
			e := external(t, c.driver, test(t, "point-query"), nowhere, d, 1)
			if err := e.Run("x", time.Second); err != nil {
				t.Fatal(err)
			}
			<-e.Ended()
			if err := e.Finish(0); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), "w-x-") {
				t.Errorf("error %v, want %q and the file with all of it", err, c.want)
			}
			if err := e.Run("y", time.Second); err == nil {
				t.Error("it was started again after its failure")
			}
		})
	}
}

func TestDriverThatIsNotThere(t *testing.T) {
	fake := func(text string) string {
		path := filepath.Join(t.TempDir(), "tool")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text), 0o755); err != nil {
			t.Fatal(err)
		}
		return path
	}
	for _, c := range []struct {
		d    Driver
		want string
	}{
		{Driver{Name: DriverSysbench, Program: "/nowhere/sysbench"}, "there is no /nowhere/sysbench here: install it (on Debian: apt-get install sysbench)"},
		{Driver{Name: DriverMysqlslap, Program: "/nowhere/slap"}, "apt-get install mariadb-client"},
		{Driver{Name: DriverSysbench, Program: fake("echo sysbench 0.5")}, `version that opcost does not know: "sysbench 0.5"`},
		{Driver{Name: DriverSysbench, Program: fake("echo broken >&2; exit 1")}, "broken"},
		{Driver{Name: DriverCommand}, "no command given"},
		{Driver{Name: DriverCommand, Command: "x {socket} {sockets}"}, "unknown placeholder {sockets}; there are {clients}"},
	} {
		if _, err := c.d.Identify(context.Background()); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v", c.d, err)
		}
	}
	id, err := (Driver{Name: DriverSysbench, Program: fake(`case $1 in --version) echo "sysbench 1.1.0-deadbee";; *) echo "uniform,gaussian,pareto,zipfian";; esac`)}).Identify(context.Background())
	if err != nil || id.NoZipf || id.Does(Driver{Name: DriverSysbench}, test(t, "update-zipf")) != nil {
		t.Errorf("sysbench 1.1 has Zipfian keys: %+v, %v", id, err)
	}
}
