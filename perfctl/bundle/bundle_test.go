package bundle

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"opcost/perfctl/result"
)

// What must not be in a bundle, wherever it stood.
var planted = []string{
	"hunter2", "s3cr3t-token", "topsecret", "db7", "db9.corp.example", "10.20.30.40", "fe80::1a2b:3c4d:5e6f:7a8b", "jrandom", "alice@shop.example",
	"4111111111111111", "Mallory", "0xdeadbeef", "987654.25",
}

const sqlSecret = "SELECT c FROM accounts WHERE name='Mallory' AND card = 4111111111111111 AND x=0xdeadbeef AND y<987654.25"

// run is one with secrets in every field that takes a text.
func run(t *testing.T, version string) result.Run {
	t.Helper()
	dir := t.TempDir()
	r := result.Run{
		Schema: 1, ID: "r00-" + version, Host: "db7.corp.example", Version: version, Start: "db7-start", Workload: "point-query", Clients: 1,
		Driver: "builtin", Protocol: "prepared", Transport: "tcp", Charset: "latin1", TLS: true, Tables: 1, Rows: 5000, Path: dir, Checksum: "abc",
		Machine: result.Machine{Kernel: "6.1 on db7", CPUModel: "X", CPUs: 2, PMU: "counts"},
		Server: result.Server{
			Binary: "/home/jrandom/mysqld", VersionText: "mysqld Ver 8.0.36 (jrandom@db7.corp.example)", Flavor: "mysql", Number: "8.0.36",
			Argv:      []string{"/home/jrandom/mysqld", "--report-host=db9.corp.example", "--master-password=hunter2", "--bind-address=127.0.0.1", "--wsrep_cluster_address=gcomm://10.20.30.40"},
			Launcher:  []string{"ssh", "root:hunter2@tcp(10.20.30.40:3306)"},
			Options:   []string{"ssl-passphrase=topsecret", "innodb-buffer-pool-size=1G", "report-host=db9.corp.example"},
			Env:       map[string]string{"API_TOKEN": "s3cr3t-token", "MYSQL_PWD": "hunter2", "LD_PRELOAD": "/home/jrandom/libjemalloc.so"},
			Variables: map[string]string{"hostname": "db7", "log_bin": "ON", "validate_password": "topsecret", "innodb_buffer_pool_size": "1073741824", "init_connect": sqlSecret},
			Session:   map[string]string{"ssl_cipher": "TLS_AES_128_GCM_SHA256"},
			Plans:     map[string]string{sqlSecret: "accounts ref name(4) Using where"},
			Build:     map[string]string{"compiler": "GCC 12 of jrandom@db7"},
		},
		Warnings: []result.Warning{{Code: "server", Text: "Access denied for user 'jrandom'@'10.20.30.40' (using password: hunter2)"}},
		Passes: []result.Pass{{Kind: result.PassCount, State: result.Failed, Reason: "dial root:hunter2@tcp(db9.corp.example:3306): " + sqlSecret,
			Windows: []result.Window{{ID: "w0", Digests: []result.Digest{{Digest: "d", Text: sqlSecret}}}}}},
	}
	evidence := filepath.Join(dir, "evidence")
	if err := os.Mkdir(evidence, 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(evidence, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("w0-count-0-status.json", []byte(`{"begin":{"questions":"12345","ssl_server_not_after":"Mallory","wsrep_incoming_addresses":"10.20.30.40:3306","rsa_public_key":"topsecret"},"own":9007199254740993}`))
	write("w0-count-0-host.json", []byte(`{"begin":{"disks":{"vda":{"reads":7}},"seen":"db7 at fe80::1a2b:3c4d:5e6f:7a8b"}}`))
	write("w0-count-0-digest.json", []byte(`{"`+sqlSecret+`":{"text":"`+sqlSecret+`"}}`))
	write("w0-count-0.perfstat.json", []byte("# started on db7 by jrandom at /home/jrandom/x\n{\"counter-value\" : \"728.916313\", \"event\" : \"task-clock\"}\n"))
	if err := os.Symlink("w0-count-0-proc.json", filepath.Join(evidence, "w2-proc.json")); err != nil {
		t.Fatal(err)
	}
	packed, err := zip([]byte("cmd: /home/jrandom/mysqld --master-password=hunter2\nob=(1) /home/jrandom/mysqld\nfn=(1) dispatch_command\n12 4711\n"))
	if err != nil {
		t.Fatal(err)
	}
	write("w0-callgrind-callgrind-thread-02.out.gz", packed)
	write("w1-profile.data", []byte("PERFILE2 db7.corp.example hunter2"))
	write("driver-load-statements.sql", []byte(sqlSecret))
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "instructions", Unit: "count"}},
		Function:   []*profile.Function{{ID: 1, Name: "row_search_mvcc", Filename: "/home/jrandom/row0sel.cc"}},
		Mapping:    []*profile.Mapping{{ID: 1, File: "/home/jrandom/mysqld"}},
		Comments:   []string{"recorded on db7 with hunter2"},
	}
	p.Location = []*profile.Location{{ID: 1, Mapping: p.Mapping[0], Line: []profile.Line{{Function: p.Function[0]}}}}
	p.Sample = []*profile.Sample{{Location: p.Location, Value: []int64{4711}, Label: map[string][]string{"statement": {sqlSecret}}}}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	write(result.ProfileFile, b.Bytes())
	return r
}

const plantedPlan = `# measured by jrandom on db7 with hunter2
versions:
  - name: a
    mysqld: /home/jrandom/mysqld   # Mallory's
    options: [innodb-buffer-pool-size=1G, "report-host=db9.corp.example"]
    env: {API_TOKEN: s3cr3t-token}
workloads: [point-query]
driver: {command: "mysqlslap -ujrandom -phunter2 --host=10.20.30.40 --query=\"SELECT 1 FROM t WHERE card=4111111111111111\""}
restore: {command: "lvrestore --token s3cr3t-token"}
rows: 5000
`

func input(t *testing.T) Input {
	return Input{
		Program: "v1", Title: "point-query is 31% slower on db7.corp.example",
		Explanation: "| plan of " + sqlSecret + " | k_1(4) | rows 31.5 |\nmysql://jrandom:hunter2@db9.corp.example/shop says alice@shop.example\n31% slower: instructions/query explain 28 points\n",
		Base:        Side{Name: "a", Runs: []result.Run{run(t, "a")}, Plan: []byte(plantedPlan)},
		New:         Side{Name: "b", Runs: []result.Run{run(t, "b")}},
		Commands:    []string{"opcost run plan-base.yaml --out results # --password=hunter2"},
		Files:       []File{{Name: "tables.md", Text: []byte("on db7: 10.11.19 against 10.11.20, 5,001 rows read/query\n" + sqlSecret + "\n"), About: "the tables"}},
		Secrets:     []string{"topsecret", "jrandom"},
	}
}

// everything is all the text of a bundle, unfolded.
func everything(t *testing.T, files []File) map[string]string {
	t.Helper()
	out := map[string]string{}
	for _, f := range files {
		text, err := plain(f)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		out[f.Name] = string(text)
	}
	return out
}

func TestNothingLeaks(t *testing.T) {
	files, left, err := Files(input(t))
	if err != nil {
		t.Fatal(err)
	}
	all := everything(t, files)
	for name, text := range all {
		for _, secret := range planted {
			if strings.Contains(strings.ToLower(text), strings.ToLower(secret)) || strings.Contains(name, secret) {
				t.Errorf("%s holds %q", name, secret)
			}
		}
	}
	// What a reader needs is still there.
	for name, wants := range map[string][]string{
		"README.md": {"31% slower", "28 points", "k_1(4)", "rows 31.5", "latin1, TLS TLS_AES_128_GCM_SHA256", "opcost run plan-base.yaml --out results", "8.0.36",
			"accounts ref name(4) Using where", "w1-profile.data", "driver-load-statements.sql", "the plan of the new: it is not among its results", "`tables.md`: the tables"},
		"plan-base.yaml":           {"innodb-buffer-pool-size=1G", "rows: 5000", "point-query", "mysqlslap"},
		"tables.md":                {"10.11.19 against 10.11.20, 5,001 rows read/query"},
		"runs/base/r00-a/run.json": {`"innodb_buffer_pool_size": "1073741824"`, `"host": "host-`, `--bind-address=127.0.0.1`, `"rows": 5000`},
		"runs/base/r00-a/evidence/w0-count-0-status.json":                  {`"12345"`, "9007199254740993"},
		"runs/base/r00-a/evidence/w0-count-0.perfstat.json":                {`"728.916313"`},
		"runs/base/r00-a/evidence/w0-callgrind-callgrind-thread-02.out.gz": {"dispatch_command", "12 4711"},
	} {
		for _, want := range wants {
			if !strings.Contains(all[name], want) {
				t.Errorf("%s lacks %q:\n%s", name, want, all[name])
			}
		}
	}
	p, err := profile.ParseUncompressed([]byte(all["runs/new/r00-b/evidence/"+result.ProfileFile]))
	if err != nil || p.Function[0].Name != "row_search_mvcc" || p.Sample[0].Value[0] != 4711 {
		t.Errorf("the profile: %v, %v", p, err)
	}
	if all := strings.Join(left, "\n"); !strings.Contains(all, "w1-profile.data") || !strings.Contains(all, "w2-proc.json") {
		t.Errorf("what is left out, a kind and a link: %q", left)
	}
	if strings.Contains(all["runs/base/r00-a/run.json"], `"checksum": "abc"`) {
		t.Error("a record that was changed keeps its checksum")
	}
}

// A name that the scrubbing misses stops the bundle.
func TestLeakIsNoticed(t *testing.T) {
	in := input(t)
	in.Secrets = append(in.Secrets, "REMOVED")
	s := newScrubber(in)
	s.know("a secret", "zebra", "zebra-crossing")
	if what := s.leaks(File{"x", []byte("a zebra here"), ""}); what == "" {
		t.Error("a known name went through")
	}
	if what := s.leaks(File{"x", []byte("no animal"), ""}); what != "" {
		t.Errorf("%s was found in nothing", what)
	}
}

func TestWrite(t *testing.T) {
	in := input(t)
	dir := t.TempDir()
	path := filepath.Join(dir, "slower.tar.gz")
	if _, err := Write(path, in); err != nil {
		t.Fatal(err)
	}
	first, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Write(path, in); err == nil || !strings.Contains(err.Error(), "nothing is overwritten") {
		t.Errorf("a second one over it: %v", err)
	}
	again := filepath.Join(t.TempDir(), "slower.tar.gz")
	if _, err := Write(again, in); err != nil {
		t.Fatal(err)
	}
	second, err := os.ReadFile(again)
	if err != nil || !bytes.Equal(first, second) {
		t.Error("the same input gave other bytes")
	}
	// Read by the tar and gzip of the standard library.
	z, err := gzip.NewReader(bytes.NewReader(first))
	if err != nil {
		t.Fatal(err)
	}
	tr := tar.NewReader(z)
	names := ""
	for {
		h, err := tr.Next()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uname+h.Gname != "" || h.Uid+h.Gid != 0 || h.ModTime.Unix() != 0 || !strings.HasPrefix(h.Name, "slower/") {
			t.Errorf("header %+v", h)
		}
		names += h.Name + "\n"
	}
	if !strings.Contains(names, "slower/README.md\n") {
		t.Errorf("no page among:\n%s", names)
	}
	if _, err := Write(filepath.Join(dir, "none.tar.gz"), Input{}); err == nil {
		t.Error("a bundle of nothing was written")
	}
	if _, err := os.Stat(filepath.Join(dir, "none.tar.gz")); err == nil {
		t.Error("a failed bundle leaves a file")
	}
}

func TestScrub(t *testing.T) {
	s := newScrubber(Input{Hosts: []string{"vm", "db7.corp.example"}})
	for in, want := range map[string]string{
		"on vm, not a vmstat":                      "on host-2, not a vmstat",
		"DB7 db7 db7":                              "host-1 host-1 host-1",
		"--ssl-passphrase=x y":                     "--ssl-passphrase=REMOVED y",
		"at 192.168.1.17:3306, 127.0.0.1, 0.0.0.0": "at ADDRESS:3306, 127.0.0.1, 0.0.0.0",
		"version 10.11.19-MariaDB, 5.5.5-10.4.18":  "version 10.11.19-MariaDB, 5.5.5-10.4.18",
		"INSERT INTO t VALUES (5, 'it''s', -3)":    "INSERT INTO t VALUES (?, ?, ?)",
		"SELECT k FROM sbtest1 WHERE k=?":          "SELECT k FROM sbtest1 WHERE k=?",
		"SELECT a FROM t1 WHERE b='cut off":        "SELECT a FROM t1 WHERE b=?",
		"update the plan: 28 points":               "update the plan: 28 points",
		"memcpy@@GLIBC_2.14":                       "memcpy@@GLIBC_2.14",
		"std::__cxx11::basic_string<char>":         "std::__cxx11::basic_string<char>",
		"at 17:05:09":                              "at 17:05:09",
	} {
		if got := s.text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

// In a sentence, the values of the statement go and other numbers stay.
func TestSentence(t *testing.T) {
	s := newScrubber(Input{})
	for in, want := range map[string]string{
		"base's plan of SELECT k FROM t WHERE k BETWEEN ? AND ? (t range k_1(4) Using index → t ALL -), rows read/query 101.5 → 5001": "" +
			"base's plan of SELECT k FROM t WHERE k BETWEEN ? AND ? (t range k_1(4) Using index → t ALL -), rows read/query 101.5 → 5001",
		"SELECT c FROM t WHERE a=5 AND b IN (7,8, 9) LIMIT 10: 31.5 ms":       "SELECT c FROM t WHERE a=? AND b IN (?,?, ?) LIMIT ?: 31.5 ms",
		"| SELECT 4111 FROM t WHERE n='Mallory' | 17 |":                       "| SELECT ? FROM t WHERE n=? | 17 |",
		"the server's words: INSERT INTO t VALUES (-3, 0xbeef, x'41', 'a b":   "the server's words: INSERT INTO t VALUES (?, ?, x?, ?",
		"DELETE FROM t WHERE a>1.5e3 OR 6 < b - 2":                            "DELETE FROM t WHERE a>? OR ? < b - ?",
		"nothing of SQL: range 5 to 7, a limit of 10, in 2 of 2 windows (50)": "nothing of SQL: range 5 to 7, a limit of 10, in 2 of 2 windows (50)",
	} {
		if got := s.lines(in); got != want {
			t.Errorf("%q became\n%q, want\n%q", in, got, want)
		}
	}
}

// Whatever text stands around it, a password after its key does not come out.
func FuzzPassword(f *testing.F) {
	f.Add("--", "=", " end")
	f.Add(`{"`, `": "`, `"}`)
	f.Add("SET ", " = '", "'")
	f.Fuzz(func(t *testing.T, before, between, after string) {
		if strings.Trim(between, ` "'`) != "=" && strings.Trim(between, ` "'`) != ":" || strings.Count(between, `"`)+strings.Count(between, "'") > 1 {
			t.Skip("no assignment between the name and the value")
		}
		if got := newScrubber(Input{}).text(before + " password" + between + "Zq9secretZq9" + after); strings.Contains(got, "Zq9secretZq9") {
			t.Errorf("%q", got)
		}
	})
}
