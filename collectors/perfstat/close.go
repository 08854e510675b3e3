package perfstat

import (
	"fmt"
	"io"
	"os"

	"opcost/perfctl/result"
)

// Close ends perf and gives its counts. What could not be counted is a reading
// with a reason, so the error is nil.
func (a *armed) Close() ([]result.Reading, error) {
	end := a.stop()
	if !a.keep {
		defer os.Remove(a.out)
	}
	s := sheet{set: a.set, caps: a.caps}
	switch {
	case !a.begun:
		return s.lacking(result.NotCounted, "the window was not begun", ""), nil
	case a.edge != nil && !a.ended:
		return s.lacking(result.Failed, a.because(end), ""), nil
	case !end.clean():
		v := end.explain(a.target.PID)
		return s.lacking(result.Failed, v.reason, v.remedy), nil
	}
	counts, warn, err := a.read()
	if err != nil {
		return s.lacking(result.Failed, fmt.Sprintf("%v (%s)", err, said(end.stderr)), ""), nil
	}
	s.counts, s.warnings = counts, warn
	if a.edge != nil || !a.ended {
		// Counted from Begin to some moment that is not the window's end.
		s.cut = a.because(end)
	}
	return s.readings(), nil
}

// because joins what failed at an edge with how perf ended.
func (a *armed) because(end ending) string {
	switch {
	case a.edge == nil:
		return "the window was not ended"
	case end.early:
		return fmt.Sprintf("%v: %s", a.edge, end.explain(a.target.PID).reason)
	}
	return a.edge.Error()
}

// maxOutput is far above what perf prints of a set, and far below what a
// program gone wild could.
const maxOutput = 4 << 20

func (a *armed) read() (Counts, []result.Warning, error) {
	f, err := os.Open(a.out)
	if err != nil {
		return Counts{}, nil, fmt.Errorf("perf left no output: %w", err)
	}
	defer f.Close()
	r := io.LimitReader(f, maxOutput)
	if a.caps.Perf.JSON.OK {
		return ParseJSON(r)
	}
	return ParseCSV(r, ";")
}
