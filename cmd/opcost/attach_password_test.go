package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"
)

// passwords: each way to give one works, and it is in no argument of any
// process, no environment of a helper, no output and no file.
func passwords(t *testing.T, s *attachServer) {
	const secret = "s3cr3t-p4ssw0rd"
	for _, q := range []string{"CREATE OR REPLACE USER guarded@localhost IDENTIFIED BY '" + secret + "'", "GRANT PROCESS ON *.* TO guarded@localhost"} {
		if _, err := s.Control().Query(context.Background(), q); err != nil {
			t.Fatal(err)
		}
	}
	s.load(t, 1, 60*time.Second)
	path, err := built()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	options := filepath.Join(dir, "options")
	home := filepath.Join(dir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range []string{options, filepath.Join(home, ".my.cnf")} {
		if err := os.WriteFile(f, []byte("[client]\nuser=guarded\npassword="+secret+"\n"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		name string
		env  []string
		args []string
		ask  bool
	}{
		{"MYSQL_PWD", []string{"MYSQL_PWD=" + secret, "HOME=/"}, []string{"--user", "guarded"}, false},
		{"defaults file", []string{"HOME=/"}, []string{"--defaults-file", options}, false},
		{"my.cnf", []string{"HOME=" + home}, nil, false},
		{"prompt", []string{"HOME=/"}, []string{"--user", "guarded"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			baseline := inDir(t, "baseline")
			argv := append([]string{path, "attach", "--pid", fmt.Sprint(s.PID()), "--duration", "700ms", "--format", "json", "--baseline", baseline}, c.args...)
			if c.ask { // on a terminal, which script(1) makes
				lacking(t, "script")
				argv = []string{"script", "-qec", strings.Join(argv, " "), "/dev/null"}
			}
			cmd := exec.Command(argv[0], argv[1:]...)
			cmd.Env = append(os.Environ(), c.env...)
			var out watched
			cmd.Stdout, cmd.Stderr = &out, &out
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			typed, seen := false, 0
			for done := false; !done; {
				select {
				case err := <-ended:
					if err != nil {
						t.Fatalf("%v: %s", err, out.text())
					}
					done = true
				case <-time.After(10 * time.Millisecond):
				}
				seen += shows(t, secret, path)
				if c.ask && !typed && strings.Contains(out.text(), "assword") {
					time.Sleep(300 * time.Millisecond) // as long as it takes to type
					if _, err := in.Write([]byte(secret + "\n")); err != nil {
						t.Fatal(err)
					}
					typed = true
				}
			}
			if seen == 0 {
				t.Error("no process was looked at while it ran")
			}
			if !strings.Contains(out.text(), `"user": "guarded"`) && !strings.Contains(out.text(), `"user":"guarded"`) {
				t.Errorf("it was not the account's: %.600s", out.text())
			}
			text, err := os.ReadFile(baseline)
			if err != nil {
				t.Fatal(err)
			}
			for where, text := range map[string]string{"what it printed": out.text(), "the baseline": string(text)} {
				if strings.Contains(text, secret) {
					t.Errorf("the password is in %s", where)
				}
			}
		})
	}
}

// shows looks for a secret in the arguments of all processes, and in the
// environment of those that opcost has started. It gives how many processes
// were opcost.
func shows(t *testing.T, secret, opcost string) (ours int) {
	t.Helper()
	all, err := procfs.AllProcs()
	if err != nil {
		t.Fatal(err)
	}
	mine := map[int]bool{}
	for _, p := range all {
		args, _ := p.CmdLine() // of one that has just ended: nothing
		if strings.Contains(strings.Join(args, " "), secret) {
			t.Errorf("the password is an argument of %q", args)
		}
		if exe, err := p.Executable(); err == nil && exe == opcost {
			ours++
			mine[p.PID] = true
		}
	}
	for _, p := range all {
		stat, err := p.Stat()
		if err != nil || !mine[stat.PPID] || mine[p.PID] {
			continue
		}
		env, _ := p.Environ()
		if strings.Contains(strings.Join(env, " "), secret) {
			t.Errorf("the password is in the environment of %s", stat.Comm)
		}
	}
	return ours
}
