package child

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func alive(pid int) bool {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	return !strings.HasPrefix(rest, "Z")
}

// TestDiesWithUs kills a parent with -9, twice removed, and looks for its child.
func TestDiesWithUs(t *testing.T) {
	if os.Getenv("CHILD_TEST_PARENT") != "" {
		p, err := Start(Spec{Argv: []string{"sleep", "60"}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(os.Getenv("CHILD_TEST_PARENT"), []byte(strconv.Itoa(p.PID())), 0o600); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		return
	}
	file := t.TempDir() + "/pid"
	parent := exec.Command(os.Args[0], "-test.run=^TestDiesWithUs$")
	parent.Env = append(os.Environ(), "CHILD_TEST_PARENT="+file)
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	for range 500 {
		b, _ := os.ReadFile(file)
		if pid, _ = strconv.Atoi(string(b)); pid > 0 {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	if pid == 0 || !alive(pid) {
		t.Fatal("the child did not start")
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	for range 200 {
		if !alive(pid) {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("child %d outlived its killed parent by 2 s", pid)
}

func TestStop(t *testing.T) {
	p, err := Start(Spec{Argv: []string{"sh", "-c", "trap '' TERM; while :; do sleep 0.05; done"}})
	if err != nil {
		t.Fatal(err)
	}
	time.Sleep(100 * time.Millisecond)
	if err := p.Stop(syscall.SIGTERM, 200*time.Millisecond); err == nil {
		t.Error("a program that ignores SIGTERM was said to have ended by itself")
	}
	if alive(p.PID()) {
		t.Error("still alive")
	}
	if err := p.Signal(syscall.SIGTERM); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("signal to an ended program: %v", err)
	}
}

func TestOutput(t *testing.T) {
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	t.Setenv("MYSQL_PWD", "secret")
	out, _, err := Output(context.Background(), "env")
	if err != nil || !strings.Contains(out, "LC_ALL=C\n") || strings.Contains(out, "secret") {
		t.Errorf("environment of a tool: %v\n%s", err, out)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 100*time.Millisecond)
	defer cancel()
	began := time.Now()
	if _, _, err := Output(ctx, "sh", "-c", "sleep 30 & sleep 30"); err == nil || time.Since(began) > 5*time.Second {
		t.Errorf("a hanging tool: %v after %v", err, time.Since(began))
	}
}
