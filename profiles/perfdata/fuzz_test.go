package perfdata

import (
	"fmt"
	"strings"
	"testing"

	"opcost/testbed/linear"
)

// Whatever perf says about a file: counts are not below 0, and an object's build
// id is hexadecimal.
func FuzzAbout(f *testing.F) {
	f.Add("# os release : 6.1.0-18-amd64\n# arch : x86_64\n")
	f.Add("635d9e4f686bf3b5adf08d7a735a5260899b17a6 [kernel.kallsyms]\n0000000000000000 /x\n12345678\n")
	f.Add("Aggregated stats:\n  THROTTLE events:  68  ( 0.4%)\ncycles stats:\n SAMPLE events: 9036\n LOST_SAMPLES events: -1\n SAMPLE events: 9999999999999999999\n stats:\n events: 1\n")
	f.Fuzz(func(t *testing.T, text string) {
		if r := parseRelease(text); strings.ContainsAny(r, "\n") {
			t.Errorf("the kernel is %q", r)
		}
		for path, id := range parseBuildIDs(text) {
			if strings.Trim(id, "0123456789abcdef") != "" || len(id) < 8 || strings.Contains(path, "\n") {
				t.Errorf("%q is of %q", id, path)
			}
		}
		events, throttled := parseStats(text)
		for name, s := range events {
			if s.samples < 0 || s.lost < 0 || name == "" {
				t.Errorf("%q: %+v", name, s)
			}
		}
		if throttled < 0 {
			t.Errorf("throttled %d times", throttled)
		}
	})
}

func TestLongStats(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		var b strings.Builder
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, "event-%d stats:\n          SAMPLE events:       %d\n    LOST_SAMPLES events:          1\n", i, i)
		}
		return b.String()
	}, func(s string) { parseStats(s) })
}

// An event's name may be longer than a scanner's line.
func TestLongEvent(t *testing.T) {
	name := strings.Repeat("cpu/event=0x3c/,", 5000)
	events, _ := parseStats(name + " stats:\n SAMPLE events: 7\ncycles stats:\n SAMPLE events: 9\n")
	if events[name].samples != 7 || events["cycles"].samples != 9 {
		t.Errorf("%d and %d samples, want 7 and 9", events[name].samples, events["cycles"].samples)
	}
}
