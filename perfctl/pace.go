package perfctl

import (
	"errors"
	"math/rand/v2"
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
	paceNumbers = 100_000
	paceTime    = 9 * time.Millisecond // for sorting them, on the machine of cost.go
)

// measurePace times a little work: about 0.2 s of CPU and some synced writes.
// Of the CPU's repeats the mean counts, so that other programs that use the
// machine now make the estimate longer; of the disk's the median.
func measurePace(dir string) (pace, error) {
	const repeats = 20
	numbers := make([]uint64, paceNumbers)
	var sum time.Duration
	for range repeats {
		rnd := rand.New(rand.NewPCG(1, 1))
		for i := range numbers {
			numbers[i] = rnd.Uint64()
		}
		began := time.Now()
		slices.Sort(numbers) // branches and memory, as a server has them
		sum += time.Since(began)
	}
	fsync, err := measureFsync(dir)
	return pace{float64(sum) / repeats / float64(paceTime), fsync}, err
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
