package workload

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors/child"
)

// runVariable marks all that one run of a driver starts: what leaves the
// program's process group (setsid, a shell with job control) is found by it.
const runVariable = "OPCOST_DRIVER_RUN"

// endPatience is how long what a program has started may outlive it: the last
// of a pipeline, on its way out.
const endPatience = time.Second

// endRest ends what a program that has ended left running, which would go on
// sending statements into the next window. It gives their names and what they used.
func endRest(pgid int, mark string) (left []string, used time.Duration, err error) {
	deadline := time.Now().Add(endPatience)
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		found, err := startedBy(pgid, mark)
		if err != nil || len(found) == 0 {
			return nil, 0, err
		}
		if time.Now().After(deadline) {
			break
		}
		time.Sleep(min(pause, 100*time.Millisecond))
	}
	for deadline = time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		found, err := startedBy(pgid, mark)
		if err != nil || len(found) == 0 {
			return left, used, err
		}
		for _, pid := range found {
			if d, err := child.CPUTime(pid); err == nil {
				used += d
			}
			name, err := kill(pid, pgid, mark)
			if err != nil {
				return left, used, err
			}
			if name != "" {
				left = append(left, name)
			}
		}
	}
	return left, used, errors.New("they do not end when they are killed, or are started again and again")
}

// startedBy are the live processes of the group and those with the mark.
func startedBy(pgid int, mark string) (pids []int, err error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	for _, p := range all {
		if p.PID != os.Getpid() && startedIt(p, pgid, mark) {
			pids = append(pids, p.PID)
		}
	}
	return pids, nil
}

func startedIt(p procfs.Proc, pgid int, mark string) bool {
	g, err := syscall.Getpgid(p.PID)
	if err != nil {
		return false
	}
	if g != pgid {
		text, err := os.ReadFile("/proc/" + strconv.Itoa(p.PID) + "/environ")
		if err != nil || !slices.ContainsFunc(bytes.Split(text, []byte{0}), func(kv []byte) bool { return string(kv) == runVariable+"="+mark }) {
			return false // another user's cannot be read, and is none of ours
		}
	}
	st, err := p.Stat()
	return err == nil && st.State != "Z" && st.State != "X"
}

// kill ends one of them; the handle is taken before the last look, so that no
// process is hit that got the same pid in between.
func kill(pid, pgid int, mark string) (name string, err error) {
	handle, err := os.FindProcess(pid)
	if err != nil {
		return "", nil // it has ended
	}
	defer handle.Release()
	p, err := procfs.NewProc(pid)
	if err != nil || !startedIt(p, pgid, mark) {
		return "", nil
	}
	comm, err := p.Comm()
	if err != nil {
		return "", nil
	}
	if err := handle.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return "", fmt.Errorf("%s (pid %d): %w", comm, pid, err)
	}
	return fmt.Sprintf("%s (pid %d)", comm, pid), nil
}

// Bounds of a program that has gone wrong.
const (
	outputMax = 32 << 20         // a report each second for days is less
	stuckMax  = 10 * time.Minute // without a hundredth of a second of CPU
)

// limits bound a run of a program; see watch.
type limits struct {
	output int64
	stuck  time.Duration
}

// watch ends a program that fills the disk with what it prints, and one that is
// to do a number of operations and does nothing any more: a time has an end of
// its own. It returns when the run has ended.
func (e *External) watch(pid int, phase string, counted bool, done <-chan struct{}) {
	every := time.NewTicker(100 * time.Millisecond)
	defer every.Stop()
	var cpu time.Duration
	looked, moved := time.Now(), time.Now()
	for {
		select {
		case <-done:
			return
		case <-every.C:
		}
		if st, err := os.Stat(e.Output(phase)); err == nil && st.Size() > e.bounds.output {
			e.cut(fmt.Errorf("%s printed more than %d MB and was stopped: have it say less (its first words are in %s)", e.name(), e.bounds.output>>20, filepath.Base(e.Output(phase))))
			return
		}
		if !counted || time.Since(looked) < e.bounds.stuck/20 {
			continue
		}
		looked = time.Now()
		if now, err := groupCPU(pid); err != nil || now-cpu >= tick {
			cpu, moved = now, looked
		}
		if time.Since(moved) > e.bounds.stuck {
			e.cut(fmt.Errorf("%s did nothing for %v, though its operations were not done, and was stopped", e.name(), e.bounds.stuck))
			return
		}
	}
}

// cut ends a run for a reason.
func (e *External) cut(why error) {
	e.mu.Lock()
	e.fail(why)
	e.mu.Unlock()
	_ = e.end() // why is what counts
}

// ending is the last part of a file, whole lines.
func ending(path string, most int64) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return "", err
	}
	b := make([]byte, min(most, st.Size()))
	n, err := f.ReadAt(b, st.Size()-int64(len(b)))
	if n < len(b) && err != nil {
		return "", err
	}
	text := string(b[:n])
	if int64(n) < st.Size() {
		_, text, _ = strings.Cut(text, "\n")
	}
	return text, nil
}
