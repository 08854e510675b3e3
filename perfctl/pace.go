package perfctl

import (
	"crypto/sha256"
	"errors"
	"os"
	"slices"
	"time"
)

// pace is how fast this machine is, for estimates.
type pace struct {
	cpu   float64       // time of CPU work, relative to the machine of the constants in cost.go
	fsync time.Duration // of a small write in the folder of the data
}

const (
	paceBytes = 4 << 20
	paceTime  = 12 * time.Millisecond // for hashing paceBytes, on the machine of cost.go
)

// measurePace times a little work: about 0.1 s of CPU and some synced writes.
// Of the CPU's repeats the fastest counts, since others are disturbed; of the
// disk's the median.
func measurePace(dir string) (pace, error) {
	block := make([]byte, paceBytes)
	best := time.Duration(1<<63 - 1)
	for range 8 {
		began := time.Now()
		sha256.Sum256(block)
		best = min(best, time.Since(began))
	}
	fsync, err := measureFsync(dir)
	return pace{float64(best) / float64(paceTime), fsync}, err
}

func measureFsync(dir string) (_ time.Duration, err error) {
	f, err := os.CreateTemp(dir, ".opcost-pace-")
	if err != nil {
		return 0, err
	}
	// It is removed first, so that nothing is left however we end.
	if err := os.Remove(f.Name()); err != nil {
		return 0, errors.Join(err, f.Close())
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	var times []time.Duration
	for range 9 {
		began := time.Now()
		if _, err := f.Write(make([]byte, 512)); err != nil {
			return 0, err
		}
		if err := f.Sync(); err != nil {
			return 0, err
		}
		times = append(times, time.Since(began))
	}
	slices.Sort(times)
	return times[len(times)/2], nil
}
