package server

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestLiveCrash kills servers behind opcost's back.
func TestLiveCrash(t *testing.T) {
	ctx := testContext(t)
	s := liveSite(t, liveSpec(t))
	i, err := s.Start(ctx, StartOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(i.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	select {
	case <-i.Exited():
	case <-time.After(30 * time.Second):
		t.Fatal("its end was not seen")
	}
	if err := i.Stop(ctx); err == nil || !strings.Contains(err.Error(), "had ended before") || !strings.Contains(err.Error(), "killed") {
		t.Errorf("stop of a server that crashed: %v", err)
	}
	if err := s.Save(ctx); err == nil || !strings.Contains(err.Error(), "pristine") {
		t.Errorf("data of a crashed server was saved: %v", err)
	}

	// One that has not ended in time: no server flushes and ends within a millisecond.
	if i, err = s.Start(ctx, StartOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(i.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := i.stop(ctx, time.Millisecond); err == nil || !strings.Contains(err.Error(), "within 1ms and was killed") {
		t.Errorf("stop of a server that takes too long: %v", err)
	}
	if _, err := startTicks(i.PID()); err == nil {
		t.Error("it still runs")
	}

	// A stop whose context has ended kills at once, behind a launcher too.
	s.spec.Launcher = []string{script(t, "\"$@\"\nexit $?\n")}
	if i, err = s.Start(ctx, StartOptions{}); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(i.PID(), syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	ended, cancel := context.WithCancel(ctx)
	cancel()
	if err := i.Stop(ended); err == nil || !strings.Contains(err.Error(), "was killed") {
		t.Errorf("stop with an ended context: %v", err)
	}
	if _, err := startTicks(i.PID()); err == nil {
		t.Error("it still runs")
	}
}

// TestLiveDiesWithUs kills with -9 a program that has started a server behind a
// launcher that forks, and looks for the server.
func TestLiveDiesWithUs(t *testing.T) {
	if dir := os.Getenv("SERVER_TEST_PARENT"); dir != "" {
		parentThatDies(dir)
		return
	}
	spec := liveSpec(t)
	s := liveSite(t, spec)
	file := filepath.Join(s.dir, "started")
	parent := exec.Command(os.Args[0], "-test.run=^TestLiveDiesWithUs$")
	parent.Env = append(os.Environ(), "TMPDIR="+t.TempDir(), "SERVER_TEST_PARENT="+s.dir, "SERVER_TEST_LAUNCHER="+script(t, "\"$@\"\nexit $?\n"), "SERVER_TEST_MYSQLD="+spec.Mysqld)
	var out strings.Builder
	parent.Stdout, parent.Stderr = &out, &out
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	var pid int
	var ticks uint64
	for range 600 {
		if text, err := os.ReadFile(file); err == nil {
			if n, _ := fmt.Sscan(string(text), &pid, &ticks); n == 2 {
				break
			}
		}
		time.Sleep(100 * time.Millisecond)
	}
	_ = parent.Process.Kill()
	_ = parent.Wait()
	if ticks == 0 {
		t.Fatalf("no server was started: %s", out.String())
	}
	for range 200 {
		if now, err := startTicks(pid); err != nil || now != ticks {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	_ = syscall.Kill(pid, syscall.SIGKILL)
	t.Errorf("server %d outlived the opcost that started it by 10 s", pid)
}

// parentThatDies starts a server and waits for its own end.
func parentThatDies(dir string) {
	ctx := context.Background()
	s, err := Open(ctx, Spec{Name: "doomed", Mysqld: os.Getenv("SERVER_TEST_MYSQLD"), Launcher: []string{os.Getenv("SERVER_TEST_LAUNCHER")}}, dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	i, err := s.Start(ctx, StartOptions{})
	if err != nil {
		fmt.Println(err)
		return
	}
	text := fmt.Sprintf("%d %d\n", i.PID(), i.StartTicks())
	if err := os.WriteFile(filepath.Join(dir, "started"), []byte(text), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	time.Sleep(5 * time.Minute)
}
