package folded

import (
	"strings"
	"testing"

	"opcost/profiles"
)

// TestPeriods: dd's stacks in the form that FlameGraph gives them (10101010 ns a
// sample at 99 Hz) are nine stacks of ten samples, not of 101 million.
func TestPeriods(t *testing.T) {
	for text, want := range map[string]profiles.Event{
		"a;b 10101010\na;c 20202020\n": {Name: "counts", Unit: profiles.Events},
		"a;b 1\na;c 20202020\n":        {Name: "samples", Unit: profiles.Samples},
		"a;b 5000\n":                   {Name: "samples", Unit: profiles.Samples}, // one loop can be all there is
	} {
		s, err := Read(strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		p := s.Profiles[0]
		weight, samples := p.Total()
		if p.Event != want || (samples == weight) != (want.Unit == profiles.Samples) || (samples == 0) != (len(s.Warnings) == 1) {
			t.Errorf("%q: %+v, %d samples of %d, warnings %q", text, p.Event, samples, weight, s.Warnings)
		}
	}
	s, err := Options{Event: profiles.Event{Name: "cycles", Unit: profiles.Cycles}}.Read(strings.NewReader("a 5000\nb 5000\n"))
	if err != nil || s.Profiles[0].Event.Name != "cycles" || len(s.Warnings) != 0 {
		t.Errorf("%v, %+v", err, s)
	}
}
