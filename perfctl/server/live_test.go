package server

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"

	"opcost/collectors"
)

var _ collectors.Querier = (*Control)(nil)

// login is a connection of a client, made by the driver alone; its id is what
// the server says.
func login(t *testing.T, network, addr string) (driver.Conn, uint64) {
	t.Helper()
	cfg := mysql.NewConfig()
	cfg.User, cfg.Net, cfg.Addr = map[string]string{"unix": "root", "tcp": clientUser}[network], network, addr
	cfg.Logger = &mysql.NopLogger{}
	connector, err := mysql.NewConnector(cfg)
	if err != nil {
		t.Fatal(err)
	}
	conn, err := connector.Connect(testContext(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	rows, err := conn.(driver.QueryerContext).QueryContext(testContext(t), "SELECT CONNECTION_ID()", nil)
	if err != nil {
		t.Fatal(err)
	}
	text, err := readRows(rows)
	if err != nil || rows.Close() != nil {
		t.Fatal(err)
	}
	id, err := strconv.ParseUint(text[0][0], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return conn, id
}

func tasks(t *testing.T, pid int) []int {
	t.Helper()
	entries, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", pid))
	if err != nil {
		t.Fatal(err)
	}
	var tids []int
	for _, e := range entries {
		tid, err := strconv.Atoi(e.Name())
		if err != nil {
			t.Fatal(err)
		}
		tids = append(tids, tid)
	}
	return tids
}

// TestLiveServer is one server's life: what it says of itself against what the
// kernel says of it.
func TestLiveServer(t *testing.T) {
	ctx := testContext(t)
	spec := liveSpec(t)
	spec.Options = append(spec.Options[:3:3], "performance-schema=ON")
	s := liveSite(t, spec)
	i := started(t, s, StartOptions{})

	// The first statement ever counted is the one that asks: making the
	// connection sent none.
	first := questions(t, i)
	if first != 1 || i.Control().Statements() != 1 {
		t.Errorf("the server counted %d statements, we %d; want 1 and 1", first, i.Control().Statements())
	}
	for range 10 {
		ask(t, i, "SELECT 1")
	}
	if _, err := i.Control().Query(ctx, "SELEC 1"); err == nil {
		t.Error("nonsense was taken")
	}
	if last := questions(t, i); last != 13 || i.Control().Statements() != last {
		t.Errorf("the server counted %d statements, we %d; want 13 and 13", last, i.Control().Statements())
	}

	if exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", i.PID())); err != nil || exe != s.spec.Mysqld {
		t.Errorf("pid %d is %s (%v)", i.PID(), exe, err)
	}
	out, err := exec.Command("sh", "-c", fmt.Sprintf("sed 's/.*) //' /proc/%d/stat | cut -d' ' -f20", i.PID())).Output()
	if err != nil || strings.TrimSpace(string(out)) != strconv.FormatUint(i.StartTicks(), 10) {
		t.Errorf("start ticks %d, cut says %s (%v)", i.StartTicks(), out, err)
	}
	if got, want := ask(t, i, "SELECT VERSION()"), s.Identity.Number; !strings.HasPrefix(got, want) {
		t.Errorf("version %s, identified as %s", got, want)
	}
	if got := ask(t, i, "SELECT @@datadir"); filepath.Clean(got) != s.data() {
		t.Errorf("data in %s", got)
	}
	if got := ask(t, i, "SELECT @@skip_networking"); got != "1" || i.TCPAddr() != "" {
		t.Errorf("networking: skip_networking=%s, %q", got, i.TCPAddr())
	}
	if n := ask(t, i, "SELECT COUNT(*) FROM mysql.help_topic"); n == "0" {
		t.Error("the help tables are empty: the bootstrap did not read all files")
	}

	before := tasks(t, i.PID())
	_, c1 := login(t, "unix", i.Socket())
	_, c2 := login(t, "unix", i.Socket())
	tids, err := i.ThreadsOf(ctx, []uint64{c2, c1})
	if err != nil {
		t.Fatal(err)
	}
	after := tasks(t, i.PID())
	for n, tid := range tids {
		comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/comm", i.PID(), tid))
		if err != nil || !slices.Contains(after, tid) {
			t.Errorf("thread %d of connection %d: %s %v", tid, n, comm, err)
		}
	}
	// New connections take new threads, unless the server keeps spare ones.
	if tids[0] == tids[1] || slices.Contains(before, tids[0]) && slices.Contains(before, tids[1]) && len(after) > len(before) {
		t.Errorf("threads %v; before %v, after %v", tids, before, after)
	}
	if _, err := i.ThreadsOf(ctx, []uint64{c1, 999999}); err == nil || !strings.Contains(err.Error(), "999999") {
		t.Errorf("a connection that is not: %v", err)
	}

	vars, err := i.Variables(ctx)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"performance_schema": "ON", "log_bin": "OFF", "innodb_buffer_pool_size": "33554432", "thread_handling": "one-thread-per-connection"} {
		if vars[name] != want {
			t.Errorf("%s is %q, want %q", name, vars[name], want)
		}
	}
	if _, there := vars["gtid_mode"]; there {
		t.Error("MariaDB has no gtid_mode, yet it has a value")
	}

	if _, err := s.Start(ctx, StartOptions{}); err == nil || !strings.Contains(err.Error(), "runs") {
		t.Errorf("a second start: %v", err)
	}
	if err := s.Save(ctx); err == nil {
		t.Error("running data was saved")
	}
	socket := i.Socket()
	stop(t, i)
	select {
	case <-i.Exited():
	default:
		t.Error("stopped, yet not exited")
	}
	if _, err := os.Stat(filepath.Dir(socket)); err == nil {
		t.Error("the socket's folder is still there")
	}
	if _, err := i.Control().Query(ctx, "SELECT 1"); err == nil {
		t.Error("the control connection outlived its server")
	}
	if err := i.Stop(ctx); err != nil {
		t.Errorf("stopped twice: %v", err)
	}
}

func questions(t *testing.T, i *Instance) int64 {
	t.Helper()
	rows, err := i.Control().Query(testContext(t), "SHOW GLOBAL STATUS LIKE 'Questions'")
	if err != nil {
		t.Fatal(err)
	}
	n, err := strconv.ParseInt(rows[0][1], 10, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// TestLiveFailures are starts that must fail, each with its own words, on one
// data directory that still works afterwards.
func TestLiveFailures(t *testing.T) {
	ctx := testContext(t)
	s := liveSite(t, liveSpec(t))
	_, err := s.Start(ctx, StartOptions{Extra: []string{"innodb-log-files-on-group=2"}})
	var failed *StartError
	if !errors.As(err, &failed) || failed.Refused != "innodb-log-files-on-group" || failed.Origin != fromStart {
		t.Fatalf("a refused option: %v", err)
	}
	if len(failed.Lines) == 0 || !strings.Contains(err.Error(), "unknown variable") || !strings.Contains(err.Error(), failed.Log) {
		t.Errorf("the message lacks the log's words or its path:\n%v", err)
	}
	file := filepath.Join(t.TempDir(), "my.cnf")
	if err := os.WriteFile(file, []byte("[mariadbd]\nno_such_thing\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	s.spec.DefaultsFile = file
	if err := s.readDefaultsFile(ctx); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(ctx, StartOptions{}); !errors.As(err, &failed) || failed.Refused != "no_such_thing" && failed.Refused != "no-such-thing" || failed.Origin != file {
		t.Errorf("an option of the defaults file: %v", err)
	}
	s.spec.DefaultsFile, s.file = "", nil

	// A launcher that never lets the server come.
	s.spec.Launcher = []string{script(t, "exec sleep 600\n")}
	began := time.Now()
	if _, err := s.Start(ctx, StartOptions{Timeout: 300 * time.Millisecond}); err == nil || !strings.Contains(err.Error(), "within 300ms") {
		t.Errorf("no server: %v", err)
	}
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
	ended, cancel := context.WithTimeout(ctx, 200*time.Millisecond)
	defer cancel()
	if _, err := s.Start(ended, StartOptions{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the context's end: %v", err)
	}
	s.spec.Launcher = []string{script(t, "exit 0\n")}
	if _, err := s.Start(ctx, StartOptions{}); err == nil || !strings.Contains(err.Error(), "launcher must stay") {
		t.Errorf("a launcher that leaves: %v", err)
	}
	s.spec.Launcher = nil
	stop(t, started(t, s, StartOptions{}))
}

// TestLiveRestore changes data between save and restore.
func TestLiveRestore(t *testing.T) {
	ctx := testContext(t)
	spec := liveSpec(t)
	spec.Options = append(spec.Options[:2:2], "log-bin=changes")
	s := liveSite(t, spec)
	s.settleTimeout = 2 * time.Second // this machine may never be quiet
	i := started(t, s, StartOptions{})
	for _, sql := range []string{"CREATE DATABASE d", "USE d", "CREATE TABLE d.t (a INT PRIMARY KEY, b VARCHAR(100)) ENGINE=InnoDB", "INSERT INTO d.t SELECT seq, REPEAT('x', 100) FROM seq_1_to_5000"} {
		ask(t, i, sql)
	}
	const sum = "SELECT CONCAT(COUNT(*), ' ', SUM(a), ' ', SUM(CRC32(b))) FROM d.t"
	loaded := ask(t, i, sum)
	stop(t, i)
	if err := s.Save(ctx); err != nil {
		t.Fatal(err)
	}
	for round := range 2 {
		i = started(t, s, StartOptions{})
		if got := ask(t, i, sum); got != loaded {
			t.Errorf("round %d: data is %s, loaded %s", round, got, loaded)
		}
		if got := ask(t, i, "SELECT @@log_bin_basename"); got != filepath.Join(s.data(), "changes") {
			t.Errorf("binary log at %s", got)
		}
		ask(t, i, "UPDATE d.t SET b = 'changed', a = -a")
		ask(t, i, "CREATE TABLE d.more (a INT)")
		stop(t, i)
		r, err := s.Restore(ctx)
		if err != nil {
			t.Fatal(err)
		}
		if r.How != RestoreCopy && r.How != RestoreReflink || r.Bytes < 1<<20 || r.Took <= 0 {
			t.Errorf("%+v", r)
		}
		t.Logf("restored: %+v", r)
	}
	i = started(t, s, StartOptions{})
	if got := ask(t, i, sum); got != loaded {
		t.Errorf("restored data is %s, loaded %s", got, loaded)
	}
	if got := ask(t, i, "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA='d'"); got != "1" {
		t.Errorf("%s tables after the restore", got)
	}
}
