package workload

import (
	"testing"
	"time"

	"opcost/perfctl/window"
)

func TestShare(t *testing.T) {
	for _, c := range []struct {
		operations int64
		clients    int
		want       []int64
	}{
		{0, 2, []int64{-1, -1}},
		{10, 1, []int64{10}},
		{10, 4, []int64{3, 3, 2, 2}},
		{2, 3, []int64{1, 1, 0}},
	} {
		p := &phase{Phase: window.Phase{Operations: c.operations}}
		for n, want := range c.want {
			if got := p.share(n, c.clients); got != want {
				t.Errorf("%d operations, client %d of %d: %d, want %d", c.operations, n, c.clients, got, want)
			}
		}
	}
}

func TestLatencyIsMergedOverClients(t *testing.T) {
	// 1 to 1000 µs, dealt out to two clients: the quantiles are known.
	clients := []*client{{times: newTimes()}, {times: newTimes()}}
	if merged(clients) != nil {
		t.Error("no statement, and yet a response time")
	}
	for us := 1; us <= 1000; us++ {
		clients[us%2].times.record(time.Duration(us) * time.Microsecond)
	}
	l := merged(clients)
	near := func(name string, got, want float64) {
		t.Helper()
		if got < want*0.998 || got > want*1.002 {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if l.Count != 1000 || l.MeanUS != 500.5 || l.MaxUS != 1000 {
		t.Errorf("%+v", l)
	}
	near("p50", l.P50US, 500)
	near("p95", l.P95US, 950)
	near("p99", l.P99US, 990)
	clients[0].times.reset()
	clients[1].times.reset()
	clients[0].times.record(2 * longest) // counted, and the maximum is exact
	if l := merged(clients); l.Count != 1 || l.MaxUS != 2*longest.Seconds()*1e6 {
		t.Errorf("a very long statement: %+v", l)
	}
}
