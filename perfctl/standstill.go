package perfctl

import (
	"time"

	"opcost/perfctl/result"
)

// A beat that comes later than stillAfter means that this program stood still:
// it was stopped by a signal, or its machine was. A busy machine delays a beat
// by much less.
const (
	beatEvery  = 250 * time.Millisecond
	stillAfter = time.Second
)

// watchStandstill notes for how long this program stands still, until stop is
// called. A load that we drive stands still with us, and its rate with it.
func watchStandstill() (stop func() time.Duration) {
	var sum time.Duration
	ended, done := make(chan struct{}), make(chan struct{})
	last := time.Now()
	beat := func() {
		now := time.Now()
		if gap := now.Sub(last); gap > stillAfter {
			sum += gap - beatEvery
		}
		last = now
	}
	go func() {
		defer close(done)
		t := time.NewTicker(beatEvery)
		defer t.Stop()
		for {
			select {
			case <-t.C:
				beat()
			case <-ended:
				beat() // a gap may lie at the very end
				return
			}
		}
	}()
	return func() time.Duration {
		close(ended)
		<-done
		return sum
	}
}

// stoodStill is that time as a reading. It is a gauge: no cost of a query.
func stoodStill(d time.Duration) result.Reading {
	r := result.Got("client_stopped_us", float64(d.Microseconds()), "us", result.SourceClient, "")
	r.Gauge = true
	return r
}
