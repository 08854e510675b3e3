package record

import (
	"bytes"
	"testing"

	"golang.org/x/sys/unix"

	"opcost/testbed/linear"
)

// A recording four times as long takes four times the work.
func TestLongRecording(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		lost := dataRecord(unix.PERF_RECORD_LOST, 1, 7)
		return string(perfData(clock, make([]uint64, bytes/56), lost, lost))
	}, func(s string) {
		if c, err := parseData(bytes.NewReader([]byte(s))); err != nil || c.samples < 1000 {
			t.Errorf("%+v, %v", c, err)
		}
	})
}
