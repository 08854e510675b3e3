package threads

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// spare are the file descriptors left to the rest of opcost.
const spare = 64

// choosing is how long threads are watched, where only the busiest can be counted.
const choosing = 200 * time.Millisecond

// openAll opens the counters of all threads, or of the busiest.
func openAll(ctx context.Context, r *reader, threads map[int]thread, events [2]event, caps probe.Caps, most int) *counters {
	c := &counters{groups: map[int][]group{}}
	if !caps.Perf.PMU.OK {
		c.lack, c.remedy = caps.Perf.PMU.Reason, caps.Perf.PMU.Remedy
		if c.lack == "" {
			c.lack = "this machine's hardware counters were not tried"
		}
		return c
	}
	pmus, err := pmuTypes(caps.Host.PMUs)
	if err != nil {
		c.lack = err.Error()
		return c
	}
	limit, why, err := room(len(pmus) * len(group{}))
	if err != nil {
		c.lack = err.Error()
		return c
	}
	if most > 0 && most < limit {
		limit, why = most, "the limit given for counted threads"
	}
	tids := slices.Collect(maps.Keys(threads))
	if len(tids) > limit {
		c.dropped = fmt.Sprintf("%d of %d threads were chosen, the busiest: %s", limit, len(tids), why)
		tids = busiest(ctx, r, threads)[:limit]
	}
	c.scope = result.UserKernel
	for _, tid := range tids {
		gs, err := open(tid, events, pmus, c.scope == result.User)
		if refused(err) && len(c.groups) == 0 && c.scope == result.UserKernel {
			c.scope = result.User
			gs, err = open(tid, events, pmus, true)
		}
		switch {
		case err == nil:
			c.groups[tid] = gs
		case errors.Is(err, unix.ESRCH): // it has ended
		case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENFILE):
			c.dropped = fmt.Sprintf("%d of %d threads are counted: %v", len(c.groups), len(tids), err)
			return c
		default:
			c.close()
			c.lack = fmt.Sprintf("thread %d: %v", tid, err)
			if refused(err) {
				c.remedy = "run opcost as root, give it CAP_PERFMON, or: sysctl kernel.perf_event_paranoid=1"
			}
			return c
		}
	}
	return c
}

// room is how many threads can be counted with the descriptors that are left,
// each counter taking one. Go raises our soft limit to the hard one at start.
func room(each int) (threads int, why string, err error) {
	var l unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &l); err != nil {
		return 0, "", os.NewSyscallError("getrlimit", err)
	}
	used, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return 0, "", err
	}
	left := int(min(l.Cur, 1<<30)) - len(used) - spare
	return max(left/each, 0), fmt.Sprintf("opcost may have %d file descriptors (ulimit -n)", l.Cur), nil
}

// busiest puts threads with the most CPU in a short time first.
func busiest(ctx context.Context, r *reader, before map[int]thread) []int {
	select {
	case <-time.After(choosing):
	case <-ctx.Done():
	}
	after, err := r.all()
	if err != nil { // then by the CPU of their whole lives
		after, before = before, nil
	}
	used := func(tid int) uint64 { return after[tid].CPUNS - min(before[tid].CPUNS, after[tid].CPUNS) }
	tids := slices.Collect(maps.Keys(after))
	slices.SortFunc(tids, func(a, b int) int {
		return cmp.Or(cmp.Compare(used(b), used(a)), cmp.Compare(after[b].CPUNS, after[a].CPUNS), cmp.Compare(a, b))
	})
	return tids
}
