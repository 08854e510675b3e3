package linear

import (
	"strings"
	"testing"
)

func TestCost(t *testing.T) {
	n := 0
	count := func(length int) costs {
		return cost(func(string) {
			for range length {
				n++
			}
		}, "")
	}
	short, long := count(1<<20), count(1<<24)
	for range 4 { // the least is what nothing else on the machine had a part in
		short, long = short.least(count(1<<20)), long.least(count(1<<24))
	}
	if ratio := float64(long.time) / float64(short.time); ratio < 6 || ratio > 40 {
		t.Errorf("16 times the work takes %.1f times as long", ratio)
	}
	var keep []byte
	c := cost(func(string) { keep = make([]byte, 1<<20) }, "")
	if c.memory < 1<<20 || c.memory > 2<<20 || len(keep) == 0 {
		t.Errorf("1 MiB is %d bytes", c.memory)
	}
}

// A reader that goes back to the begin at each line is found, by its time or by
// what it keeps; one that goes on is none.
func TestCompare(t *testing.T) {
	small := strings.Repeat("a line\n", 1300) // so many that a fast machine takes over leastTime for what is found
	large := strings.Repeat(small, times)
	again := func(s string) {
		n := 0
		for i := range s {
			if s[i] == '\n' {
				for j := range s[:i] {
					n += int(s[j])
				}
			}
		}
	}
	var kept string
	for name, c := range map[string]struct {
		work func(string)
		want string
	}{
		"on":         {func(s string) { kept = strings.Join(strings.Split(s, "\n"), " ") }, ""},
		"from begin": {again, "times as long"},
		"keeps all": {func(s string) {
			kept = ""
			for line := range strings.Lines(s) {
				kept += line
			}
		}, "times as much"},
	} {
		got := strings.Join(compare(small, large, c.work), "; ")
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
	if kept == "" {
		t.Error("nothing was read")
	}
}
