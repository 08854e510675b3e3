package perfproc

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors/internal/perfcontrol"
)

var quick = Patience{Attach: 30 * time.Second, Edge: 2 * time.Second, End: 2 * time.Second}

// script is a program in perf's place: shell code that has perf's descriptors.
func script(t *testing.T, code string) Spec {
	t.Helper()
	path := filepath.Join(t.TempDir(), "perf")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+code), 0o755); err != nil {
		t.Fatal(err)
	}
	return Spec{Argv: []string{path}, PID: os.Getpid(), Wait: quick}
}

const obeys = `while read -r c <&3; do printf 'ack\n\0' >&4; done`

func TestProc(t *testing.T) {
	for _, c := range []struct {
		name, code string
		start      string // error of Start
		edge       string // and of Enable
		clean      bool
		ending     func(Ending) bool
	}{
		{name: "obeys", code: "trap 'exit 130' INT\n" + obeys, clean: true, ending: func(e Ending) bool { return e.Code == ExitInt && !e.Early }},
		{name: "ended by the signal itself", code: obeys, clean: true, ending: func(e Ending) bool { return e.Signal() != 0 }},
		{name: "refuses", code: "echo Error: >&2; echo 'No permission' >&2; exit 255", start: "perf ended",
			ending: func(e Ending) bool {
				return e.Early && e.Code == ExitRefused && e.Said("No permission") && e.FirstLine() == "No permission"
			}},
		{name: "says nothing", code: "exit 7", start: "perf ended", ending: func(e Ending) bool { return e.Code == 7 && e.FirstLine() == "it said nothing" }},
		{name: "ends in the window", code: "read -r c <&3; printf 'ack\\n\\0' >&4; read -r c <&3; exit 3", edge: "perf ended", ending: func(e Ending) bool { return e.Early && e.Code == 3 }},
		{name: "does not end", code: "trap '' INT\n" + obeys, ending: func(e Ending) bool { return e.Hung != nil }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p, end, err := Start(t.Context(), script(t, c.code))
			if (err != nil) != (c.start != "") || err != nil && !strings.Contains(err.Error(), c.start) {
				t.Fatalf("Start: %v", err)
			}
			if err == nil {
				err = p.Enable(t.Context())
				if (err != nil) != (c.edge != "") || err != nil && !errors.Is(err, perfcontrol.ErrEnded) {
					t.Errorf("Enable: %v", err)
				}
				if again := p.Disable(t.Context()); (again != nil) != (err != nil) {
					t.Errorf("Disable: %v after %v", again, err)
				}
				end = p.Stop()
			}
			if end.Clean() != c.clean || !c.ending(end) {
				t.Errorf("%+v", end)
			}
		})
	}
}

func TestFirstLine(t *testing.T) {
	for text, want := range map[string]string{
		"": "it said nothing",
		"Events disabled\n[ perf record: Woken up 1 times to write data ]\nError:\nno\x1b[2J way\n": "no?[2J way",
		"  Error: unknown option\n":     "unknown option",
		strings.Repeat("x", 500) + "\n": strings.Repeat("x", 160) + "...",
	} {
		if got := (Ending{Stderr: text}).FirstLine(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestSameProcess(t *testing.T) {
	p, err := procfs.Self()
	if err != nil {
		t.Fatal(err)
	}
	stat, err := p.Stat()
	if err != nil {
		t.Fatal(err)
	}
	dead := exec.Command("true") // not waited for: a zombie
	if err := dead.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = dead.Wait() }()
	for err := SameProcess(dead.Process.Pid, 0); err == nil; err = SameProcess(dead.Process.Pid, 0) {
		time.Sleep(time.Millisecond)
	}
	for _, c := range []struct {
		pid   int
		ticks uint64
		want  string
	}{
		{os.Getpid(), stat.Starttime, ""}, {os.Getpid(), 0, ""}, {os.Getpid(), stat.Starttime + 1, "another process"},
		{1 << 22, 0, "is gone"}, {dead.Process.Pid, 0, "has ended"},
	} {
		err := SameProcess(c.pid, c.ticks)
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%d %d: %v, want %q", c.pid, c.ticks, err, c.want)
		}
	}
}
