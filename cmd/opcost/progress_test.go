package main

import "testing"

// TestShortened: however long a version's name is, the line says how far the
// run is and what is being done.
func TestShortened(t *testing.T) {
	const line = "[9/24, 3 min left] é-a-long-name: scan, 4 clients: warm up" // 58 characters
	for width, want := range map[int]string{
		200: line,
		58:  line,
		57:  "[9/24, 3 min left] é-a-long-…me: scan, 4 clients: warm up",
		46:  "[9/24, 3 min left] é-a…can, 4 clients: warm up",
	} {
		if got := shortened(line, width); got != want {
			t.Errorf("%d wide: %q (%d), want %q", width, got, len([]rune(got)), want)
		}
	}
}
