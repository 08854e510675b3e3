package probe

import (
	"path/filepath"
	"time"

	"github.com/prometheus/procfs"
)

// Steal is CPU time that the hypervisor gave to others, as a share of the time
// in which our CPUs had something to run.
type Steal struct {
	SinceBoot float64
	// Now is the share while the machine was asked, Over how long that took.
	// The kernel counts in hundredths of a second, so it is coarse.
	Now  float64
	Over time.Duration
}

// cpuTime is what all CPUs did since boot.
type cpuTime struct {
	busy, stolen float64 // seconds
	at           time.Time
}

func (a asker) cpuTime() Fact[cpuTime] {
	fs, err := procfs.NewFS(filepath.Join(a.root, "proc"))
	if err != nil {
		return unknown[cpuTime]("there is no /proc")
	}
	s, err := fs.Stat()
	if err != nil {
		return unknown[cpuTime](cannotRead("proc/stat", err))
	}
	t := s.CPUTotal // guests' time is within user's and nice's (proc(5))
	return known(cpuTime{
		busy: t.User + t.Nice + t.System + t.IRQ + t.SoftIRQ, stolen: t.Steal, at: time.Now(),
	})
}

func steal(from, to Fact[cpuTime]) Fact[Steal] {
	if !from.Known || !to.Known {
		return unknown[Steal](from.Reason)
	}
	f, t := from.Value, to.Value
	return known(Steal{
		SinceBoot: share(t.stolen, t.busy),
		Now:       share(t.stolen-f.stolen, t.busy-f.busy),
		Over:      t.at.Sub(f.at),
	})
}

func share(stolen, busy float64) float64 {
	if stolen <= 0 || busy < 0 {
		return 0
	}
	return stolen / (stolen + busy)
}
