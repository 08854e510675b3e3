package proc

import (
	"errors"
	"io/fs"
	"syscall"
	"time"

	"github.com/prometheus/procfs"

	"opcost/perfctl/result"
)

// part names what is read with one call and can be lacking by itself.
type part string

const (
	partClock     part = "clock"
	partStat      part = "stat"
	partIO        part = "io"
	partStatus    part = "status"    // of the threads
	partSchedstat part = "schedstat" // of the threads
	partCgroup    part = "cgroup"
)

// lack is why a part has no value.
type lack struct {
	State  result.State `json:"state"`
	Reason string       `json:"reason"`
	Remedy string       `json:"remedy,omitempty"`
}

// edge is everything as read at one moment, still cumulative.
type edge struct {
	ClockNS     int64          `json:"clock_ns"`
	State       string         `json:"state"`
	NumThreads  int            `json:"num_threads"`
	StartTicks  uint64         `json:"start_ticks"`
	UserTicks   uint64         `json:"user_ticks"`
	SystemTicks uint64         `json:"system_ticks"`
	MinorFaults uint64         `json:"minor_faults"`
	MajorFaults uint64         `json:"major_faults"`
	IO          procfs.ProcIO  `json:"io"`
	Threads     map[int]thread `json:"threads"`
	Throttle    throttle       `json:"throttle"`
	Lacks       map[part]lack  `json:"lacks,omitempty"`

	at    map[part]time.Time // when the threads' files were read, in the mean
	inner time.Time          // when the side of the window was read
}

func newEdge() edge { return edge{Lacks: map[part]lack{}, at: map[part]time.Time{}} }

// age is how far from the window's side a part was read.
func (e edge) age(p part) time.Duration {
	if at, ok := e.at[p]; ok {
		return e.inner.Sub(at).Abs()
	}
	return 0
}

// reader reads edges of one process.
type reader struct {
	fs       procfs.FS
	root     string
	pid      int
	clock    func(int) (time.Duration, error)
	cgroups  []cgroupFile
	noCgroup *lack
}

// begin reads the slowest first and the process clock last, finish the other
// way round: what costs most is outside, and the inner values are the tightest.
// Both are given what was read before, nil for nothing.
func (r *reader) begin(before *edge) edge {
	e := newEdge()
	r.readCgroup(&e)
	r.readThreads(&e, before, true)
	r.readIO(&e)
	r.readStat(&e)
	r.readClock(&e)
	e.inner = time.Now()
	return e
}

func (r *reader) finish(before *edge) edge {
	e := newEdge()
	e.inner = time.Now()
	r.readClock(&e)
	r.readStat(&e)
	r.readIO(&e)
	r.readThreads(&e, before, false)
	r.readCgroup(&e)
	return e
}

func (r *reader) readClock(e *edge) {
	d, err := r.clock(r.pid)
	if err != nil {
		e.Lacks[partClock] = why(err)
	}
	e.ClockNS = d.Nanoseconds()
}

func (r *reader) readStat(e *edge) {
	p, err := r.fs.Proc(r.pid)
	var s procfs.ProcStat
	if err == nil {
		s, err = p.Stat()
	}
	if err != nil {
		e.Lacks[partStat] = why(err)
		return
	}
	e.State, e.NumThreads, e.StartTicks = s.State, s.NumThreads, s.Starttime
	e.UserTicks, e.SystemTicks = uint64(s.UTime), uint64(s.STime)
	e.MinorFaults, e.MajorFaults = uint64(s.MinFlt), uint64(s.MajFlt)
}

func (r *reader) readIO(e *edge) {
	p, err := r.fs.Proc(r.pid)
	if err == nil {
		e.IO, err = p.IO()
	}
	if err != nil {
		e.Lacks[partIO] = why(err)
	}
}

func (r *reader) readCgroup(e *edge) {
	if r.noCgroup != nil {
		e.Lacks[partCgroup] = *r.noCgroup
		return
	}
	var err error
	if e.Throttle, err = readThrottle(r.cgroups); err != nil {
		e.Lacks[partCgroup] = why(err)
	}
}

// why puts an error of the kernel into words.
func why(err error) lack {
	switch {
	case errors.Is(err, fs.ErrPermission):
		return lack{result.Unsupported, err.Error(), "run opcost as root or as the server's user"}
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ESRCH):
		return lack{result.Failed, "cannot read the server in /proc: " + err.Error(),
			"check that the server still runs; if it does, /proc hides it (hidepid, or another user's process): run opcost as root or as the server's user"}
	default:
		return lack{result.Failed, err.Error(), ""}
	}
}
