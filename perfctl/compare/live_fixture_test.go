package compare

import (
	"time"

	"opcost/perfctl/result"
)

// live is an attached run of one window of 10 s and 1,000 operations.
func live(per string, change func(*result.Window)) result.Run {
	w := result.Window{
		Start: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC), DurationNS: 10e9, State: result.OK,
		Ops: result.OpCount{Source: result.SourceServer, Per: per, Begin: 500, End: 1500},
	}
	if per == perSecond {
		w.Ops = result.OpCount{Source: result.SourceHost, Per: per}
	}
	change(&w)
	return result.Run{
		ID: "a", Host: "h", Version: "10.11.19", Workload: "live", Driver: Attached, Started: w.Start,
		Passes: []result.Pass{{Kind: result.PassCount, State: result.OK, Windows: []result.Window{w}}},
	}
}

func status(name string, v float64) result.Reading {
	return result.Got(name, v, "count", result.SourceServer, "")
}

func unsure(r result.Reading, by float64) result.Reading {
	r.Uncertainty = by
	return r
}

func wentBack(name string) result.Reading {
	return result.Lacking(name, "count", result.SourceServer, "", result.Failed, "the counter went back from 9 to 2", "")
}

func digest(schema, text string, count int64, latencyUS float64) result.Digest {
	return result.Digest{Schema: schema, Text: text, Count: count, LatencyUS: latencyUS, State: result.OK}
}
