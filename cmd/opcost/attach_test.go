package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/collectors/child"
	"opcost/perfctl/server"
	"opcost/perfctl/workload"
)

// TestAttach attaches to a live server that opcost does not know to be its own,
// through the whole command, and has other tools judge what it prints.
func TestAttach(t *testing.T) {
	lacking(t, "mariadbd", "sysbench", "perf")
	if _, err := built(); err != nil { // with the HOME, and so the build cache, that tests change
		t.Fatal(err)
	}
	s := attachable(t)
	type part struct {
		name string
		test func(*testing.T, *attachServer)
	}
	for _, c := range []part{
		{"judges", judges},
		{"many connections", manyConnections},
		{"traced", traced},
		{"profiled", profiled},
		{"unprivileged", unprivileged},
		{"mistakes", mistakes},
		{"at once", func(t *testing.T, s *attachServer) { // they measure nothing
			for _, c := range []part{{"passwords", passwords}, {"screen", screens}, {"appended", appended}} {
				t.Run(c.name, func(t *testing.T) {
					t.Parallel()
					c.test(t, s)
				})
			}
		}},
		{"lost connection", lostConnection},
		{"stopped", stopped}, // starts it again, as another process
	} {
		t.Run(c.name, func(t *testing.T) { c.test(t, s) })
	}
}

// attachServer is a MariaDB with a table and the server's own statistics on.
type attachServer struct {
	*server.Instance
	site *server.Site
}

func attachable(t *testing.T) *attachServer {
	t.Helper()
	ctx := context.Background()
	path, err := exec.LookPath("mariadbd")
	if err != nil {
		path = "/usr/sbin/mariadbd"
	}
	dir, err := os.MkdirTemp("", "opcost-attach-test-") // t.TempDir's name is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	site, err := server.Open(ctx, server.Spec{Name: "live", Mysqld: path, Options: []string{"performance-schema=ON", "max-connections=700"}}, dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := site.Initialise(ctx); err != nil {
		t.Fatal(err)
	}
	s := &attachServer{site: site}
	s.start(t)
	t.Cleanup(func() { _ = s.Stop(ctx) })
	access := workload.Access{Network: "unix", Addr: s.Socket(), User: s.User(), Database: "sbtest", Charset: "latin1", Protocol: workload.Prepared}
	if err := workload.Load(ctx, access, workload.Data{Tables: 1, Rows: 1000, Seed: 1}, nil); err != nil {
		t.Fatal(err)
	}
	return s
}

func (s *attachServer) start(t *testing.T) {
	t.Helper()
	inst, err := s.site.Start(context.Background(), server.StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	s.Instance = inst
}

// load has sysbench query the server, and ends by itself at the latest.
func (s *attachServer) load(t *testing.T, threads int, length time.Duration, more ...string) (stop func()) {
	t.Helper()
	argv := append([]string{
		"sysbench", "oltp_point_select", "--tables=1", "--table-size=1000", "--db-ps-mode=disable", "--mysql-user=root", "--mysql-db=sbtest",
		"--mysql-socket=" + s.Socket(), fmt.Sprintf("--threads=%d", threads), fmt.Sprintf("--time=%.0f", length.Seconds()),
	}, append(more, "run")...)
	p, err := child.Start(child.Spec{Argv: argv})
	if err != nil {
		t.Fatal(err)
	}
	stop = func() { _ = p.Stop(9, time.Second) }
	t.Cleanup(stop)
	begin := s.questions(t)
	eventually(t, "sysbench queries the server", func() bool { return s.questions(t) > begin+200 })
	return stop
}

// questions is how many statements the server has done.
func (s *attachServer) questions(t *testing.T) (n float64) {
	t.Helper()
	rows, err := s.Control().Query(context.Background(), "SHOW GLOBAL STATUS LIKE 'Questions'")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := fmt.Sscan(rows[0][1], &n); err != nil {
		t.Fatal(err)
	}
	return n
}

// attach are the arguments that attach to it.
func (s *attachServer) attach(more ...string) []string {
	return append([]string{"attach", "--pid", fmt.Sprint(s.PID()), "--user", "root"}, more...)
}

// value is a metric as the JSON has it.
type value struct {
	Value     *float64
	Low, High *float64
	State     string
	Reason    string
	Source    string
}

// liveReport is what the tests read of the JSON.
type liveReport struct {
	Rows       []struct{ Metrics map[string]value }
	Started    time.Time
	Seconds    float64
	Operations float64
	Kinds      []struct {
		Name  string
		Count float64
	}
	Digests []struct{ Text string }
	Threads []struct {
		User       string
		Connection uint64
		Own        bool
	}
	Warnings []struct{ Code, Text string }
}

func (r liveReport) metric(t *testing.T, name string) float64 {
	t.Helper()
	if len(r.Rows) != 1 {
		t.Fatalf("%d rows", len(r.Rows))
	}
	m := r.Rows[0].Metrics[name]
	if m.Value == nil || m.State != "ok" {
		t.Fatalf("%s: %+v", name, m)
	}
	return *m.Value
}

// parseLive reads the JSON of a command that has gone well.
func parseLive(t *testing.T, o outcome) (r liveReport) {
	t.Helper()
	if o.code != exitDone {
		t.Fatalf("exit %d: %s", o.code, o.stderr)
	}
	if err := json.Unmarshal([]byte(o.stdout), &r); err != nil {
		t.Fatalf("%v in\n%s", err, o.stdout)
	}
	return r
}

// saved is the window's record, for what the report leaves out.
func saved(t *testing.T, path string) (w struct {
	EdgeNS     [2]int64 `json:"edge_ns"`
	DurationNS int64    `json:"duration_ns"`
	Readings   []struct {
		Name        string
		Value       *float64
		Uncertainty float64
		State       string
		Reason      string
		Gauge       bool
	}
}) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var run struct {
		Passes []struct{ Windows []json.RawMessage }
	}
	if err := json.Unmarshal(text, &run); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(run.Passes[0].Windows[0], &w); err != nil {
		t.Fatal(err)
	}
	return w
}

// oneLine: the command is refused with one clear line, and prints nothing else.
func oneLine(t *testing.T, o outcome, code int, words ...string) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(o.stderr), "\n")
	last := lines[len(lines)-1]
	if o.code != code || o.stdout != "" || !strings.HasPrefix(last, "opcost: ") {
		t.Errorf("exit %d, want %d; stdout %q, stderr\n%s", o.code, code, o.stdout, o.stderr)
	}
	for _, line := range lines[:len(lines)-1] {
		if !strings.HasPrefix(line, "warning: ") {
			t.Errorf("more than one line:\n%s", o.stderr)
		}
	}
	for _, w := range words {
		if !strings.Contains(last, w) {
			t.Errorf("%q is not in %s", w, last)
		}
	}
}

func inDir(t *testing.T, name string) string { return filepath.Join(t.TempDir(), name) }
