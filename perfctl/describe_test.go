package perfctl

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"opcost/perfctl/server"
)

// A library called as an allocator is, preloaded into a program: the record has
// what the process loaded, not what its file asks for.
func TestBuildOfProcess(t *testing.T) {
	gcc, err := exec.LookPath("gcc")
	if err != nil {
		t.Skip("gcc is not installed (Debian: apt-get install gcc)")
	}
	sleep, err := exec.LookPath("sleep")
	if err != nil {
		t.Skip("there is no sleep")
	}
	dir := t.TempDir()
	source, library := filepath.Join(dir, "x.c"), filepath.Join(dir, "libjemalloc.so.2")
	if err := os.WriteFile(source, []byte("int nothing_at_all = 1;\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gcc, "-shared", "-fPIC", "-o", library, source).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	build := buildOf(server.Identity{Path: sleep})
	if build["allocator"] != "glibc" && build["allocator"] != "musl" {
		t.Skipf("sleep has the allocator %q", build["allocator"])
	}
	c := exec.Command(sleep, "600")
	c.Env = append(os.Environ(), "LD_PRELOAD="+library)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Process.Kill(); _ = c.Wait() }()
	got := ""
	for until := time.Now().Add(time.Minute); got != "jemalloc" && time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		got = buildOfProcess(build, c.Process.Pid)["allocator"] // the loader maps it after the start
	}
	if got != "jemalloc" || build["allocator"] == "jemalloc" {
		t.Errorf("the process's allocator is %q, the file's now %q", got, build["allocator"])
	}
	linked := map[string]string{"allocator": "tcmalloc"}
	if got := buildOfProcess(linked, c.Process.Pid)["allocator"]; got != "tcmalloc" {
		t.Errorf("a program with tcmalloc linked into it has %q", got)
	}
	if got := buildOfProcess(nil, c.Process.Pid); got != nil {
		t.Errorf("of a file that cannot be read: %v", got)
	}
	if got := buildOf(server.Identity{Path: source}); got != nil {
		t.Errorf("of a file that is no program: %v", got)
	}
	if got := buildOf(server.Identity{Path: sleep, Debug: true})["type"]; got != "debug" {
		t.Errorf("a debug build is of type %q", got)
	}
}
