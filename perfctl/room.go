package perfctl

import (
	"context"
	"errors"
	"fmt"
	"time"

	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// NoRoom is why a run was stopped: a disk that every further start needs is
// full. What was measured until then is on disk.
type NoRoom struct {
	Dir  string
	What string // that lies there
	Free int64  // bytes; notSeen: it was refused all the same
}

// notSeen: a write was refused, though the disk does not look full.
const notSeen = -1

func (n *NoRoom) Error() string {
	full := fmt.Sprintf("is full: %d kB are free", n.Free>>10)
	if n.Free == notSeen {
		full = "was full a moment ago, or a quota is used up"
	}
	return fmt.Sprintf("the disk of %s (%s) %s; make room there (df -h)%s; the same command then goes on with what is missing", n.Dir, n.What, full, n.elsewhere())
}

func (n *NoRoom) elsewhere() string {
	if n.What == serversData {
		return ", or give --work DIR on another disk"
	}
	return ""
}

const (
	serversData = "the servers' data"
	theResults  = "the results"
)

// Room below which a disk is full: for evidence and records while measuring,
// and for a server, which lets its files grow by some MB at a time, once
// something has failed.
const (
	leastRoom  = 256 << 10
	serverRoom = 16 << 20
)

// CannotGoOn tells the errors of [Run] after which no further start can be
// measured or kept. A start that fails for a reason of its own is none.
func CannotGoOn(err error) bool {
	var unwritable *result.Unwritable
	var full *NoRoom
	return errors.As(err, &unwritable) || errors.As(err, &full)
}

// full says which of the run's disks has less than so much room for us; a disk
// that does not tell, and a folder that is gone, are for others to notice.
func (r *runner) full(results, work int64) error {
	if free, err := probe.FreeAt(r.opts.Folder.Dir()); err == nil && free < results {
		return &NoRoom{r.opts.Folder.Dir(), theResults, free}
	}
	if free, err := probe.FreeAt(r.opts.Work); err == nil && free < work {
		return &NoRoom{r.opts.Work, serversData, free}
	}
	return nil
}

// because adds to a failure the full disk that is behind it, or will be behind
// the next.
func (r *runner) because(err error) error {
	if err == nil || CannotGoOn(err) {
		return err
	}
	if why := r.full(leastRoom, serverRoom); why != nil {
		return errors.Join(err, why)
	}
	if result.NoSpace(err) { // a quota, or room was given back when it failed
		return errors.Join(err, &NoRoom{r.opts.Work, serversData, notSeen})
	}
	return err
}

// whileRoom is a context that ends when a disk of the run is full: servers that
// cannot write may wait for room for ever.
func (r *runner) whileRoom(ctx context.Context) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	go func() {
		t := time.NewTicker(time.Second)
		defer t.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-t.C:
				if err := r.full(leastRoom, leastRoom); err != nil {
					cancel(err)
					return
				}
			}
		}
	}()
	return ctx, func() { cancel(nil) }
}
