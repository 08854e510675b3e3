package threads

import (
	"os"
	"runtime"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"opcost/collectors/internal/testserver"
	"opcost/perfctl/result"
)

// TestLiveUnprivileged counts on a thread that lacks the right to count the
// kernel's side, and on one that lacks any.
func TestLiveUnprivileged(t *testing.T) {
	paranoid, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if os.Geteuid() != 0 || err != nil || strings.TrimSpace(string(paranoid)) < "2" || len(strings.TrimSpace(string(paranoid))) > 1 {
		t.Skipf("needs root (to lay down rights) and kernel.perf_event_paranoid of 2 or more, which is %q (%v)", paranoid, err)
	}
	s := testserver.Start(t)
	target := s.Target(t)
	conn := s.Control(t)
	conn.Exec(t, "select 1")
	measured := func(caps ...uint) (rs map[string]result.Reading, rows []result.Thread) {
		done := make(chan struct{})
		go func() {
			defer close(done)
			runtime.LockOSThread() // never unlocked: the thread ends, and its lack of rights with it
			if err := drop(caps...); err != nil {
				t.Error(err)
				return
			}
			rs, rows = measure(t, counted(Options{}), target, able(), func() { conn.Exec(t, busy) })
		}()
		<-done
		return rs, rows
	}
	rs, rows := measured(unix.CAP_PERFMON, unix.CAP_SYS_ADMIN)
	if t.Failed() {
		return
	}
	if r := rs["threads_counted"]; r.State != result.OK || r.Scope != result.User || rows[0].Scope != result.User || *rows[0].Instructions < 10e6 {
		t.Errorf("%+v; %+v: want user space alone, and a count", r, rows[0])
	}
	rs, rows = measured(unix.CAP_PERFMON, unix.CAP_SYS_ADMIN, unix.CAP_SYS_PTRACE)
	if t.Failed() {
		return
	}
	is(t, rs, "threads_counted", result.Unsupported, 0, "permission denied", "CAP_PERFMON")
	if r := rows[0]; r.Instructions != nil || r.CPUUS < 10_000 || r.State != result.OK {
		t.Errorf("%+v: want CPU time, and no instructions", r)
	}
}

// drop takes capabilities from the calling thread.
func drop(caps ...uint) error {
	h := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&h, &data[0]); err != nil {
		return err
	}
	for _, c := range caps {
		data[c/32].Effective &^= 1 << (c % 32)
		data[c/32].Permitted &^= 1 << (c % 32)
	}
	return unix.Capset(&h, &data[0])
}
