package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"opcost/perfctl/result"
)

// outside is what no results folder may give away.
const outside = "canary-outside-of-the-folder"

// looksAt are commands that read a results folder of two versions, a and b.
func looksAt(dir, out string) map[string][]string {
	at := func(name string) string { return filepath.Join(out, name) }
	return map[string][]string{
		"report":  {"report", dir, "--noise", "none"},
		"json":    {"report", dir, "--noise", "none", "--format", "json"},
		"page":    {"report", dir, "--noise", "none", "--format", "html", "--out", at("page.html")},
		"flames":  {"report", dir, "--noise", "none", "--format", "html", "--flames", "--out", at("flames.html")},
		"compare": {"compare", dir, "--base", "a", "--new", "b", "--noise", "none"},
		"isolate": {"compare", dir, "--base", "a", "--new", "b", "--noise", "none", "--isolate", at("isolate")},
		"bundle":  {"compare", dir, "--base", "a", "--new", "b", "--noise", "none", "--bundle", at("bundle.tar.gz")},
		"top":     {"profile", "top", dir},
		"diff":    {"profile", "diff", dir, "--base", "a", "--new", "b,clients=1"},
		"flame":   {"profile", "flame", dir + ":a,clients=1", "--out", at("flame.html")},
		"export":  {"profile", "export", dir + ":a,clients=1", "--to", "folded"},
	}
}

// written is all that lies in a folder, unpacked.
func written(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if z, err := gzip.NewReader(bytes.NewReader(text)); err == nil {
			var plain bytes.Buffer
			if _, err := plain.ReadFrom(z); err != nil {
				return err
			}
			text = plain.Bytes()
		}
		all.WriteString(path + "\n")
		all.Write(text)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

// put replaces a path by something else.
func put(t *testing.T, path string, make func(path string) error) {
	t.Helper()
	if err := os.RemoveAll(path); err != nil {
		t.Fatal(err)
	}
	if err := make(path); err != nil {
		t.Fatal(err)
	}
}

// runsOf are the run folders of a results folder.
func runsOf(t *testing.T, dir string) []string {
	t.Helper()
	runs, err := filepath.Glob(filepath.Join(dir, "runs", "*"))
	if err != nil || len(runs) == 0 {
		t.Fatalf("%v %v", runs, err)
	}
	return runs
}

// TestSecurityLinks: results that came from elsewhere lead nowhere. Links and
// pipes in the places of their files are neither read nor waited for, and what
// they lead to is in nothing that is printed or written.
func TestSecurityLinks(t *testing.T) {
	secret := filepath.Join(t.TempDir(), "secret")
	for name, text := range map[string]string{"": outside, ".yaml": "workloads: [" + outside + "]\n", "-proc.json": `{"x": "` + outside + `"}`} {
		if err := os.WriteFile(secret+name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	linked := func(to string) func(string) error { return func(path string) error { return os.Symlink(to, path) } }
	pipe := func(path string) error { return syscall.Mkfifo(path, 0o600) }
	for name, spoil := range map[string]func(run string){
		"evidence folder": func(run string) { put(t, filepath.Join(run, "evidence"), linked(filepath.Dir(secret))) },
		"links": func(run string) {
			put(t, filepath.Join(run, "evidence", result.ProfileFile), linked(secret))
			put(t, filepath.Join(run, "evidence", "w0-proc.json"), linked(secret+"-proc.json"))
			put(t, filepath.Join(run, "..", "..", "plans", "plan.0123.yaml"), linked(secret+".yaml"))
			put(t, filepath.Join(run, "..", "..", "index"), linked(secret))
		},
		"pipes": func(run string) {
			for _, at := range []string{"evidence/" + result.ProfileFile, "evidence/w0-proc.json", "../../plans/plan.0123.yaml", "../../index"} {
				put(t, filepath.Join(run, at), pipe)
			}
		},
		"records":                func(run string) { put(t, filepath.Join(run, "run.json"), linked(secret)) },
		"records that are pipes": func(run string) { put(t, filepath.Join(run, "run.json"), pipe) },
	} {
		t.Run(name, func(t *testing.T) {
			dir := countedCells(t, map[string]float64{"a": 1e6, "b": 2e6}, 2, 1)
			for _, run := range runsOf(t, dir) {
				spoil(run)
			}
			out := t.TempDir()
			for what, args := range looksAt(dir, out) {
				o := inProcess(args...) // a pipe that is waited for hangs the test
				for _, text := range []string{o.stdout, o.stderr} {
					if strings.Contains(text, outside) {
						t.Errorf("%s prints what a link leads to: %s", what, text)
					}
				}
			}
			if strings.Contains(written(t, out), outside) {
				t.Error("what a link leads to is in a file that was written")
			}
		})
	}
}

// TestSecurityIndexPipe: a folder large enough for an index, in whose place a pipe
// lies, is read without it.
func TestSecurityIndexPipe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "results")
	folder, err := result.Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer folder.Close()
	for i := range 210 {
		r := hostileRun(0, i, "8.0")
		if _, err := folder.Begin(r.ID); err != nil {
			t.Fatal(err)
		}
		if err := folder.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	put(t, filepath.Join(dir, "index"), func(path string) error { return syscall.Mkfifo(path, 0o600) })
	if o := inProcess("report", dir, "--noise", "none", "--format", "csv"); o.code != exitDone {
		t.Errorf("%d: %s", o.code, o.stderr)
	}
}

// TestSecurityNames: a record that names files outside of its folder is left out,
// as is one whose id would.
func TestSecurityNames(t *testing.T) {
	for _, name := range []string{"../../../etc/passwd", "/etc/passwd", "a/../../b", ".."} {
		dir := filepath.Join(t.TempDir(), "results")
		folder, err := result.Create(dir)
		if err != nil {
			t.Fatal(err)
		}
		r := hostileRun(0, 0, "8.0")
		r.Passes[0].Windows[0].Evidence = []string{name}
		if err := folder.Write(r); err == nil || !strings.Contains(err.Error(), "outside the run's folder") {
			t.Errorf("evidence %q: %v", name, err)
		}
		r = hostileRun(0, 0, "8.0")
		r.ID = name
		if _, err := folder.Begin(r.ID); err == nil {
			t.Errorf("id %q was taken", name)
		}
		// One that another program has written.
		r = hostileRun(0, 0, "8.0")
		if _, err := folder.Begin(r.ID); err != nil {
			t.Fatal(err)
		}
		if err := folder.Write(r); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "runs", r.ID, "run.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, bytes.ReplaceAll(text, []byte("evidence.json"), []byte(name)), 0o600); err != nil {
			t.Fatal(err)
		}
		if o := inProcess("report", dir, "--noise", "none"); o.code == exitDone {
			t.Errorf("evidence %q: it was reported", name)
		}
		if err := folder.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestSecurityRunsNothing: to look at results starts no program. (That of the
// package manager says which package has a program's symbols; it only looks.)
func TestSecurityRunsNothing(t *testing.T) {
	dir := countedCells(t, map[string]float64{"a": 1e6, "b": 2e6}, 2, 1)
	for _, run := range runsOf(t, dir) { // programs, if any of these were taken for one
		for _, name := range []string{"perf", "run.sh", "w0-count-0.perf.data", "driver-load.lua", "oltp_point_select.lua"} {
			put(t, filepath.Join(run, "evidence", name), func(path string) error {
				return os.WriteFile(path, []byte("#!/bin/sh\ntouch \"$OPCOST_CANARY\"\n"), 0o700)
			})
		}
	}
	fake, canary := t.TempDir(), filepath.Join(t.TempDir(), "ran")
	for _, name := range []string{"perf", "sh", "bash", "python3", "perl", "valgrind", "mysqld", "mariadbd", "sysbench", "mysqlslap", "mariadb-slap", "addr2line", "objdump",
		"gdb", "curl", "wget", "ssh", "git", "go", "less", "more", "xdg-open"} {
		text := "#!/bin/sh\necho " + name + " >>" + canary + "\n"
		if err := os.WriteFile(filepath.Join(fake, name), []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", fake)
	t.Setenv("OPCOST_CANARY", canary)
	t.Setenv("PAGER", filepath.Join(fake, "less"))
	t.Chdir(runsOf(t, dir)[0])
	out := t.TempDir()
	for what, args := range looksAt(dir, out) {
		if o := inProcess(args...); o.code != exitDone && what != "isolate" { // these records have no server to make a plan of
			t.Errorf("%s: exit %d, %s", what, o.code, o.stderr)
		}
	}
	if info, err := os.Stat(filepath.Join(out, "bundle.tar.gz")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the bundle: %v, %v", info, err)
	}
	if ran, err := os.ReadFile(canary); err == nil {
		t.Errorf("started: %s", ran)
	}
}

// laughs are lists of lists of lists, by aliases: a trillion words in all.
func laughs() string {
	text := "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n"
	for i := 1; i < 12; i++ {
		text += fmt.Sprintf("a%d: &a%d [%s]\n", i, i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return text
}

// TestSecurityBombs: small files that would take all memory or time, if they were
// taken as they are, are errors.
func TestSecurityBombs(t *testing.T) {
	plan := func(text string) []string { return []string{"run", planFile(t, text), "--estimate"} }
	against := func(text string) []string { return []string{"attach", "--against", planFile(t, text)} }
	bombs(t, map[string][]string{
		"plan of aliases": plan(laughs() + "versions: *a11\n"), "plan of brackets": plan(strings.Repeat("[", 60_000)), "plan of itself": plan("versions: &v\n  - <<: *v\n"),
		"large plan": plan("# " + strings.Repeat("x", 1<<20) + "\n"), "large baseline": against(strings.Repeat("[", 17<<20)), "nested baseline": against(`{"schema":1,"x":` + strings.Repeat("[", 1<<20)),
	})
}

// TestSecurityBombsLong: the same of compressed files.
func TestSecurityBombsLong(t *testing.T) {
	long(t)
	dir := t.TempDir()
	packed := func(name, begin string, block []byte, times int) string {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(begin))
		for range times {
			_, _ = z.Write(block)
		}
		_ = z.Close()
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	zeros := make([]byte, 1<<20)
	samples := bytes.Repeat([]byte{0x12, 0x00}, 1<<19) // empty messages, each some 130 bytes once read
	const types = "\x0a\x04\x08\x01\x10\x02"
	bombs(t, map[string][]string{
		"pprof of zeros": {"profile", "top", packed("zeros.pb.gz", types, zeros, 400)}, "pprof of samples": {"profile", "top", packed("samples.pb.gz", types, samples, 100)},
		"one line": {"profile", "top", packed("line.gz", "a;b", bytes.Repeat([]byte("x"), 1<<20), 400)},
		"import":   {"import", packed("sysbench.txt.gz", "sysbench 1.0.20\n", zeros, 200), "--out", filepath.Join(dir, "imported")},
	})
}

// bombs has commands end by an error, in 4 GB of address space.
func bombs(t *testing.T, commands map[string][]string) {
	t.Helper()
	for name, args := range commands {
		t.Run(name, func(t *testing.T) {
			o := inLittle(t, t.TempDir(), 4<<20, args...)
			if o.code != exitUsage && o.code != exitIncomplete || strings.Contains(o.stderr, "goroutine ") || strings.Contains(o.stderr, "out of memory") {
				t.Errorf("exit %d: %.600s", o.code, o.stderr)
			}
			if len(o.stderr) > 20_000 {
				t.Errorf("%d bytes of errors", len(o.stderr))
			}
		})
	}
}

// inLittle runs opcost with so many kB of address space.
func inLittle(t *testing.T, dir string, kB int, args ...string) outcome {
	t.Helper()
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("/bin/sh", append([]string{"-c", fmt.Sprintf(`ulimit -v %d && exec "$@"`, kB), "sh", path}, args...)...)
	cmd.Dir = dir
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	return outcome{cmd.ProcessState.ExitCode(), out.String(), errs.String()}
}

// TestSecurityBombBesideResults: a plan beside results, whose aliases stand for
// more than any memory holds, is left out of what is handed on.
func TestSecurityBombBesideResults(t *testing.T) {
	dir := countedCells(t, map[string]float64{"a": 1e6, "b": 2e6}, 2, 1)
	for what, text := range map[string]string{"aliases": laughs() + "driver: *a11\n", "brackets": "driver: " + strings.Repeat("[", 60_000), "size": "driver: " + strings.Repeat("x", 1<<20)} {
		if err := os.WriteFile(filepath.Join(dir, "plans", "plan.0123.yaml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		out := filepath.Join(t.TempDir(), "bundle.tar.gz")
		o := inLittle(t, t.TempDir(), 4<<20, "compare", dir, "--base", "a", "--new", "b", "--noise", "none", "--bundle", out)
		if o.code != exitDone || !strings.Contains(o.stderr, "not in the bundle: the plan of the base") {
			t.Errorf("%s: exit %d: %.600s", what, o.code, o.stderr)
		}
		if info, err := os.Stat(out); err != nil || info.Size() > 1<<20 {
			t.Errorf("%s: %v %v", what, info, err)
		}
	}
}
