package perfscript

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"

	"opcost/profiles"
)

// Bounds on what an input can make us keep.
const (
	maxFrames = 1 << 16 // of a stack; the frames nearest the leaf are kept
	maxEvents = 1 << 10
)

// ErrNoSamples is in the error for a text that is perf's, or empty, and holds
// no sample.
var ErrNoSamples = errors.New("no samples")

// Parse reads the text of `perf script` to its end. It stops at a text that is
// something else, at one that the reader cannot read on, and at one without any
// sample; the error says at which line. What it can read around is in the
// set's warnings.
func Parse(r io.Reader, o Options) (*profiles.Set, error) {
	return parse(r, o, newRecent())
}

func parse(r io.Reader, o Options, known recent) (*profiles.Set, error) {
	p := &parser{o: o, in: newLines(r), events: map[string]*event{}, threads: map[string]string{}, maps: map[string]*mapping{}, recent: known}
	for {
		line, ok := p.in.next()
		if !ok {
			break
		}
		if err := p.line(line); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.in.n, err)
		}
	}
	if err := p.in.failed(); err != nil {
		return nil, fmt.Errorf("after line %d: %w", p.in.n, err)
	}
	if p.open {
		if !p.blank {
			p.warnings.add(p.in.n, "the text ends inside a sample, without the empty line behind it; its stack may lack frames", nil)
		}
		if err := p.finish(); err != nil {
			return nil, fmt.Errorf("line %d: %w", p.in.n, err)
		}
	}
	return p.set()
}

type parser struct {
	o               Options
	in              *lines
	events          map[string]*event
	order           []*event
	threads         map[string]string
	maps            map[string]*mapping // by pid
	addresses       addresses
	recent          recent
	places          map[unnamedKey]int32 // frames without a name; gone when a mapping changes
	warnings        warnings
	about           profiles.About
	lost, throttled int64
	samples         int64

	// The sample being read.
	open    bool
	event   *event
	thread  string
	process *mapping
	weight  int64
	frames  []int32
	inlined []string // read behind frames, waiting for the frame that they were inlined into
	blank   bool     // an empty line was behind its header
	cut     bool     // its stack was longer than maxFrames
	scratch []byte
}

func (p *parser) line(line []byte) error {
	for len(line) > 0 && (line[len(line)-1] == ' ' || line[len(line)-1] == '\t' || line[len(line)-1] == '\r') {
		line = line[:len(line)-1]
	}
	if len(line) == 0 {
		// perf 5 may print one between a header and its frames.
		if p.open && (len(p.frames) > 0 || len(p.inlined) > 0) {
			return p.finish()
		}
		p.blank = true
		return nil
	}
	if p.in.n == 1 {
		if err := foreign(line); err != nil {
			return err
		}
	}
	if p.in.long {
		return p.junk(line, fmt.Sprintf("a line of over %d bytes was left out", maxLine))
	}
	switch indented := line[0] == ' ' || line[0] == '\t'; {
	case line[0] == '#' && (len(line) == 1 || line[1] == ' ' || line[1] == '#'):
		if h, ok := parseHeader(line); ok && h.hasTime && h.pid != nil { // a thread may be called "# 1"
			return p.header(h)
		}
		comment(&p.about, string(line))
		return nil
	case indented && p.open:
		if line[len(line)-1] != ':' { // a thread whose name begins with a space
			return p.frame(line)
		}
	case indented:
		if h, ok := parseHeader(line); ok && (h.hasTime || len(h.rest) > 0) {
			return p.header(h)
		}
		return p.junk(line, "a frame outside of any sample")
	}
	h, ok := parseHeader(line)
	if !ok {
		if p.open && (line[0] == ' ' || line[0] == '\t') {
			return p.frame(line)
		}
		return p.junk(line, "neither a sample's first line nor a frame")
	}
	return p.header(h)
}

// junk warns of a line that is left out. A text that has hardly anything else
// is not perf's.
func (p *parser) junk(line []byte, what string) error {
	p.warnings.add(p.in.n, what, line)
	if p.samples == 0 && !p.open && p.warnings.count > 100 || p.warnings.count > 1000+10*p.samples {
		return fmt.Errorf("%d lines are no part of perf script's output, the last %s; give a file made by `perf script`", p.warnings.count, quote(line))
	}
	return nil
}

// header begins a sample, and ends the one before, if a line is lacking between them.
func (p *parser) header(h header) error {
	if p.open {
		if err := p.finish(); err != nil {
			return err
		}
	}
	if bytes.HasPrefix(h.event, []byte("PERF_RECORD_")) {
		p.record(h)
		return nil
	}
	e, err := p.eventOf(h.event)
	if err != nil {
		return err
	}
	p.open, p.blank, p.event = true, false, e
	p.thread = p.threadOf(h)
	p.process = nil
	if len(p.maps) > 0 {
		pid := h.pid
		if pid == nil {
			pid = h.tid
		}
		p.process = p.maps[string(pid)]
	}
	p.weight = 1
	if h.hasPeriod {
		p.weight = h.period
		e.periods++
	} else {
		e.builder.Problems().Periods++
	}
	p.samples++
	// Without a call graph the code is on the same line, padded to 16 digits; a
	// tracepoint's text may begin with hex digits too, but not so.
	if addr, rest, ok := address(h.rest); ok && len(h.rest)-len(rest) > 16 && len(rest) > 0 {
		p.place(addr, rest)
		return p.finish()
	}
	return nil
}

func (p *parser) eventOf(name []byte) (*event, error) {
	if p.event != nil && string(name) == p.event.name {
		return p.event, nil
	}
	if e, ok := p.events[string(name)]; ok {
		return e, nil
	}
	if len(p.order) == maxEvents {
		return nil, fmt.Errorf("more than %d different events, the last %s: this is not perf script's output", maxEvents, quote(name))
	}
	e := newEvent(string(name), p.o.BuildIDs)
	e.number = uint64(len(p.order))
	p.events[e.name] = e
	p.order = append(p.order, e)
	return e, nil
}

// threadOf is the name that the options ask for. perf writes :tid where it
// knows no name.
func (p *parser) threadOf(h header) string {
	b := append(p.scratch[:0], h.comm...)
	if len(b) > 1 && b[0] == ':' && bytes.Equal(b[1:], h.tid) {
		b = b[:0]
	}
	if p.o.Threads != ByName {
		b = append(b, '-')
		if p.o.Threads == ByThread {
			b = append(append(b, or(h.pid, "?")...), '/')
			b = append(b, or(h.tid, "?")...)
		} else {
			b = append(b, or(h.pid, "?")...)
		}
	}
	p.scratch = b
	if t, ok := p.threads[string(b)]; ok {
		return t
	}
	t := string(b)
	p.threads[t] = t
	return t
}

func or(b []byte, other string) string {
	if b == nil {
		return other
	}
	return string(b)
}

// finish adds the sample up.
func (p *parser) finish() error {
	p.takeInlined("", profiles.UnknownSpace)
	if len(p.frames) == 0 {
		p.event.builder.Problems().NoStack++
	}
	err := p.event.builder.Add(p.thread, p.frames, p.weight, 1)
	p.open, p.cut, p.frames = false, false, p.frames[:0]
	return err
}

// quote is the beginning of a line, safe to print.
func quote(b []byte) string {
	const most = 80
	if len(b) > most {
		return strconv.Quote(string(b[:most])) + "..."
	}
	return strconv.Quote(string(b))
}
