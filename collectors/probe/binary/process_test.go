package binary

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// start runs a program that sleeps, and ends it with the test.
func start(t *testing.T, cmd *exec.Cmd) int {
	t.Helper()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	// Until it has left us: the link in /proc changes with execve, and the
	// libraries come a moment later.
	for range 200 {
		b, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "wchan"))
		w, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(cmd.Process.Pid), "stat"))
		if strings.Contains(string(b), "nanosleep") || strings.Contains(string(w), ") S ") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	return cmd.Process.Pid
}

func TestServer(t *testing.T) {
	exe := compile(t, functionsOf(3))
	p, err := Server(start(t, exec.Command(exe, "sleep")))
	if err != nil || p.Path != exe || p.Name != "p" || p.UID != os.Geteuid() || p.Replaced || p.OwnRoot || p.Valgrind || p.Symbols.Table < 7 {
		t.Fatalf("%+v, %v", p, err)
	}
	if p.Malloc != "glibc" && p.Malloc != "musl" || !strings.Contains(p.MallocFrom, "/") {
		t.Errorf("%s, %s", p.Malloc, p.MallocFrom)
	}
}

// A library that is preloaded serves malloc, though the program does not need it.
func TestServerWithPreloadedAllocator(t *testing.T) {
	exe := compile(t, functionsOf(1))
	lib := filepath.Join(t.TempDir(), "libjemalloc.so.2")
	source := filepath.Join(t.TempDir(), "l.c")
	if err := os.WriteFile(source, []byte("int nothing;\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, "gcc", "-shared", "-fPIC", "-o", lib, source)
	cmd := exec.Command(exe, "sleep")
	cmd.Env = []string{"LD_PRELOAD=" + lib}
	p, err := Server(start(t, cmd))
	if err != nil || p.Malloc != "jemalloc" || p.MallocFrom != "has loaded "+lib {
		t.Errorf("%s, %s, %v", p.Malloc, p.MallocFrom, err)
	}
}

// An upgrade replaces the file of a server that runs on: what it runs is read,
// not what now has its name.
func TestServerWhoseProgramWasReplaced(t *testing.T) {
	exe := compile(t, functionsOf(9), "-Wl,--build-id=0xaaaa")
	pid := start(t, exec.Command(exe, "sleep"))
	if err := os.Remove(exe); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(compile(t, functionsOf(1), "-Wl,--build-id=0xbbbb"), exe); err != nil {
		t.Fatal(err)
	}
	p, err := Server(pid)
	if err != nil || !p.Replaced || p.BuildID != "aaaa" || p.Path != exe {
		t.Errorf("%+v, %v", p, err)
	}
}

// In a tree of its own, files are read there.
func TestServerInAChroot(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can change the root")
	}
	exe := compile(t, functionsOf(3), "-static", "-g", "-Wl,--build-id=0xc0ffee")
	root := filepath.Dir(exe)
	debug := filepath.Join(root, "usr/lib/debug/.build-id/c0/ffee.debug")
	for _, dir := range []string{filepath.Dir(debug), filepath.Join(root, "etc")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "etc/os-release"), []byte("ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, "objcopy", "--only-keep-debug", exe, debug)
	do(t, "strip", exe)
	cmd := exec.Command("/p", "sleep")
	cmd.SysProcAttr = &syscall.SysProcAttr{Chroot: root}
	cmd.Dir = "/"
	p, err := Server(start(t, cmd))
	if err != nil || !p.OwnRoot || p.Debug.File != "/usr/lib/debug/.build-id/c0/ffee.debug" || p.Family != "fedora" {
		t.Errorf("%+v, %v", p, err)
	}
}

func TestProcessesThatHaveNoProgram(t *testing.T) {
	for _, pid := range []int{0, -1, 1 << 22} {
		if _, err := Server(pid); !errors.Is(err, ErrNoProcess) {
			t.Errorf("%d: %v", pid, err)
		}
	}
	if comm, err := os.ReadFile("/proc/2/comm"); err == nil && strings.TrimSpace(string(comm)) == "kthreadd" {
		if _, err := Server(2); !errors.Is(err, ErrKernelThread) {
			t.Errorf("kthreadd: %v", err)
		}
	}
	dead := exec.Command("true")
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	for range 500 { // until it is a zombie: nobody has waited for it yet
		if b, _ := os.ReadFile(filepath.Join("/proc", strconv.Itoa(dead.Process.Pid), "stat")); strings.Contains(string(b), ") Z ") {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if _, err := Server(dead.Process.Pid); !errors.Is(err, ErrNoProcess) || !strings.Contains(err.Error(), "has ended") {
		t.Errorf("a zombie: %v", err)
	}
	_ = dead.Wait()
}
