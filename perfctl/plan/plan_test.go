package plan

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestDefaults(t *testing.T) {
	p := mustParse(t, with(""))
	p.Hash = ""
	want := &Plan{
		File: "/plans/p.yaml", Base: "a",
		Versions:  []Version{{Name: "a", Mysqld: "/usr/sbin/mariadbd", Session: Session{Charset: "latin1", Protocol: "prepared"}}},
		Workloads: []string{"point-query"},
		Tables:    1, Rows: 100000, Clients: []int{1}, Transport: "socket",
		Warmup: 5 * time.Second, Duration: 10 * time.Second, Repeats: 4,
		Restart: "set", Restore: Restore{Kind: "auto"}, Counters: "auto", Seed: 1,
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Error(d)
	}
}

func TestEverything(t *testing.T) {
	p := mustParse(t, `
options: [--innodb_buffer_pool_size=1G]
versions:
  - name: 8.0            # YAML's number, our text
    mysqld: build/mysqld
    defaults_file: my.cnf
    options: [skip-log-bin, --disconnect_on_expired_password=OFF, "performance-schema-instrument=%=on"]
    session: {charset: utf8mb4, protocol: text, tls: true}
    launcher: [numactl, --interleave=all]
    env: {A: 1, B: "", C_2: "x y"}
  - {name: five, basedir: /opt/five}
  - {name: maria, basedir: ../opt/maria}
  - {name: both, basedir: /opt/five, mysqld: /opt/five/bin/mysqld}
  - {name: word, basedir: /opt/five, mysqld: mysqld}
base: five
workloads: [write, point, point-query]
tables: 2
rows: 1_000
clients: [4, 1]
transport: tcp
server_cpus: [1]
client_cpus: [0]
warmup: 0s
operations: 20000
repeats: 6
restart: run
restore: {command: /bin/rollback now}
counters: callgrind
profile: false
budget: 1h30m
seed: 18446744073709551615
`)
	p.Hash = ""
	latin := Session{Charset: "latin1", Protocol: "prepared"}
	pool := []string{"innodb_buffer_pool_size=1G"}
	want := &Plan{
		File: "/plans/p.yaml", Base: "five", Options: pool,
		Versions: []Version{
			{
				Name: "8.0", Mysqld: "/plans/build/mysqld", DefaultsFile: "/plans/my.cnf",
				Options:  []string{"innodb_buffer_pool_size=1G", "skip-log-bin", "disconnect_on_expired_password=OFF", "performance-schema-instrument=%=on"},
				Session:  Session{Charset: "utf8mb4", Protocol: "text", TLS: true},
				Launcher: []string{"/usr/bin/numactl", "--interleave=all"},
				Env:      map[string]string{"A": "1", "B": "", "C_2": "x y"},
			},
			{Name: "five", Mysqld: "/opt/five/bin/mysqld", Basedir: "/opt/five", Options: pool, Session: latin},
			{Name: "maria", Mysqld: "/opt/maria/sbin/mariadbd", Basedir: "/opt/maria", Options: pool, Session: latin},
			{Name: "both", Mysqld: "/opt/five/bin/mysqld", Basedir: "/opt/five", Options: pool, Session: latin},
			{Name: "word", Mysqld: "/opt/five/bin/mysqld", Basedir: "/opt/five", Options: pool, Session: latin},
		},
		Workloads: []string{"update-index", "point-query", "hot-points"},
		Tables:    2, Rows: 1000, Clients: []int{4, 1}, Transport: "tcp",
		ServerCPUs: []int{1}, ClientCPUs: []int{0},
		Operations: 20000, Repeats: 6, Restart: "run", Budget: 90 * time.Minute,
		Restore: Restore{Kind: "command", Command: "/bin/rollback now"}, Counters: "callgrind",
		Seed: 18446744073709551615,
	}
	if d := cmp.Diff(want, p); d != "" {
		t.Error(d)
	}
}

func TestAnchorsAndMerges(t *testing.T) {
	p := mustParse(t, `
versions:
  - &a
    name: x
    mysqld: mariadbd
    options: &o [log-bin]
    session: {protocol: text}
  - {<<: *a, name: y}
  - <<: [{session: {tls: true}}, *a]
    name: z
    options: *o
  - &a {name: again, basedir: /opt/five}
  - {<<: *a, name: last}
workloads: [point-query]
`)
	var got []string
	for _, v := range p.Versions {
		got = append(got, v.Name+" "+v.Mysqld+" "+string(v.Session.Protocol))
	}
	want := []string{
		"x /usr/sbin/mariadbd text", "y /usr/sbin/mariadbd text",
		"z /usr/sbin/mariadbd prepared", // the first of the merged has the session
		"again /opt/five/bin/mysqld prepared",
		"last /opt/five/bin/mysqld prepared", // the nearest anchor above
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Error(d)
	}
	if !p.Versions[2].Session.TLS || len(p.Versions[2].Options) != 1 {
		t.Errorf("z: %+v", p.Versions[2])
	}
}

// What is written in another way and means the same has the same hash; what
// measures something else has another.
func TestHash(t *testing.T) {
	base := mustParse(t, with("options: [innodb-buffer-pool-size=1G]\nclients: [1, 4]\n")).Hash
	if len(base) != 16 {
		t.Fatalf("hash %q, want 16 hex digits", base)
	}
	same := map[string]string{
		"comments, key order": "# c\nclients: [1, 4]\nworkloads: [point-query] # c\nversions: [{mysqld: mariadbd, name: a}]\noptions: [innodb-buffer-pool-size=1G]\n",
		"defaults spelt out": with("options: [innodb-buffer-pool-size=1G]\nclients: [1, 4]\nduration: 10s\nwarmup: 5000ms\nrepeats: 4\nseed: 1\n" +
			"base: a\nprofile: false\nrestore: auto\ncounters: auto\nserver_cpus: auto\ntransport: socket\ntables: 1\nrows: 100_000\nrestart: set\n"),
		"option in the version": "versions: [{name: a, mysqld: /usr/sbin/mariadbd, options: [--innodb_buffer_pool_size=1G], env: {}, launcher: [], session: {tls: false}}]\nworkloads: [point-query]\nclients:\n- 1\n- 4\n",
	}
	for name, text := range same {
		if h := mustParse(t, text).Hash; h != base {
			t.Errorf("%s: hash %s, want %s", name, h, base)
		}
	}
	if p, err := Parse("/elsewhere/q.yaml", []byte(with("options: [innodb-buffer-pool-size=1G]\nclients: [1, 4]\n")), newFake()); err != nil || p.Hash != base {
		t.Errorf("the file's name changes the hash: %v", err)
	}

	version := func(more string) string {
		return "versions: [{name: a, mysqld: mariadbd" + more + "}]\nworkloads: [point-query]\n"
	}
	seen := map[string]string{base: "base"}
	for _, text := range []string{
		with(""), with("rows: 5"), with("seed: 2"), with("clients: [4]"), with("clients: [4, 1]"), with("duration: 1s"), with("operations: 100"),
		with("warmup: 0s"), with("repeats: 5"), with("restart: run"), with("restore: copy"), with("restore: {command: x}"), with("restore: {command: y}"),
		with("counters: none"), with("transport: tcp"), with("server_cpus: [0]"), with("client_cpus: [0]"), with("tables: 2"),
		version(", options: [log-bin]"), version(", options: [log-bin=x]"), version(", session: {tls: true}"), version(", env: {A: b}"),
		version(", launcher: [numactl]"), version(", defaults_file: my.cnf"), version(", defaults_file: other.cnf"),
		"versions: [{name: b, mysqld: mariadbd}]\nworkloads: [point-query]\n",
		"versions: [{name: a, mysqld: /opt/five/bin/mysqld}]\nworkloads: [point-query]\n",
		"versions: [{name: a, mysqld: mariadbd}]\nworkloads: [hot-points]\n",
	} {
		h := mustParse(t, text).Hash
		if other, dup := seen[h]; dup {
			t.Errorf("equal hashes:\n%s\n%s", other, text)
		}
		seen[h] = text
	}
	if mustParse(t, version(", defaults_file: my.cnf")).Hash != mustParse(t, version(", defaults_file: same.cnf")).Hash {
		t.Error("defaults files of equal content give other hashes")
	}
}

func TestListCPUs(t *testing.T) {
	for _, s := range []string{"0", "0-3", "0-3,8", "1,3,5-6"} {
		cpus, err := parseCPUs(s)
		if err != nil || listCPUs(cpus) != s {
			t.Errorf("%s: %v, %v, written %s", s, cpus, err, listCPUs(cpus))
		}
	}
	for _, s := range []string{"", "a", "3-1", "-1", "0,", "0-99999"} {
		if cpus, err := parseCPUs(s); err == nil {
			t.Errorf("%q: %v, want an error", s, cpus)
		}
	}
}

func TestVariants(t *testing.T) {
	// Five versions and three variants in eight lines.
	p := mustParse(t, `options: [innodb-flush-log-at-trx-commit=2]
versions:
  - {name: "5.0", basedir: /opt/five, options: [sync-binlog=0]}
  - {name: "5.1", basedir: /opt/five, env: {A: b}}
  - {name: "5.5", basedir: /opt/five}
  - {name: "5.6", basedir: /opt/five}
  - {name: "5.7", basedir: /opt/five}
variants:
  - {name: -bl, options: [log-bin]}
  - {name: -nobl, options: [skip-log-bin]}
  - {name: -noahi, options: [skip-log-bin, skip-innodb-adaptive-hash-index]}
workloads: [point-query]
`)
	var names []string
	for _, v := range p.Versions {
		names = append(names, v.Name)
	}
	if d := cmp.Diff([]string{"5.0-bl", "5.0-nobl", "5.0-noahi", "5.1-bl", "5.1-nobl", "5.1-noahi", "5.5-bl", "5.5-nobl", "5.5-noahi",
		"5.6-bl", "5.6-nobl", "5.6-noahi", "5.7-bl", "5.7-nobl", "5.7-noahi"}, names); d != "" {
		t.Error(d)
	}
	if d := cmp.Diff([]string{"innodb-flush-log-at-trx-commit=2", "sync-binlog=0", "skip-log-bin", "skip-innodb-adaptive-hash-index"}, p.Versions[2].Options); d != "" {
		t.Error(d)
	}
	if p.Base != "5.0-bl" || p.Versions[5].Env["A"] != "b" || p.Versions[4].Mysqld != "/opt/five/bin/mysqld" {
		t.Errorf("base %s, %+v", p.Base, p.Versions[4])
	}
	written := mustParse(t, "versions: [{name: a-x, mysqld: mariadbd, options: [log-bin]}]\nworkloads: [point-query]\n")
	if multiplied := mustParse(t, with("variants: [{name: -x, options: [log-bin]}]\n")); multiplied.Hash != written.Hash {
		t.Error("a variant and the same version written out have different hashes")
	}
}

func TestDriver(t *testing.T) {
	for text, want := range map[string]Driver{
		"":                                   {},
		"driver: builtin\n":                  {},
		"driver: {name: builtin}\n":          {},
		"driver: sysbench\n":                 {Name: "sysbench"},
		"driver: mysqlslap\n":                {Name: "mysqlslap"},
		"driver: {lua: my.lua}\n":            {Name: "sysbench", Lua: "/plans/my.lua"},
		"driver: {lua: /opt/lua/}\n":         {Name: "sysbench", Lua: "/opt/lua"},
		"driver: {command: 'x {seconds}'}\n": {Name: "command", Command: "x {seconds}"},
		"driver: {name: sysbench, program: numactl, options: [--a=b]}\n": {Name: "sysbench", Program: "/usr/bin/numactl", Options: []string{"--a=b"}},
	} {
		p := mustParse(t, with(text))
		if d := cmp.Diff(want, p.Driver); d != "" {
			t.Errorf("%q: %s", text, d)
		}
		if same := p.Hash == mustParse(t, with("")).Hash; same != (want.Name == "") {
			t.Errorf("%q: the same hash as the built-in driver: %v", text, same)
		}
	}
}

func TestWritesAndMachine(t *testing.T) {
	p := mustParse(t, with("restore: replay\nwrite_operations: 20_000\nnuma: 0\nclient_cpus: [1]\n"))
	if p.Restore.Kind != "replay" || p.WriteOperations != 20000 || p.Duration != 10*time.Second || p.NUMA == nil || *p.NUMA != 0 {
		t.Errorf("%+v", p)
	}
	if d := cmp.Diff([]int{0}, p.ServerCPUs); d != "" {
		t.Error(d)
	}
	mustParse(t, with("options: [innodb-buffer-pool-size=2G, innodb-buffer-pool-size=2097152K]\n"))
	n, err := here{}.Nodes()
	if cpus, cpuErr := (here{}).CPUs(); err != nil || cpuErr != nil || len(n) == 0 {
		t.Errorf("this machine's nodes: %v, %v, CPUs %v, %v", n, err, cpus, cpuErr)
	}
	if m, err := (here{}).MemoryBytes(); err != nil || m < 64<<20 {
		t.Errorf("this machine's memory: %d, %v", m, err)
	}
}

func TestProfile(t *testing.T) {
	usual := Sampling{Hz: 499, CallGraph: "fp"}
	for text, want := range map[string]Sampling{
		"profile: true\n":                            usual,
		"profile: {}\n":                              usual,
		"profile: {hz: 499}\n":                       usual,
		"profile: {hz: 97, call_graph: dwarf}\n":     {Hz: 97, CallGraph: "dwarf"},
		"profile: {event: 'cpu/event=1,umask=2/'}\n": {Hz: 499, CallGraph: "fp", Event: "cpu/event=1,umask=2/"},
		"profile: false\n":                           {},
		"":                                           {},
	} {
		p := mustParse(t, with(text))
		if p.Sampling != want || p.Profile != (want != Sampling{}) {
			t.Errorf("%q: %v %+v, want %+v", text, p.Profile, p.Sampling, want)
		}
		if same := p.Hash == mustParse(t, with("profile: true\n")).Hash; same != (want == usual) {
			t.Errorf("%q: the same hash as profile: true: %v", text, same)
		}
		if n := p.NoiseFloor(); n.Profile || n.Sampling != (Sampling{}) {
			t.Errorf("%q: the noise floor has a profile", text)
		}
	}
}
