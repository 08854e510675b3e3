package doctor

import (
	"strings"
	"testing"

	"opcost/collectors/probe"
)

func TestSampling(t *testing.T) {
	no := func(why, remedy string) probe.Ability { return probe.Ability{Reason: why, Remedy: remedy} }
	event := func(name string, a probe.Ability) probe.Sampled { return probe.Sampled{Ability: a, Name: name} }
	whole := func() probe.Sampling {
		return probe.Sampling{Events: []probe.Sampled{event("instructions", yes), event("cycles", yes), event("cpu-clock", yes)},
			LBR: yes, Rate: fact(100000), MlockKB: fact(516), MaxStack: fact(127)}
	}
	var r Report
	r.Sampling(perfect(), whole())
	for _, c := range r.Checks {
		if c.State != OK || c.Found == "" || c.Group != "profiles" {
			t.Errorf("%+v", c)
		}
	}
	for _, c := range []struct {
		line   string
		state  State
		found  string
		remedy string
		spoil  func(*probe.Caps, *probe.Sampling)
	}{
		{"sampled event", Limited, "cycles, as instructions", "another host", func(_ *probe.Caps, s *probe.Sampling) { s.Events[0].Ability = no("no interrupts", "another host") }},
		{"sampled event", Limited, "cpu-clock, a timer: a guest", "a host", func(_ *probe.Caps, s *probe.Sampling) {
			s.Events, s.LBR = s.Events[2:], no("a guest", "a host")
		}},
		{"sampled event", Missing, "no permission", "run as root", func(_ *probe.Caps, s *probe.Sampling) {
			s.Events = []probe.Sampled{event("cpu-clock", no("no permission", "run as root"))}
		}},
		{"sampled event", Unknown, "not asked", "", func(_ *probe.Caps, s *probe.Sampling) { s.Events = nil }},
		{"call graphs", OK, "no lbr: an AMD", "", func(_ *probe.Caps, s *probe.Sampling) { s.LBR = no("an AMD", "") }},
		{"perf_event_max_sample_rate", Limited, "250", "max_sample_rate=", func(_ *probe.Caps, s *probe.Sampling) { s.Rate = fact(250) }},
		{"perf_event_max_sample_rate", Unknown, "gone", "", func(_ *probe.Caps, s *probe.Sampling) { s.Rate = probe.Fact[int]{Reason: "gone"} }},
		{"perf_event_max_stack", Limited, "16 frames", "max_stack=127", func(_ *probe.Caps, s *probe.Sampling) { s.MaxStack = fact(16) }},
		{"perf_event_mlock_kb", Limited, "64", "mlock_kb=516", func(c *probe.Caps, s *probe.Sampling) { s.MlockKB, c.User.UID = fact(64), 1000 }},
		{"perf_event_mlock_kb", OK, "64, which does not bind root", "", func(_ *probe.Caps, s *probe.Sampling) { s.MlockKB = fact(64) }},
	} {
		caps, s := perfect(), whole()
		c.spoil(&caps, &s)
		var r Report
		r.Sampling(caps, s)
		got := find(t, r, c.line)
		if got.State != c.state || !strings.Contains(got.Found, c.found) || !strings.Contains(got.Remedy, c.remedy) || (got.State == Limited || got.State == Missing) != (got.Cost != "") {
			t.Errorf("%s: %+v", c.line, got)
		}
	}
}
