package callgrind

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"opcost/profiles"
)

// Read reads one file into a profile an event, in the order of the file's
// events. Each stack is one frame, whose weight is the function's own cost; who
// called whom, how often and at what cost is in Arcs.
//
// Threads are named "thread 3" where the file says which thread a part is of,
// by valgrind's numbers. A function that callgrind has written apart by the
// depth of its recursion ("f'2") is one name with Frame.Recursion; the contexts
// of --separate-callers ("f'main") stay in the name. An address in the place of
// a name is Frame.Address: valgrind gives it as the object's own.
//
// Where the file's own sums differ from those of its functions, or it was cut
// short, Set.Warnings says so.
func Read(r io.Reader) (*profiles.Set, error) {
	r, err := plain(r)
	if err != nil {
		return nil, err
	}
	f, err := Parse(r)
	if err != nil {
		return nil, err
	}
	var s sum
	if err := s.add(f, ""); err != nil {
		return nil, err
	}
	return s.set(), nil
}

// ReadFiles adds up several files: the dumps of a program's threads
// (--separate-threads=yes), or of one program one after the other. Files of
// other processes than the first one's have threads named "pid 7 thread 3". A
// file may be gzip compressed.
func ReadFiles(paths ...string) (*profiles.Set, error) {
	if len(paths) == 0 {
		return nil, fmt.Errorf("no callgrind file to read")
	}
	var s sum
	for _, path := range paths {
		f, err := ParseFile(path)
		if err != nil {
			return nil, err
		}
		if err := s.add(f, path+": "); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return s.set(), nil
}

// sum adds up parts, an event each.
type sum struct {
	events   []string
	builders map[string]*profiles.Builder
	warnings []string
	pid      int // of the first part that says one
}

func (s *sum) set() *profiles.Set {
	set := &profiles.Set{Warnings: s.warnings}
	for _, e := range s.events {
		p := s.builders[e].Profile()
		p.About.CallGraph = "counted"
		set.Profiles = append(set.Profiles, p)
	}
	if total, _ := set.Profiles[0].Total(); total == 0 {
		set.Warnings = append(set.Warnings, "no cost at all: nothing ran while callgrind counted (--instr-atstart=no, and never switched on?)")
	}
	return set
}

func (s *sum) add(f *File, where string) error {
	for i := range f.Parts {
		part := &f.Parts[i]
		s.check(f, part, fmt.Sprintf("%spart %d: ", where, i+1))
		thread := s.thread(part)
		for column, name := range part.Events {
			if slices.Index(part.Events, name) < column {
				return fmt.Errorf("the event %q stands twice in part %d", name, i+1)
			}
			if err := addEvent(s.builder(name), part, column, thread); err != nil {
				return fmt.Errorf("event %s: %w", name, err)
			}
		}
	}
	return nil
}

func (s *sum) builder(event string) *profiles.Builder {
	b, ok := s.builders[event]
	if !ok {
		b = profiles.NewBuilder(profiles.Event{Name: event, Unit: unit(event), Counted: true})
		if s.builders == nil {
			s.builders = map[string]*profiles.Builder{}
		}
		s.builders[event] = b
		s.events = append(s.events, event)
	}
	return b
}

func unit(event string) string {
	switch event {
	case "Ir", "Instructions":
		return profiles.Instructions
	}
	return profiles.Events
}

func (s *sum) thread(part *Part) string {
	if s.pid == 0 {
		s.pid = part.PID
	}
	var words []string
	if part.PID != s.pid {
		words = append(words, fmt.Sprintf("pid %d", part.PID))
	}
	if part.Thread != 0 {
		words = append(words, fmt.Sprintf("thread %d", part.Thread))
	}
	return strings.Join(words, " ")
}

func addEvent(b *profiles.Builder, part *Part, column int, thread string) error {
	frames := make([]int32, len(part.Functions))
	for i := range part.Functions {
		frames[i] = b.Frame(frame(&part.Functions[i]))
	}
	for i := range part.Functions {
		f := &part.Functions[i]
		self, err := signed(f.Self[column])
		if err != nil {
			return err
		}
		if self > 0 {
			if err := b.Add(thread, frames[i:i+1], self, 0); err != nil {
				return err
			}
		}
		for _, c := range f.Calls {
			count, err := signed(c.Count)
			if err != nil {
				return err
			}
			weight, err := signed(c.Inclusive[column])
			if err != nil {
				return err
			}
			if err := b.Call(thread, frames[i], frames[c.Callee], count, weight); err != nil {
				return err
			}
		}
	}
	return nil
}

func signed(n uint64) (int64, error) {
	if n > math.MaxInt64 {
		return 0, fmt.Errorf("a count of %d is over %d", n, int64(math.MaxInt64))
	}
	return int64(n), nil
}

// check warns of sums in the file that are not those of its functions.
// "summary:" is believed only where there is no "totals:", as it is 0 or
// nonsense in the dump of a program that runs on.
func (s *sum) check(f *File, part *Part, where string) {
	self := part.Self()
	switch {
	case part.Totals != nil && !slices.Equal(self, part.Totals):
		s.warnings = append(s.warnings, fmt.Sprintf("%sthe functions' own costs add up to %d, the line \"totals:\" says %d; the functions' are used", where, self, part.Totals))
	case part.Totals == nil && strings.HasPrefix(f.Creator, "callgrind"):
		s.warnings = append(s.warnings, where+"no line \"totals:\": the file is cut short, so costs are missing; is the disk full, was valgrind killed?")
	case part.Totals == nil && part.Summary != nil && !slices.Equal(self, part.Summary):
		s.warnings = append(s.warnings, fmt.Sprintf("%sthe functions' own costs add up to %d, the line \"summary:\" says %d; the functions' are used", where, self, part.Summary))
	}
}
