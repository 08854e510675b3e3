package server

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// Writeback is what the machine has still to write, of all programs
// (/proc/meminfo, man proc_meminfo).
type Writeback struct {
	DirtyBytes     int64
	WritebackBytes int64
}

// Written pages of other programs never fall to nothing on a machine that
// lives; these limits are seconds of a slow disk, and far below one loaded table.
const (
	settledDirty     = 16 << 20
	settledWriteback = 1 << 20
	settleTimeout    = 30 * time.Second
	settleEvery      = 100 * time.Millisecond
)

func (w Writeback) settled() bool {
	return w.DirtyBytes <= settledDirty && w.WritebackBytes <= settledWriteback
}

func readWriteback() (Writeback, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return Writeback{}, err
	}
	m, err := fs.Meminfo()
	if err != nil {
		return Writeback{}, err
	}
	if m.DirtyBytes == nil || m.WritebackBytes == nil {
		return Writeback{}, errors.New("/proc/meminfo has no Dirty or Writeback")
	}
	return Writeback{int64(*m.DirtyBytes), int64(*m.WritebackBytes)}, nil
}

// settle waits until two readings in a row are settled. The note says what was
// seen when that did not happen in time, or could not be seen at all; an error
// is only the context's end.
func settle(ctx context.Context, read func() (Writeback, error), timeout, every time.Duration) (last Writeback, note string, err error) {
	deadline := time.NewTimer(timeout)
	defer deadline.Stop()
	tick := time.NewTicker(every)
	defer tick.Stop()
	calm := 0
	for {
		w, err := read()
		if err != nil {
			return last, fmt.Sprintf("whether writeback settled is unknown: %v", err), nil
		}
		last = w
		if calm++; !w.settled() {
			calm = 0
		}
		if calm == 2 {
			return last, "", nil
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			return last, fmt.Sprintf("writeback did not settle within %v after the data was restored: Dirty %.1f MB, Writeback %.1f MB; another program writes, and I/O of the next window is not the server's alone",
				timeout, float64(w.DirtyBytes)/1e6, float64(w.WritebackBytes)/1e6), nil
		case <-ctx.Done():
			return last, "", ctx.Err()
		}
	}
}

// syncFS writes out the whole file system of a folder (man syncfs).
func syncFS(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer f.Close()
	if err := unix.Syncfs(int(f.Fd())); err != nil {
		return &os.PathError{Op: "syncfs", Path: dir, Err: err}
	}
	return nil
}
