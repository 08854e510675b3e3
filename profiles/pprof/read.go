package pprof

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"

	"github.com/google/pprof/profile"

	"opcost/profiles"
)

// What is held in memory is bounded. A profile of a server is some MB with some
// 10,000 samples; a message of two bytes can take 130 once it is read.
const (
	maxUnpacked = 128 << 20
	maxMessages = 4 << 20
)

// Read reads a pprof file, compressed or not: one of ours as it was written, and
// that of any other program. Of the latter each sample type becomes an event,
// the file's default one first, except that types which count samples
// ("samples", EVENT_sample) are the Samples of the others. Times are brought to
// nanoseconds. A frame of a location that has several lines was inlined into
// that of the next line.
//
// A profile with values below 0, as pprof -diff_base writes it, is an error.
func Read(r io.Reader) (*profiles.Set, error) {
	data, err := Bounded(r)
	if err != nil {
		return nil, err
	}
	p, err := profile.ParseUncompressed(data)
	if err == nil {
		err = p.CheckValid()
	}
	if err != nil {
		return nil, fmt.Errorf("not a pprof profile, or a damaged one: %w", err)
	}
	if len(p.SampleType) == 0 {
		return nil, errors.New("not a pprof profile: it has no sample type")
	}
	return decode(p)
}

// Bounded gives a pprof file's message, unpacked. One that would take much memory
// to unpack, or to parse, is an error.
func Bounded(r io.Reader) ([]byte, error) {
	data, err := unpack(r)
	if err == nil {
		err = countMessages(data, maxMessages)
	}
	if err != nil {
		return nil, err
	}
	return data, nil
}

func unpack(r io.Reader) ([]byte, error) {
	b := bufio.NewReader(r)
	r = b
	if magic, _ := b.Peek(2); string(magic) == "\x1f\x8b" {
		z, err := gzip.NewReader(b)
		if err != nil {
			return nil, fmt.Errorf("unpack it: %w", err)
		}
		r = z
	}
	data, err := io.ReadAll(io.LimitReader(r, maxUnpacked+1))
	if err != nil {
		return nil, fmt.Errorf("unpack it: %w", err)
	}
	if len(data) > maxUnpacked {
		return nil, fmt.Errorf("over %d MiB unpacked, more than is read; make it smaller with: go tool pprof -proto -trim", maxUnpacked>>20)
	}
	return data, nil
}

func decode(p *profile.Profile) (*profiles.Set, error) {
	c := readComments(p.Comments)
	ours := c.values[keyFormat] != ""
	if f := c.values[keyFormat]; ours && f != "1" {
		return nil, fmt.Errorf("opcost's pprof format %q is not known; read it with the version of opcost that wrote it", f)
	}
	set := &profiles.Set{Warnings: c.warnings}
	events := eventsOf(p, ours)
	for i, e := range events {
		if e.unit == "bytes" {
			set.Warnings = append(set.Warnings, fmt.Sprintf("%s counts bytes, which are no cost in time; it is read as events", e.event.Name))
		}
		out, err := decodeEvent(p, e, c, i, ours)
		if err != nil {
			return nil, fmt.Errorf("event %s: %w", e.event.Name, err)
		}
		set.Profiles = append(set.Profiles, out)
	}
	if ours {
		return set, nil
	}
	for _, out := range set.Profiles {
		out.About.Seconds = float64(p.DurationNanos) / 1e9
		if t := p.PeriodType; t != nil && t.Unit == "nanoseconds" && p.Period > 0 && out.Event.Unit == profiles.Nanoseconds {
			out.About.Hz = int(1e9 / p.Period)
		}
		for _, s := range out.Stacks {
			if len(s.Frames) == 0 {
				out.Problems.NoStack += s.Samples
			}
		}
	}
	return set, nil
}

func decodeEvent(p *profile.Profile, e event, c comments, i int, ours bool) (*profiles.Profile, error) {
	var about profiles.About
	var problems profiles.Problems
	if ours {
		e.comments(c, i)
		var err error
		if about, err = c.about(i); err != nil {
			return nil, err
		}
		if problems, err = c.problems(i); err != nil {
			return nil, err
		}
	}
	b := profiles.NewBuilder(e.event)
	known := map[*profile.Location][]int32{}
	var frames []int32
	for n, s := range p.Sample {
		weight, samples, calls, inclusive := e.values(s)
		if weight == 0 && samples == 0 && calls == 0 && inclusive == 0 && !e.named(s) {
			continue // of another event
		}
		frames = frames[:0]
		for _, l := range s.Location {
			of, ok := known[l]
			if !ok {
				for _, f := range framesOf(l, ours) {
					of = append(of, b.Frame(f))
				}
				known[l] = of
			}
			frames = append(frames, of...)
		}
		scaled := weight * e.scale
		if scaled/e.scale != weight {
			return nil, fmt.Errorf("sample %d: %d %s are too many", n+1, weight, e.unit)
		}
		var err error
		if e.calls >= 0 && len(frames) == 2 && len(s.Label[labelArc]) > 0 {
			err = b.Call(thread(s), frames[1], frames[0], calls, inclusive)
		} else {
			err = b.Add(thread(s), frames, scaled, samples)
		}
		if err != nil {
			return nil, fmt.Errorf("sample %d: %w (a difference, of pprof -diff_base, cannot be read)", n+1, err)
		}
	}
	out := b.Profile()
	if e.calls >= 0 && out.Arcs == nil {
		out.Arcs = []profiles.Arc{}
	}
	out.About, out.Problems = about, problems
	return out, nil
}

// thread is a sample's thread by the labels that programs use.
func thread(s *profile.Sample) string {
	for _, key := range []string{labelThread, "thread_name"} {
		if v := s.Label[key]; len(v) > 0 {
			return v[0]
		}
	}
	return ""
}
