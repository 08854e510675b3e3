package workload

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors/child"
)

// groupCPU is the processor time of the live processes of a process group, and
// of those of their children that have ended and were waited for.
func groupCPU(pgid int) (time.Duration, error) {
	all, err := procfs.AllProcs()
	if err != nil {
		return 0, err
	}
	var sum time.Duration
	found := false
	for _, p := range all {
		if g, err := syscall.Getpgid(p.PID); err != nil || g != pgid {
			continue
		}
		st, err := p.Stat()
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ESRCH) {
			continue // it has ended meanwhile
		}
		if err != nil {
			return 0, err
		}
		d, err := child.CPUTime(p.PID)
		if err != nil {
			continue // likewise
		}
		found = true
		sum += d + time.Duration(st.CUTime+st.CSTime)*tick
	}
	if !found {
		return 0, fmt.Errorf("no process of group %d: %w", pgid, os.ErrProcessDone)
	}
	return sum, nil
}

// tick is the unit of times in /proc/PID/stat: USER_HZ, 100 on all that Go runs on.
const tick = time.Second / 100
