package perfscript

import (
	"fmt"

	"opcost/profiles"
)

// set is what was read.
func (p *parser) set() (*profiles.Set, error) {
	switch {
	case p.in.n == 0:
		return nil, fmt.Errorf("%w: the text is empty; perf script's own message, if there was one, says why", ErrNoSamples)
	case p.samples == 0 && p.warnings.count > 0:
		return nil, fmt.Errorf("%w in %d lines, and this is not perf script's output (%s); give a file made by `perf script`", ErrNoSamples, p.in.n, p.warnings.texts()[0])
	case p.samples == 0:
		return nil, fmt.Errorf("%w in %d lines: the recording holds none (perf could not attach, or nothing ran)", ErrNoSamples, p.in.n)
	}
	s := &profiles.Set{Warnings: p.warnings.texts()}
	for _, e := range p.order {
		s.Profiles = append(s.Profiles, e.profile(p.about))
		p.addresses.settle(s.Profiles[len(s.Profiles)-1])
	}
	// Which event's samples were lost, the text does not say.
	s.Profiles[0].Problems.Lost, s.Profiles[0].Problems.Throttled = p.lost, p.throttled
	if len(s.Profiles) > 1 && p.lost+p.throttled > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d samples lost and %d throttlings: the text does not say of which event; they are counted with the first, %s",
			p.lost, p.throttled, s.Profiles[0].Event.Name))
	}
	for _, e := range p.order {
		if missing := e.builder.Problems().Periods; missing > 0 && e.periods > 0 {
			s.Warnings = append(s.Warnings, fmt.Sprintf("%s: %d of %d samples have no period and weigh 1; make the text with `perf script -F +period`", e.name, missing, missing+e.periods))
		}
	}
	return s, nil
}

// profile is the event's, checked.
func (e *event) profile(a profiles.About) *profiles.Profile {
	p := e.builder.Profile()
	p.About = a
	if e.periods == 0 {
		p.Event.Unit = profiles.Samples
	}
	if e.callers { // else no stacks were recorded, and none can be broken
		markBroken(p)
	}
	return p
}
