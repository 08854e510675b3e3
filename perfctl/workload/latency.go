package workload

import (
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"opcost/perfctl/result"
)

// times is the response times of one client in one phase.
type times struct {
	histogram *hdrhistogram.Histogram // ns, to three digits
	sum       time.Duration           // exact, for the mean
	max       time.Duration
}

// longest is the longest time told apart; longer ones are counted as this.
const longest = time.Hour

func newTimes() *times { return &times{histogram: hdrhistogram.New(64, int64(longest), 3)} }

func (t *times) reset() {
	t.histogram.Reset()
	t.sum, t.max = 0, 0
}

func (t *times) record(d time.Duration) {
	_ = t.histogram.RecordValue(int64(min(d, longest))) // an error is for values out of range
	t.sum += d
	t.max = max(t.max, d)
}

// merged is the response time of all clients together, nil without a statement.
func merged(clients []*client) *result.Latency {
	all := newTimes()
	for _, c := range clients {
		all.histogram.Merge(c.times.histogram)
		all.sum += c.times.sum
		all.max = max(all.max, c.times.max)
	}
	n := all.histogram.TotalCount()
	if n == 0 {
		return nil
	}
	at := func(p float64) float64 { return float64(all.histogram.ValueAtQuantile(p)) / 1e3 }
	return &result.Latency{
		Count: n, MeanUS: float64(all.sum.Nanoseconds()) / 1e3 / float64(n),
		P50US: at(50), P95US: at(95), P99US: at(99), MaxUS: float64(all.max.Nanoseconds()) / 1e3,
	}
}
