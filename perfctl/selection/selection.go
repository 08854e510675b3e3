// Package selection picks runs by what a person writes:
//
//	[DIR:]version,workload=…,clients=…,host=…
//
// It must not read the disk or compare.
package selection

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/result"
)

// Selector picks runs. Empty fields pick any.
type Selector struct {
	Dir      string // folder of results; "": whichever the command was given
	Version  string
	Workload string
	Host     string
	Protocol string
	Driver   string
	Clients  []int // nil: any
	text     string
}

// Parse reads a selector. A version may hold anything but a comma; so may a
// folder, up to its last colon in front of the version. isDir tells whether a
// text names a folder, so that a version with a colon is not taken apart.
func Parse(text string, isDir func(string) bool) (Selector, error) {
	s := Selector{text: text}
	head, rest, more := strings.Cut(text, ",")
	if i := strings.LastIndexByte(head, ':'); i > 0 && isDir(head[:i]) {
		s.Dir, head = head[:i], head[i+1:]
	} else if isDir(head) {
		s.Dir, head = head, ""
	}
	if key, _, ok := strings.Cut(head, "="); ok && known(key) {
		rest, more, head = strings.TrimSuffix(head+","+rest, ","), true, ""
	}
	s.Version = head
	if !more {
		return s, nil
	}
	for field := range strings.SplitSeq(rest, ",") {
		if err := s.field(field); err != nil {
			return s, fmt.Errorf("%q: %w", text, err)
		}
	}
	return s, nil
}

var keys = []string{"version", "workload", "clients", "host", "protocol", "driver"}

func known(key string) bool { return slices.Contains(keys, key) }

func (s *Selector) field(field string) error {
	key, value, ok := strings.Cut(field, "=")
	// A workload's id has an "=" of its own: workload=random-points_range=1000.
	if !ok || value == "" || !known(key) {
		return fmt.Errorf("%q is not a selection; write version,workload=ID,clients=N,host=NAME, of which each may be left out (known: %s)", field, strings.Join(keys, ", "))
	}
	switch key {
	case "version":
		s.Version = value
	case "workload":
		s.Workload = value
	case "host":
		s.Host = value
	case "protocol":
		s.Protocol = value
	case "driver":
		s.Driver = value
	case "clients":
		n, err := strconv.Atoi(value)
		if err != nil || n < 1 {
			return fmt.Errorf("clients=%s: give a number from 1", value)
		}
		s.Clients = append(s.Clients, n)
	}
	return nil
}

// Match tells whether a run is picked. The folder is the caller's to match.
func (s Selector) Match(r result.Run) bool {
	is := func(want, got string) bool { return want == "" || want == got }
	return is(s.Version, r.Version) && is(s.Workload, r.Workload) && is(s.Host, r.Host) && is(s.Protocol, r.Protocol) &&
		is(s.Driver, r.Driver) && (s.Clients == nil || slices.Contains(s.Clients, r.Clients))
}

// Pick gives the picked runs; none is an error that lists what there is.
func (s Selector) Pick(runs []result.Run) ([]result.Run, error) {
	var out []result.Run
	there := map[string]bool{}
	for _, r := range runs {
		if s.Match(r) {
			out = append(out, r)
		}
		there[fmt.Sprintf("%s,workload=%s,clients=%d", r.Version, r.Workload, r.Clients)] = true
	}
	if len(out) > 0 {
		return out, nil
	}
	const most = 12
	var names []string
	for name := range there {
		names = append(names, name)
	}
	slices.Sort(names)
	if len(names) > most {
		names = append(names[:most], fmt.Sprintf("and %d more", len(there)-most))
	}
	return nil, fmt.Errorf("no run is %q; there are: %s", s.text, strings.Join(names, "; "))
}

// String is the selector as it was written.
func (s Selector) String() string { return s.text }
