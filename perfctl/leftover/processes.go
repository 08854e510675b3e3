package leftover

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/procfs"
)

// maxRounds bounds the hunt for a launcher that starts its server again.
const maxRounds = 5

// killWait is how long a killed process may take to give its memory back.
const killWait = 30 * time.Second

// end kills the owner's processes, and gives how it would name them.
func end(o owner, recorded []process) (ended []string, err error) {
	for range maxRounds {
		found, err := find(o, recorded)
		if err != nil {
			return ended, err
		}
		if len(found) == 0 {
			return ended, nil
		}
		for _, p := range found {
			who := name(p)
			if err := kill(p); err != nil {
				return ended, fmt.Errorf("%s: %w", who, err)
			}
			ended = append(ended, who)
		}
	}
	return ended, errors.New("processes of the run come back when they are ended; end what starts them")
}

// find gives the owner's processes that live.
func find(o owner, recorded []process) ([]process, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return nil, err
	}
	var found []process
	for _, p := range all {
		if p.PID == os.Getpid() || !namesFolder(p, o.data()) {
			continue
		}
		ticks, err := startTicks(p.PID)
		if err != nil {
			continue // it has ended
		}
		is := process{p.PID, ticks}
		if slices.Contains(recorded, is) || ticks >= o.StartTicks && hasToken(p, o.Token) {
			found = append(found, is)
		}
	}
	return found, nil
}

// namesFolder tells whether a process has the folder, or something in it, in
// its command line, as its working directory, or in its environment: a program
// that drives a load knows nothing of the folder, and runs where the user is.
func namesFolder(p procfs.Proc, folder string) bool {
	inside := func(text string) bool {
		_, rest, found := strings.Cut(text, folder)
		return found && (rest == "" || rest[0] == '/')
	}
	if args, err := p.CmdLine(); err == nil && slices.ContainsFunc(args, inside) {
		return true
	}
	if cwd, err := p.Cwd(); err == nil && (strings.HasPrefix(cwd, folder+"/") || cwd == folder) {
		return true
	}
	return hasVariable(p, folderVariable, folder)
}

func hasToken(p procfs.Proc, token string) bool { return hasVariable(p, tokenVariable, token) }

func hasVariable(p procfs.Proc, name, value string) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.PID))
	if err != nil {
		return false // another user's, or one with capabilities of its own
	}
	return slices.ContainsFunc(bytes.Split(text, []byte{0}), func(kv []byte) bool {
		return string(kv) == name+"="+value
	})
}

// kill ends a process and waits until it is gone. The handle is taken before
// the last look at the start time, so that a process that gets the same pid in
// between is not hit (os.FindProcess holds a pidfd where the kernel has them).
func kill(p process) error {
	handle, err := os.FindProcess(p.PID)
	if err != nil {
		return err
	}
	defer handle.Release()
	if now, err := startTicks(p.PID); err != nil || now != p.StartTicks {
		return nil // it has ended by itself
	}
	if err := handle.Kill(); err != nil && !errors.Is(err, os.ErrProcessDone) {
		return err
	}
	for until := time.Now().Add(killWait); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if now, err := startTicks(p.PID); err != nil || now != p.StartTicks {
			return nil
		}
	}
	return fmt.Errorf("it was killed and has not ended within %v", killWait)
}

// name is a process for people: "mariadbd (pid 123)".
func name(p process) string {
	comm := "process"
	if proc, err := procfs.NewProc(p.PID); err == nil {
		if c, err := proc.Comm(); err == nil {
			comm = c
		}
	}
	return fmt.Sprintf("%s (pid %d)", comm, p.PID)
}
