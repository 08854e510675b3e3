package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"opcost/perfctl/doctor"
)

func doctorSays(t *testing.T, args ...string) doctor.Report {
	t.Helper()
	var out, errs strings.Builder
	if code := run(append([]string{"doctor", "--format", "json"}, args...), &out, &errs); code != exitDone || errs.Len() > 0 {
		t.Fatalf("exit status %d, stderr %s", code, errs.String())
	}
	var r doctor.Report
	if err := json.Unmarshal([]byte(out.String()), &r); err != nil {
		t.Fatal(err)
	}
	return r
}

func states(r doctor.Report) map[string]doctor.Check {
	m := map[string]doctor.Check{}
	for _, c := range r.Checks {
		m[c.Name] = c
	}
	return m
}

func TestLiveDoctor(t *testing.T) {
	says := states(doctorSays(t, "--pid", strconv.Itoa(os.Getpid())))
	kernel, err := os.ReadFile("/proc/sys/kernel/osrelease")
	if err != nil {
		t.Fatal(err)
	}
	if got := says["kernel"].Found; got != strings.TrimSpace(string(kernel)) {
		t.Errorf("kernel %q", got)
	}
	if c := says["process"]; c.State != doctor.OK || !strings.Contains(c.Found, os.Args[0]) {
		t.Errorf("%+v", c)
	}
	for _, name := range []string{"instructions/query", "perf", "valgrind", "PMU self-test", "perf_event_paranoid", "seccomp", "CPU governor", "disk", "symbols", "LTO", "sampled event", "call graphs", "perf_event_mlock_kb"} {
		if _, there := says[name]; !there && name != "PMU self-test" {
			t.Errorf("there is no line %q", name)
		}
	}
	if _, there := states(doctorSays(t))["process"]; there {
		t.Error("a server's lines without --pid")
	}
}

func TestDoctorUsedWrongly(t *testing.T) {
	for _, c := range []struct{ args, want string }{
		{"--pid 4194304", "there is no such process"},
		{"--pid 0", "there is no such process"},
		{"--pid=-1", "there is no such process"},
		{"--pid x", "int"},
		{"--format html5", "table, markdown, csv, tsv, json"},
		{"--frobnicate", "--frobnicate"},
	} {
		var out, errs strings.Builder
		code := run(append([]string{"doctor"}, strings.Fields(c.args)...), &out, &errs)
		if code != exitUsage || out.Len() > 0 || !strings.Contains(errs.String(), c.want) {
			t.Errorf("%s: exit status %d, stdout %q, stderr %q", c.args, code, out.String(), errs.String())
		}
	}
	if comm, err := os.ReadFile("/proc/2/comm"); err == nil && strings.TrimSpace(string(comm)) == "kthreadd" {
		var out, errs strings.Builder
		if code := run([]string{"doctor", "--pid", "2"}, &out, &errs); code != exitUsage || errs.String() != "opcost: --pid: process 2 (kthreadd): a kernel thread has no program\n" {
			t.Errorf("exit status %d, stderr %q", code, errs.String())
		}
	}
}

// Somebody without rights gets an answer too, and what the rights would be.
func TestLiveDoctorUnprivileged(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can become nobody")
	}
	dir, err := os.MkdirTemp("", "opcost-doctor-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	exe := filepath.Join(dir, "opcost")
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	b, err := os.ReadFile(program)
	if err == nil {
		err = os.WriteFile(exe, b, 0o755)
	}
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "doctor", "--format", "json", "--pid", strconv.Itoa(os.Getpid()))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "TMPDIR=/tmp"}
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 65534, Gid: 65534}}
	cmd.Stderr = os.Stderr
	cmd.Dir = "/"
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var r doctor.Report
	if err := json.Unmarshal(out, &r); err != nil {
		t.Fatal(err)
	}
	says := states(r)
	if c := says["process"]; c.State != doctor.Missing || !strings.Contains(c.Found, "user 65534 may not read") || !strings.HasPrefix(c.Remedy, "sudo opcost doctor --pid ") {
		t.Errorf("%+v", c)
	}
	if c := says["user, capabilities"]; c.State != doctor.Limited || !strings.Contains(c.Found, "user 65534") {
		t.Errorf("%+v", c)
	}
	if c := says["tracefs"]; c.State == doctor.OK {
		if info, err := os.Stat("/sys/kernel/tracing"); err != nil || info.Mode().Perm()&0o005 == 0 {
			t.Errorf("%+v", c)
		}
	}
}
