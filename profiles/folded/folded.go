package folded

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"opcost/profiles"
)

// maxLine bounds a line: a stack of 1,000 C++ names is 200 kB.
const maxLine = 16 << 20

// Options say what a text's lines mean.
type Options struct {
	Thread bool // the first frame is the thread's name
	// Event is what the counts are of, since the text does not say it; zero:
	// samples, one a unit of the counts, or where all counts are large, events of
	// an unknown number of samples.
	Event profiles.Event
}

// Read reads folded stacks whose counts are samples, and whose first frame is a frame.
func Read(r io.Reader) (*profiles.Set, error) { return Options{}.Read(r) }

// Read reads folded stacks. Lines that are none are left out, with a warning;
// a text that has more of those than of stacks is an error, and so is one
// without any stack. Counts with a fraction are rounded so that their sum stays
// right to the unit.
func (o Options) Read(r io.Reader) (*profiles.Set, error) {
	guess := o.Event == (profiles.Event{})
	if guess {
		o.Event = profiles.Event{Name: "samples", Unit: profiles.Samples}
	}
	p := reader{o: o, guess: guess, b: profiles.NewBuilder(o.Event), known: map[string]int32{}}
	sc := bufio.NewScanner(r)
	sc.Buffer(make([]byte, 64<<10), maxLine)
	n := 0
	for sc.Scan() {
		n++
		if n == 1 && bytes.IndexByte(sc.Bytes()[:min(len(sc.Bytes()), 4096)], 0) >= 0 {
			return nil, errors.New("line 1: this is a binary file, not folded stacks")
		}
		if err := p.line(n, sc.Bytes()); err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
	}
	switch err := sc.Err(); {
	case errors.Is(err, bufio.ErrTooLong):
		return nil, fmt.Errorf("line %d: longer than %d bytes; these are no folded stacks", n+1, maxLine)
	case err != nil:
		return nil, fmt.Errorf("after line %d: %w", n, err)
	}
	return p.set(n)
}

type reader struct {
	o           Options
	guess       bool // nobody said what the counts are
	b           *profiles.Builder
	known       map[string]int32 // a frame by its text
	frames      []int32
	good, bad   int
	two         int // stacks that end in two counts
	fractions   int
	rest        int64 // of the fractions so far, in units of 1/one
	firstBad    string
	firstBadAt  int
	threadKnown string
}

func (p *reader) line(n int, line []byte) error {
	line = bytes.TrimRight(line, "\r\t ")
	if len(line) == 0 {
		return nil
	}
	cut := bytes.LastIndexByte(line, ' ')
	if cut <= 0 {
		p.junk(n, line)
		return nil
	}
	whole, fraction, err := count(line[cut+1:])
	if err != nil {
		if errors.Is(err, errNegative) {
			return fmt.Errorf("%q: a count below 0; the output of a difference is no profile, give the two that it was made of", line[cut+1:])
		}
		p.junk(n, line)
		return nil
	}
	stack := line[:cut]
	if i := bytes.LastIndexByte(stack, ' '); i > 0 {
		if _, _, err := count(stack[i+1:]); err == nil {
			p.two++
		}
	}
	if fraction > 0 {
		p.fractions++
		if p.rest += fraction; p.rest >= one/2 { // the sum so far, rounded, less what was given so far
			whole, p.rest = whole+1, p.rest-one
		}
	}
	p.good++
	return p.add(stack, whole)
}

// add adds a stack, the root first.
func (p *reader) add(stack []byte, weight int64) error {
	thread := ""
	if p.o.Thread {
		name, rest, _ := bytes.Cut(stack, []byte{';'})
		if string(name) != p.threadKnown {
			p.threadKnown = string(name)
		}
		thread, stack = p.threadKnown, rest
	}
	p.frames = p.frames[:0]
	for len(stack) > 0 {
		i := bytes.LastIndexByte(stack, ';')
		name := stack[i+1:]
		stack = stack[:max(i, 0)]
		f, ok := p.known[string(name)]
		if !ok {
			f = p.b.Frame(parseFrame(string(name)))
			p.known[string(name)] = f
		}
		p.frames = append(p.frames, f)
	}
	var samples int64
	if p.o.Event.Unit == profiles.Samples {
		samples = weight
	}
	if len(p.frames) == 0 {
		p.b.Problems().NoStack += samples
	}
	return p.b.Add(thread, p.frames, weight, samples)
}

func (p *reader) junk(n int, line []byte) {
	if p.bad++; p.bad == 1 {
		p.firstBadAt, p.firstBad = n, strconv.Quote(string(line[:min(len(line), 80)]))
	}
}

// manyForOne is the count from which a stack seen once is not believed: tools
// that fold samples by their number give most stacks 1 or 2.
const manyForOne = 1000

// periods tells whether counts are sums of periods rather than numbers of
// samples, and then makes the profile say so: a number of samples that is not
// one would make chance look like certainty.
func periods(p *profiles.Profile) (least int64, are bool) {
	for _, s := range p.Stacks {
		if s.Weight > 0 && (least == 0 || s.Weight < least) {
			least = s.Weight
		}
	}
	if p.Event.Unit != profiles.Samples || len(p.Stacks) < 2 || least < manyForOne {
		return least, false
	}
	p.Event = profiles.Event{Name: "counts", Unit: profiles.Events}
	for i := range p.Stacks {
		p.Stacks[i].Samples = 0
	}
	p.Problems.NoStack = 0
	return least, true
}

func (p *reader) set(lines int) (*profiles.Set, error) {
	switch {
	case lines == 0:
		return nil, errors.New("no stacks: the text is empty")
	case p.bad >= p.good && p.bad > 0:
		return nil, fmt.Errorf("line %d: %s is no folded stack (frames parted by semicolons, a space, a count), and neither are %d of %d lines", p.firstBadAt, p.firstBad, p.bad, p.bad+p.good)
	case p.good == 0:
		return nil, fmt.Errorf("no stacks in %d lines", lines)
	case p.two == p.good && p.good > 1:
		return nil, errors.New("each stack has two counts: this is difffolded.pl's output; give the two texts that it was made of")
	}
	s := &profiles.Set{Profiles: []*profiles.Profile{p.b.Profile()}}
	if p.bad > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("line %d, %s: no folded stack; %d such lines were left out", p.firstBadAt, p.firstBad, p.bad))
	}
	if least, ok := periods(p.b.Profile()); ok && p.guess {
		s.Warnings = append(s.Warnings, fmt.Sprintf("the smallest count is %d, so the counts are taken for sums of the samples' periods; how many samples that was is not known", least))
	}
	if p.fractions > 0 {
		s.Warnings = append(s.Warnings, fmt.Sprintf("%d counts have a fraction; they were rounded to whole ones, the sum within half a unit", p.fractions))
	}
	return s, nil
}
