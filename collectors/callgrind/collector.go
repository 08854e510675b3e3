package callgrind

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors"
	"opcost/collectors/probe"
)

// New is the collector for a server that was started by w.Wrap.
func New(w Wrapper) collectors.Collector { return collector{w: w, timeout: replyWithin} }

type collector struct {
	w       Wrapper
	timeout time.Duration // of one answer
}

func (collector) Name() string { return "callgrind" }

// Arm finds the valgrind that runs the server and makes it answer.
// Instrumentation stays off until Begin, so a warm-up before it runs at
// several times the speed.
func (c collector) Arm(ctx context.Context, t collectors.Target, caps probe.Caps) (collectors.Armed, error) {
	vgdb, err := c.findVgdb(caps)
	if err != nil {
		return nil, err
	}
	if err := c.checkProcess(t.PID); err != nil {
		return nil, err
	}
	a := &armed{
		target:  t,
		dir:     c.w.Dir,
		hint:    hint(t.Tag),
		control: control{vgdb: vgdb, prefix: c.w.vgdbPrefix(), pid: t.PID, timeout: c.timeout},
	}
	if _, err := a.switchTo(ctx, false); err != nil {
		return nil, unsupported(err.Error(), "see valgrind's log in "+c.w.Dir)
	}
	return a, nil
}

func unsupported(reason, remedy string) error {
	return &collectors.Unsupported{What: "instructions under callgrind", Reason: reason, Remedy: remedy}
}

const install = "apt-get install valgrind, or your distribution's package of that name"

// findVgdb looks beside the valgrind that is used, then on PATH: vgdb and
// valgrind must be of one version.
func (c collector) findVgdb(caps probe.Caps) (string, error) {
	valgrind := c.w.Valgrind
	if valgrind == "" {
		valgrind = caps.Valgrind.Path
	}
	if valgrind == "" {
		valgrind = "valgrind"
	}
	valgrind, err := exec.LookPath(valgrind)
	if err != nil {
		return "", unsupported(fmt.Sprintf("valgrind is not installed (%v)", err), install)
	}
	if beside, err := exec.LookPath(filepath.Join(filepath.Dir(valgrind), "vgdb")); err == nil {
		return beside, nil
	}
	vgdb, err := exec.LookPath("vgdb")
	if err != nil {
		return "", unsupported(fmt.Sprintf("vgdb, which controls valgrind, is neither beside %s nor on PATH", valgrind), install)
	}
	return vgdb, nil
}

// checkProcess refuses a process that valgrind does not run, or that vgdb must
// not be let near: where the process has given up the user that valgrind was
// started as, vgdb's call hangs it, or ends it with "vgdb FIFO cannot be opened".
func (c collector) checkProcess(pid int) error {
	if !c.hasPipes(pid) {
		return unsupported(fmt.Sprintf("process %d was not started under valgrind with its pipes in %s", pid, c.w.Dir),
			"start the server with the command line that Wrapper.Wrap gives")
	}
	p, err := procfs.NewProc(pid)
	if err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	exe, err := p.Executable()
	if err != nil {
		return fmt.Errorf("process %d: which program it runs: %w", pid, err)
	}
	// .../valgrind/callgrind-amd64-linux; the server's own name is nowhere in /proc/PID/exe.
	if !strings.HasPrefix(filepath.Base(exe), "callgrind-") {
		return unsupported(fmt.Sprintf("process %d runs %s, not valgrind's callgrind tool", pid, exe),
			"start the server with the command line that Wrapper.Wrap gives")
	}
	status, err := p.NewStatus()
	if err != nil {
		return fmt.Errorf("process %d: %w", pid, err)
	}
	// Real, effective, saved, file system.
	if us := uint64(os.Geteuid()); status.UIDs[0] != us || status.UIDs[1] != us {
		return unsupported(fmt.Sprintf("the server (pid %d) runs as user %d, opcost as user %d, and valgrind obeys only its own user", pid, status.UIDs[1], us),
			fmt.Sprintf("for this pass start the server as user %d: as root, with --user=root", us))
	}
	return nil
}

// hasPipes looks for PREFIX-to-vgdb-from-PID-by-USER-on-HOST, which valgrind
// makes at its start and removes at its end.
func (c collector) hasPipes(pid int) bool {
	files, err := os.ReadDir(c.w.Dir)
	if err != nil {
		return false
	}
	want := fmt.Sprintf("%s-to-vgdb-from-%d-", filepath.Base(c.w.vgdbPrefix()), pid)
	return slices.ContainsFunc(files, func(f os.DirEntry) bool { return strings.HasPrefix(f.Name(), want) })
}

// hint names the dumps of this window: callgrind writes it into them.
func hint(tag string) string {
	clean := func(r rune) rune {
		if r <= ' ' || r > '~' {
			return '_'
		}
		return r
	}
	return "opcost-" + strings.Map(clean, tag)
}
