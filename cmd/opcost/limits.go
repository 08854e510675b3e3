package main

import (
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sys/unix"

	"opcost/perfctl"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
)

// nextStep is what to do about what the machine refused, where the error itself
// does not say; it goes behind the error.
func nextStep(err error) string {
	switch {
	case perfctl.CannotGoOn(err):
		return ""
	case result.NoSpace(err):
		return "; that disk is full (df -h): make room there, or name a place on another disk"
	case errors.Is(err, unix.EROFS):
		return "; that disk is mounted read-only: name a place on another disk"
	case errors.Is(err, unix.EMFILE):
		return fmt.Sprintf("; a program may have %d files open here: raise that limit (ulimit -n 4096)", openFiles())
	}
	return ""
}

// openFiles is how many files this program may have open (0: not known). The
// runtime has raised the soft limit to the hard one.
func openFiles() uint64 {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return 0
	}
	return l.Cur
}

// leastFiles is what a small server and opcost have open at most, each, beside a
// connection for each client: a server that makes its system tables, and one
// that is counted by perf with a file for each thread and event.
const leastFiles = 128

// enoughFiles refuses, before anything is started, a plan with more clients than
// a program may have connections here.
func enoughFiles(p *plan.Plan) error {
	need := uint64(leastFiles + slices.Max(p.Clients))
	if have := openFiles(); have != 0 && have < need {
		return fmt.Errorf("a program may have %d files open here (ulimit -n), and the plan needs %d: raise the limit, as by `ulimit -n %d`, or give fewer clients", have, need, max(1024, 2*need))
	}
	return nil
}
