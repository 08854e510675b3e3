package boundaries

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/profiles"
)

const server = "/usr/sbin/mysqld"

// small is the table of a file whose code lies at 0x1000 in it and 0x11000 when
// loaded.
func small() *Table {
	return &Table{
		BuildID:   "ab",
		functions: []span{{0x11100, 0x11140}, {0x11140, 0x11200}, {0x11300, 0x11400}},
		segments:  []segment{{offset: 0x1000, address: 0x11000, size: 0x1000}},
		symbols:   []symbol{{start: 0x11300, end: 0x11380, name: "exported"}},
	}
}

func find(object, buildID string) (*Table, error) {
	switch object {
	case server:
		return small(), nil
	case "/gone":
		return nil, errors.New("no such file")
	}
	return nil, nil
}

// unnamed is a frame of the server at a position in its file.
func unnamed(at uint64) profiles.Frame {
	return profiles.Frame{Object: server, Address: at, InFile: true, Space: profiles.User}
}

func resolve(t *testing.T, e profiles.Event, stacks ...[]profiles.Frame) (got [][]profiles.Frame, warnings []string) {
	t.Helper()
	b := profiles.NewBuilder(e)
	for i, s := range stacks {
		var frames []int32
		for _, f := range s {
			frames = append(frames, b.Frame(f))
		}
		if err := b.Add("t", frames, int64(1)<<i, 1); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Profile()
	p.About.Version, p.Problems.Lost = "v", 3
	out, warnings, err := Resolve(p, find)
	if err != nil {
		t.Fatal(err)
	}
	weight, samples := p.Total()
	if w, n := out.Total(); w != weight || n != samples || out.Event != p.Event || out.About != p.About || out.Problems != p.Problems {
		t.Errorf("%+v of %+v", out, p)
	}
	for _, s := range out.Stacks {
		var frames []profiles.Frame
		for _, i := range s.Frames {
			frames = append(frames, out.Frames[i])
		}
		got = append(got, frames)
	}
	return got, warnings
}

func TestResolve(t *testing.T) {
	begins := func(start uint64) profiles.Frame {
		return profiles.Frame{Object: server, BuildID: "ab", Start: start, Space: profiles.User}
	}
	kernel := profiles.Frame{Function: "copy_to_user", Object: "[kernel.kallsyms]", Space: profiles.Kernel}
	main := profiles.Frame{Function: "main", Object: server, Space: profiles.User}
	exported := profiles.Frame{Function: "exported", Object: server, BuildID: "ab", Space: profiles.User}
	tests := []struct {
		name     string
		in, want []profiles.Frame
	}{
		{"in the middle", []profiles.Frame{unnamed(0x1123), main}, []profiles.Frame{begins(0x11100), main}},
		{"the first byte, where it runs", []profiles.Frame{unnamed(0x1140), main}, []profiles.Frame{begins(0x11140), main}},
		{"the first byte, where a call returns to", []profiles.Frame{main, unnamed(0x1140)}, []profiles.Frame{main, begins(0x11100)}},
		{"the first byte, where the kernel was entered", []profiles.Frame{kernel, unnamed(0x1140)}, []profiles.Frame{kernel, begins(0x11140)}},
		{"exported", []profiles.Frame{unnamed(0x1310)}, []profiles.Frame{exported}},
		{"behind what is exported", []profiles.Frame{unnamed(0x1390)}, []profiles.Frame{begins(0x11300)}},
		{"between functions", []profiles.Frame{unnamed(0x1250)}, []profiles.Frame{unnamed(0x1250)}},
		{"not loaded", []profiles.Frame{unnamed(0x9000)}, []profiles.Frame{unnamed(0x9000)}},
		{"nothing", nil, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings := resolve(t, profiles.Event{Name: "cycles"}, tt.in)
			if diff := cmp.Diff([][]profiles.Frame{tt.want}, got); diff != "" || warnings != nil {
				t.Errorf("%q: -want +got\n%s", warnings, diff)
			}
		})
	}
}

// Addresses of one function become one frame, and stacks that differ in them
// one stack.
func TestResolveJoins(t *testing.T) {
	got, _ := resolve(t, profiles.Event{Name: "cycles"}, []profiles.Frame{unnamed(0x1100)}, []profiles.Frame{unnamed(0x1120)}, []profiles.Frame{unnamed(0x1150)})
	if len(got) != 2 {
		t.Errorf("%+v", got)
	}
}

// What is left as it was, and what is said about it.
func TestResolveNot(t *testing.T) {
	memory := profiles.Frame{Object: server, Address: 0x11123, Space: profiles.User}
	other := unnamed(0x1123)
	other.BuildID = "cd"
	tests := []struct {
		name    string
		frame   profiles.Frame
		warning string
	}{
		{"an address in memory", memory, ""},
		{"another build", other, "is of another build now (ab, profiled was cd)"},
		{"no file", profiles.Frame{Object: "/gone", Address: 5, InFile: true}, "/gone: functions without a name are not told apart: no such file"},
		{"not known", profiles.Frame{Object: "/else", Address: 5, InFile: true}, "not known"},
		{"the kernel", profiles.Frame{Object: server, Address: 0x1123, Space: profiles.Kernel}, ""},
		{"no object", profiles.Frame{Address: 0x1123}, ""},
		{"resolved before", profiles.Frame{Object: server, BuildID: "ab", Start: 0x11140, Space: profiles.User}, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, warnings := resolve(t, profiles.Event{Name: "cycles"}, []profiles.Frame{tt.frame}, []profiles.Frame{tt.frame, tt.frame})
			if diff := cmp.Diff([][]profiles.Frame{{tt.frame}, {tt.frame, tt.frame}}, got); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if all := strings.Join(warnings, "\n"); len(warnings) > 1 || (tt.warning == "") != (all == "") || !strings.Contains(all, tt.warning) {
				t.Errorf("%q, want %q once", warnings, tt.warning)
			}
		})
	}
	// In callgrind's profiles it is the object's own address.
	got, _ := resolve(t, profiles.Event{Name: "Ir", Counted: true}, []profiles.Frame{memory})
	if got[0][0].Start != 0x11100 {
		t.Errorf("%+v", got)
	}
}
