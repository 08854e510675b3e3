package isolate

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/explain"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
)

// known answers for a plan what the command line would.
type known struct{}

func (known) Charsets() []string                         { return []string{"latin1", "utf8mb4"} }
func (known) Workloads(names []string) ([]string, error) { return names, nil }
func (known) Drives(plan.Driver, string) error           { return nil }
func (known) Writes(string) bool                         { return true }

// server is a program that a plan accepts.
func server(t *testing.T, name string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func runOf(t *testing.T, version string, options ...string) result.Run {
	t.Helper()
	path := server(t, "mysqld")
	return result.Run{
		Version: version, Workload: "random-points_range=1000", Clients: 4, Driver: "builtin", Protocol: "prepared", Transport: "socket",
		Charset: "latin1", Tables: 2, Rows: 7000, Seed: 11, PlanHash: "x",
		Server: result.Server{Binary: path, Argv: []string{path}, Options: options},
	}
}

const basePlan = `# a comment
options: [innodb-buffer-pool-size=1G]
versions: [{name: a, mysqld: x}, {name: b, mysqld: y}]
workloads: [all]
clients: [1, 4]
warmup: 3s
operations: 4000
repeats: 6
profile: {hz: 99}
counters: callgrind
`

func of(where, key, base, new string) explain.Difference {
	return explain.Difference{Name: strings.TrimSpace(key + " " + where), Isolate: explain.Isolation{Where: where, Key: key, Base: base, New: new, Reason: "because"}}
}

// read has a plan read as `opcost run` reads it.
func read(t *testing.T, p Plan) *plan.Plan {
	t.Helper()
	got, err := plan.Parse(p.Name, p.Text, known{})
	if err != nil {
		t.Fatalf("%s is refused: %v\n%s", p.Name, err, p.Text)
	}
	return got
}

func TestPlans(t *testing.T) {
	base, new := runOf(t, "8.0.27", "innodb-buffer-pool-size=1G", "skip-log-bin"), runOf(t, "8.0.28", "log-bin=binlog", "innodb-buffer-pool-size=1G")
	new.Charset, new.TLS, new.Transport = "utf8mb4", true, "tcp"
	new.Server.Env = map[string]string{"LD_PRELOAD": "/usr/lib/libjemalloc.so"}
	differences := []explain.Difference{
		of("session", "charset", "latin1", "utf8mb4"), of("session", "tls", "off", "on"), of("options", "log-bin", "OFF", "ON"),
		of("options", "performance-schema", "OFF", "ON"), of("options", "optimizer-switch", "mrr=off,x=on", "mrr=on,x=on,hash_join=on"),
		of("env", "LD_PRELOAD", "absent", "/usr/lib/libjemalloc.so"), of("mysqld", "", "1", "2"), of("transport", "", "socket", "tcp"),
		of("options", "gtid-mode", "OFF", "ON"), of("session", "charset", "latin1", "utf8mb4"), of("", "", "", ""), of("options", "new-thing", "absent", "7"),
	}
	plans, skipped, err := Plans(Input{Base: base, New: new, Plan: []byte(basePlan), Differences: differences})
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range plans {
		names = append(names, p.Name)
		got := read(t, p)
		if got.Operations != 4000 || got.Repeats != 6 || got.Tables != 2 || got.Rows != 7000 || got.Seed != 11 || got.Warmup.Seconds() != 3 ||
			!slices.Equal(got.Clients, []int{4}) || !slices.Equal(got.Workloads, []string{"random-points_range=1000"}) || got.Sampling.Hz != 99 {
			t.Errorf("%s measures another cell: %+v", p.Name, got)
		}
		last := got.Versions[len(got.Versions)-1]
		if len(got.Versions) == 2 {
			if first := got.Versions[0]; first.Name != "8.0.27" || !slices.Equal(first.Options, base.Server.Options) || first.Session.Charset != "latin1" || first.Mysqld != base.Server.Binary {
				t.Errorf("%s: the base is %+v", p.Name, first)
			}
		}
		tail := func(n int) []string { return last.Options[len(base.Server.Options):][:n] }
		ok := true
		switch p.Name {
		case "01-charset.yaml":
			ok = last.Session.Charset == "utf8mb4" && !last.Session.TLS && last.Name == "8.0.27-with-charset"
		case "02-tls.yaml":
			ok = last.Session.TLS && last.Session.Charset == "latin1"
		case "03-log-bin.yaml": // in the words of the new side's plan
			ok = slices.Equal(tail(1), []string{"log-bin=binlog"})
		case "04-performance-schema.yaml":
			ok = slices.Equal(tail(1), []string{"performance-schema=ON"})
		case "05-optimizer-switch.yaml": // a switch that the base's server lacks would stop it
			ok = slices.Equal(tail(1), []string{"optimizer-switch=mrr=on"})
		case "06-LD_PRELOAD.yaml":
			ok = last.Env["LD_PRELOAD"] == "/usr/lib/libjemalloc.so" && last.Mysqld == base.Server.Binary
		case "07-mysqld.yaml":
			ok = last.Mysqld == new.Server.Binary && slices.Equal(last.Options, base.Server.Options)
		case "08-transport.yaml":
			ok = got.Transport == plan.TCP && len(got.Versions) == 1
		case "09-gtid-mode.yaml":
			ok = slices.Equal(tail(3), []string{"enforce-gtid-consistency=ON", "log-bin", "gtid-mode=ON"})
		default:
			ok = false
		}
		if !ok {
			t.Errorf("%s:\n%s", p.Name, p.Text)
		}
	}
	if len(plans) != 9 || len(skipped) != 3 {
		t.Errorf("plans %v, skipped %v", names, skipped)
	}
	for _, s := range skipped {
		if s.Reason == "" {
			t.Errorf("%s is skipped without a reason", s.Name)
		}
	}
	if read(t, plans[2]).Hash == read(t, plans[3]).Hash {
		t.Error("two plans measure the same")
	}
}

// A switch that one plan sets and the other does not.
func TestOptionOfOnePlan(t *testing.T) {
	base, new := runOf(t, "a", "skip-name-resolve", "large-pages"), runOf(t, "b", "skip-name-resolve", "userstat")
	gone := explain.Difference{Name: "option large_pages", Isolate: explain.Isolation{Where: "options", Key: "large-pages", Base: "set", New: absent}}
	set := explain.Difference{Name: "option userstat", Isolate: explain.Isolation{Where: "options", Key: "userstat", Base: absent, New: "set"}}
	own := explain.Difference{Name: "option vgdb_prefix", Isolate: explain.Isolation{Where: "options", Key: "vgdb-prefix", Base: "/a", New: "/b"}}
	plans, skipped, err := Plans(Input{Base: base, New: new, Differences: []explain.Difference{gone, set, own}})
	if err != nil || len(plans) != 2 || len(skipped) != 1 || skipped[0].Name != own.Name {
		t.Fatalf("%v, %v, %v", plans, skipped, err)
	}
	if got := read(t, plans[0]).Versions[1].Options; !slices.Equal(got, []string{"skip-name-resolve"}) {
		t.Errorf("without large-pages: %v", got)
	}
	if got := read(t, plans[1]).Versions[1].Options; !slices.Equal(got, []string{"skip-name-resolve", "large-pages", "userstat"}) {
		t.Errorf("with userstat: %v", got)
	}
}

func TestLogBin(t *testing.T) {
	for value, want := range map[string]string{"ON": "log-bin", "OFF": "skip-log-bin"} { // log-bin=OFF would turn it on, into files named OFF
		v := version{}
		if reason := v.take(explain.Isolation{Where: "options", Key: "log-bin", Base: "x", New: value}, result.Run{}); reason != "" || !slices.Equal(v.Options, []string{want}) {
			t.Errorf("log_bin %s: %v, %q", value, v.Options, reason)
		}
	}
}

func TestNoPlanFromOthersServers(t *testing.T) {
	for name, r := range map[string]result.Run{
		"attached": {Driver: result.Attached, Server: result.Server{Binary: "/x", Argv: []string{"/x"}}},
		"imported": {Driver: "sysbench"},
	} {
		if _, _, err := Plans(Input{Base: r}); err == nil {
			t.Errorf("%s: a plan was made", name)
		}
	}
	if _, _, err := Plans(Input{Base: runOf(t, "a"), Plan: []byte("a: [")}); err == nil {
		t.Error("a plan that is no YAML was taken")
	}
}

func TestWrite(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "plans")
	plans := []Plan{{"01-a.yaml", []byte("a")}, {"02-b.yaml", []byte("b")}}
	if err := Write(dir, plans); err != nil {
		t.Fatal(err)
	}
	for _, p := range plans {
		if text, err := os.ReadFile(filepath.Join(dir, p.Name)); err != nil || string(text) != string(p.Text) {
			t.Errorf("%s: %q, %v", p.Name, text, err)
		}
	}
	if err := Write(dir, plans); err == nil || !strings.Contains(err.Error(), "nothing is overwritten") {
		t.Errorf("into a folder that holds plans: %v", err)
	}
	if err := Write(filepath.Join(dir, "01-a.yaml"), plans); err == nil || errors.Is(err, os.ErrNotExist) {
		t.Errorf("into a file: %v", err)
	}
	empty := t.TempDir()
	if err := Write(empty, plans); err != nil {
		t.Errorf("into an empty folder: %v", err)
	}
}

// Whatever a version and a setting are called, the names are those that a plan
// allows.
func FuzzNames(f *testing.F) {
	f.Add("8.0.28", "innodb_buffer_pool_size")
	f.Add("../../x:1,y", "größe")
	f.Add(strings.Repeat("v", 70), strings.Repeat("k", 70))
	f.Fuzz(func(t *testing.T, v, key string) {
		d := explain.Difference{Isolate: explain.Isolation{Where: "options", Key: key}}
		for _, name := range []string{plainVersion(v), versionName(plainVersion(v), d)} {
			if len(name) == 0 || len(name) > 64 || unfit.MatchString(name) || strings.ContainsAny(name[:1], ".-+_") {
				t.Errorf("%q, %q: %q", v, key, name)
			}
		}
	})
}
