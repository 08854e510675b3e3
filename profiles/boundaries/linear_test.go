package boundaries

import (
	"encoding/binary"
	"testing"

	"opcost/testbed/linear"
)

// A program four times as long takes four times the work, also where each
// function has a common part of its own, or all lie over each other.
func TestLongFrames(t *testing.T) {
	for name, c := range map[string]struct {
		own  bool
		step uint64
	}{"one common part": {false, 16}, "a common part each": {true, 16}, "all in one place": {false, 0}, "backwards": {false, ^uint64(15)}} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string {
				var l list
				at := l.entry(cie(1, "zR", 1, 0x78, 16, 1, 0x04)...)
				for i := uint64(0); len(l.b) < bytes; i++ {
					if c.own {
						at = l.entry(cie(1, "zR", 1, 0x78, 16, 1, 0x04)...)
					}
					l.fde(at, append(le(8, 1<<40+i*c.step), le(8, 32)...)...)
				}
				return string(l.b)
			}, func(s string) {
				spans, skipped := parseFrames([]byte(s), 0x1000, binary.LittleEndian, true)
				if len(tidy(spans)) == 0 || skipped > 0 {
					t.Errorf("%d functions, %d skipped", len(spans), skipped)
				}
			})
		})
	}
}
