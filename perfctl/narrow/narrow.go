// Package narrow finds the first of an ordered list of builds that is on the
// far side of a change, with as few server starts as it can: a bisection that
// knows noise. A build is told good or bad by its whole interval; while the
// interval says neither, the build gets further starts.
//
// It decides from what is measured so far and from nothing else, so a search
// that was broken off goes on where it was. It must not measure or print.
package narrow

import (
	"fmt"
	"math"
)

// Build is one build as far as it is measured.
type Build struct {
	Name   string
	Starts int
	// Ratio is the metric to the first build's, with its interval; nil where it
	// cannot be given. The first build's own is not used.
	Ratio, Low, High *float64
}

// Options bound the search.
type Options struct {
	First int // starts of a build before it is judged; 0: 2
	Most  int // starts of a build before it is given up as undecided; 0: 8
	// Threshold is the least change of the metric worth looking for, as a share.
	Threshold float64
	// Control asks for starts of the first build beside those of every other, for
	// a metric that drifts with the machine (all that is measured in time).
	Control bool
}

// Side is where a build stands.
type Side string

const (
	Good      Side = "good"      // on the first build's side of the middle
	Bad       Side = "bad"       // on the last build's side
	Undecided Side = "undecided" // its interval holds the middle, with all the starts it may have
	Skipped   Side = "-"         // was not needed
)

// Want is a build and how many starts it should have in all.
type Want struct {
	Name   string
	Starts int
}

// Move is what to do next: measure, or stop with an answer.
type Move struct {
	Measure []Want
	Why     string
	Answer  *Answer // set: the search has ended
}

// Answer is the end of a search.
type Answer struct {
	// LastGood and FirstBad enclose the change; builds between them are undecided.
	// Both are "" where there is nothing to find.
	LastGood string          `json:"last_good"`
	FirstBad string          `json:"first_bad"`
	Middle   float64         `json:"middle"` // the ratio that good and bad were told apart by
	Whole    float64         `json:"whole"`  // the last build's ratio to the first
	Share    float64         `json:"share"`  // of the whole change (in logarithms) that lies between the two
	Sides    map[string]Side `json:"sides"`  // by build
	Text     string          `json:"text"`
}

// Next decides. There must be at least two builds, in order.
func Next(builds []Build, o Options) Move {
	if o.First == 0 {
		o.First = 2
	}
	if o.Most == 0 {
		o.Most = 8
	}
	s := search{builds: builds, o: o, sides: map[string]Side{}}
	for _, b := range builds {
		s.sides[b.Name] = Skipped
	}
	return s.next()
}

type search struct {
	builds []Build
	o      Options
	middle float64 // of the logarithms
	sides  map[string]Side
}

func (s *search) next() Move {
	first, last := s.builds[0], s.builds[len(s.builds)-1]
	if first.Starts < s.o.First || last.Starts < s.o.First {
		return Move{Measure: []Want{{first.Name, max(first.Starts, s.o.First)}, {last.Name, max(last.Starts, s.o.First)}}, Why: "whether the ends differ at all"}
	}
	if move, differ := s.ends(first, last); !differ {
		return move
	}
	s.middle = math.Log(*last.Ratio) / 2
	s.sides[first.Name], s.sides[last.Name] = Good, Bad

	lo, hi := 0, len(s.builds)-1
	for {
		i, ok := s.between(lo, hi)
		if !ok {
			return s.found(lo, hi)
		}
		b := s.builds[i]
		if b.Starts < s.o.First {
			return s.more(b, s.o.First, fmt.Sprintf("in the middle between %s and %s", s.builds[lo].Name, s.builds[hi].Name))
		}
		switch side := s.side(b); {
		case side == Good:
			lo = i
		case side == Bad:
			hi = i
		case b.Starts < s.o.Most:
			return s.more(b, min(2*b.Starts, s.o.Most), "its interval says neither good nor bad")
		}
		s.sides[b.Name] = s.side(b)
	}
}

// ends says whether the ends differ.
func (s *search) ends(first, last Build) (move Move, differ bool) {
	more := func(why string) Move {
		n := min(2*min(first.Starts, last.Starts), s.o.Most)
		return Move{Measure: []Want{{first.Name, max(n, first.Starts)}, {last.Name, max(n, last.Starts)}}, Why: why}
	}
	exhausted := first.Starts >= s.o.Most && last.Starts >= s.o.Most
	switch {
	case last.Ratio == nil || last.Low == nil || last.High == nil:
		if !exhausted {
			return more("the ends have no interval yet"), false
		}
		return s.nothing(fmt.Sprintf("%s cannot be compared with %s: there is no interval", last.Name, first.Name)), false
	case *last.Low > 1+s.o.Threshold || *last.High < 1-s.o.Threshold:
		return Move{}, true
	case *last.Low > 1-s.o.Threshold && *last.High < 1+s.o.Threshold:
		return s.nothing(fmt.Sprintf("%s is the same as %s: %.3f [%.3f, %.3f]", last.Name, first.Name, *last.Ratio, *last.Low, *last.High)), false
	case !exhausted:
		return more("the ends do not differ for sure"), false
	}
	return s.nothing(fmt.Sprintf("whether %s differs from %s is unsure with %d starts of each: %.3f [%.3f, %.3f]", last.Name, first.Name,
		min(first.Starts, last.Starts), *last.Ratio, *last.Low, *last.High)), false
}

func (s *search) nothing(text string) Move {
	return Move{Answer: &Answer{Sides: s.sides, Text: text}}
}

// between is the build to look at next: the nearest to the middle of those that
// are not given up.
func (s *search) between(lo, hi int) (int, bool) {
	best, found := 0, false
	for i := lo + 1; i < hi; i++ {
		if s.sides[s.builds[i].Name] == Undecided {
			continue
		}
		if !found || off(i, lo, hi) < off(best, lo, hi) {
			best, found = i, true
		}
	}
	return best, found
}

// off is twice the distance from the middle.
func off(i, lo, hi int) int {
	if d := 2*i - lo - hi; d < 0 {
		return -d
	} else {
		return d
	}
}

func (s *search) more(b Build, n int, why string) Move {
	m := Move{Measure: []Want{{b.Name, n}}, Why: why}
	first := s.builds[0]
	switch {
	case s.o.Control:
		m.Measure = append([]Want{{first.Name, first.Starts + n - b.Starts}}, m.Measure...)
	case first.Starts < n: // the ratio is no surer than the build it is to
		m.Measure = append([]Want{{first.Name, n}}, m.Measure...)
	}
	return m
}

// side tells by the whole interval.
func (s *search) side(b Build) Side {
	if b.Low == nil || b.High == nil {
		return Undecided
	}
	low, high := math.Log(*b.Low), math.Log(*b.High)
	if s.middle < 0 { // the last build is less
		low, high = -high, -low
	}
	switch m := math.Abs(s.middle); {
	case high < m:
		return Good
	case low > m:
		return Bad
	}
	return Undecided
}

func (s *search) found(lo, hi int) Move {
	a := &Answer{LastGood: s.builds[lo].Name, FirstBad: s.builds[hi].Name, Sides: s.sides,
		Middle: math.Exp(s.middle), Whole: math.Exp(2 * s.middle), Share: (s.log(hi) - s.log(lo)) / (2 * s.middle)}
	what := "more"
	if s.middle < 0 {
		what = "less"
	}
	a.Text = fmt.Sprintf("the first build with %s is %s; the last one without is %s", what, a.FirstBad, a.LastGood)
	if hi-lo > 1 {
		a.Text += fmt.Sprintf("; the %d between them cannot be told with %d starts each", hi-lo-1, s.o.Most)
	}
	// Said where another step of some size is left over: half of the change is
	// what a single step would leave at most by the choice of the middle.
	if a.Share < 0.75 {
		a.Text += fmt.Sprintf(". That step is %.0f%% of the whole change: it came in several, so narrow on either side of it too", 100*a.Share)
	}
	return Move{Answer: a}
}

func (s *search) log(i int) float64 {
	if i == 0 || s.builds[i].Ratio == nil {
		return 0
	}
	return math.Log(*s.builds[i].Ratio)
}
