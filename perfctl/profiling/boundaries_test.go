package profiling

import (
	"strings"
	"testing"

	"opcost/profiles"
	"opcost/profiles/boundaries"
)

// Of a file's profile, code is told apart where the program's file is the one that was
// profiled, and nowhere else.
func TestBoundaries(t *testing.T) {
	const sh = "/bin/sh"
	known, err := boundaries.Of(sh)
	if err != nil || known.BuildID == "" {
		t.Skipf("%s has no build id, or cannot be read: %v", sh, err)
	}
	place, start := uint64(0), uint64(0)
	for at := uint64(0); at < 1<<20 && start == 0; at += 64 {
		if address, ok := known.Address(at); ok && known.Name(address) == "" {
			if s, _, ok := known.Find(address); ok && s != address {
				place, start = at, s
			}
		}
	}
	if start == 0 {
		t.Skipf("%s: no code without a name", sh)
	}
	b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
	for _, f := range []profiles.Frame{
		{Object: sh, BuildID: known.BuildID}, {Object: sh, BuildID: "00ff00ff"}, {Object: sh},
		{Object: "/no/such/file", BuildID: "00ff00ff"}, {Object: "/proc/kmsg", BuildID: "00ff00ff"}, {Object: "/dev/../proc/kmsg", BuildID: "00ff00ff"},
	} {
		f.Address, f.InFile, f.Space = place, true, profiles.User
		if err := b.Add("", []int32{b.Frame(f)}, 1, 1); err != nil {
			t.Fatal(err)
		}
	}
	p, note, err := Boundaries(b.Profile(), "")
	if err != nil {
		t.Fatal(err)
	}
	for i, f := range p.Frames {
		if want := i == 0; (f.Start == start) != want || (f.Address == place) == want {
			t.Errorf("frame %d: %+v; the function begins at %#x", i, f, start)
		}
	}
	if !strings.Contains(note, "in 2 files") || !strings.Contains(note, "of another build now") || strings.Count(note, "told apart") != 1 {
		t.Errorf("%q", note)
	}
}
