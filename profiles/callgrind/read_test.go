package callgrind

import (
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/profiles"
)

func read(t *testing.T, in string) *profiles.Set {
	t.Helper()
	set, err := Read(strings.NewReader(in))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// The file by hand of TestParse, worked out there.
func TestRead(t *testing.T) {
	set := read(t, all)
	if len(set.Profiles) != 2 || set.Warnings != nil {
		t.Fatalf("%+v", set)
	}
	frames := []profiles.Frame{
		{Function: "main", Object: "/bin/a.out", Space: profiles.User},
		{Function: "f", Object: "/lib/libc.so", Space: profiles.User},
		{Function: "int_op(std::map<a, b> const&)::{lambda(int)#1}", Object: "/bin/a.out", Space: profiles.User},
		{Function: "(below main)", Object: "/bin/a.out", Space: profiles.User},
	}
	want := &profiles.Profile{
		Event:  profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true},
		Frames: frames,
		Stacks: []profiles.Stack{
			{Thread: "thread 7", Frames: []int32{0}, Weight: 13},
			{Thread: "thread 7", Frames: []int32{1}, Weight: 35},
			{Thread: "thread 7", Frames: []int32{3}, Weight: 4},
		},
		Arcs: []profiles.Arc{
			{Thread: "thread 7", Caller: 0, Callee: 1, Calls: 2, Weight: 60},
			{Thread: "thread 7", Caller: 0, Callee: 2, Calls: 1, Weight: 7},
			{Thread: "thread 7", Caller: 1, Callee: 1, Calls: 1, Weight: 5},
			{Thread: "thread 7", Caller: 3, Callee: 0, Calls: 1, Weight: 80},
		},
		About: profiles.About{CallGraph: "counted"},
	}
	if diff := cmp.Diff(want, set.Profiles[0]); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	dr := set.Profiles[1]
	if w, _ := dr.Total(); w != 3 || dr.Event != (profiles.Event{Name: "Dr", Unit: profiles.Events, Counted: true}) {
		t.Errorf("%+v", dr)
	}
	if len(dr.Stacks) != 2 || len(dr.Arcs) != 4 {
		t.Errorf("functions without a cost must have no stack, but keep their calls: %+v", dr)
	}
}

func TestReadWarnings(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"good", "events: Ir\nfn=f\n1 5\ntotals: 5\n", ""},
		{"no sums", "events: Ir\nfn=f\n1 5\n", ""},
		{"totals differ", "events: Ir\nfn=f\n1 5\ntotals: 6\n", `part 1: the functions' own costs add up to [5], the line "totals:" says [6]`},
		{"summary is ignored beside totals", "events: Ir\nsummary: 18446744073709502228\nfn=f\n1 5\ntotals: 5\n", ""},
		{"summary differs", "events: Ir\nsummary: 7\nfn=f\n1 5\n", `the line "summary:" says [7]`},
		{"cut short", "creator: callgrind-3.19.0\nevents: Ir\nsummary: 5\nfn=f\n1 5\n", "cut short"},
		{"nothing", "events: Ir\ntotals: 0\n", "no cost at all"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := strings.Join(read(t, tt.in).Warnings, "\n")
			if (tt.want == "") != (got == "") || !strings.Contains(got, tt.want) {
				t.Errorf("%q, want %q", got, tt.want)
			}
		})
	}
}

func TestReadErrors(t *testing.T) {
	for in, want := range map[string]string{
		"events: Ir Ir\nfn=f\n1 5 5\n":                                              `"Ir" stands twice`,
		"events: Ir\nfn=f\n1 9223372036854775808\n":                                 "event Ir: a count of 9223372036854775808 is over",
		"events: Ir\nfn=f\n1 9223372036854775807\npart: 2\nevents: Ir\nfn=f\n1 1\n": "over",
		"\x1f\x8bno gzip, and long enough":                                          "unpack it: gzip",
	} {
		if set, err := Read(strings.NewReader(in)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %+v, %v", in, set, err)
		}
	}
	if _, err := ReadFiles(); err == nil {
		t.Error("no file")
	}
	if _, err := ReadFiles(filepath.Join(t.TempDir(), "absent")); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Error(err)
	}
}

func TestFrame(t *testing.T) {
	tests := []struct {
		in   Function
		want profiles.Frame
	}{
		{Function{Name: "f'2", Object: "/a"}, profiles.Frame{Function: "f", Object: "/a", Recursion: 2}},
		{Function{Name: "f(int)'13"}, profiles.Frame{Function: "f(int)", Recursion: 13}},
		{Function{Name: "f'main"}, profiles.Frame{Function: "f'main"}},
		{Function{Name: "f'1"}, profiles.Frame{Function: "f'1"}}, // callgrind begins at 2
		{Function{Name: "f'02"}, profiles.Frame{Function: "f'02"}},
		{Function{Name: "f'"}, profiles.Frame{Function: "f'"}},
		{Function{Name: "'2"}, profiles.Frame{Function: "'2"}},
		{Function{Name: "f'99999"}, profiles.Frame{Function: "f'99999"}},
		{Function{Name: "0x0000000000009a70", Object: "/lib/x.so"}, profiles.Frame{Address: 0x9a70, Object: "/lib/x.so"}},
		{Function{Name: "0x08048900'2"}, profiles.Frame{Address: 0x8048900, Recursion: 2}},
		{Function{Name: "0x00000000000058d0 [Plt]"}, profiles.Frame{Address: 0x58d0}},
		{Function{Name: "0xabc"}, profiles.Frame{Function: "0xabc"}},
		{Function{Name: "???", Object: "???", File: "???"}, profiles.Frame{}},
		{Function{Name: "(below main)"}, profiles.Frame{Function: "(below main)"}},
	}
	for _, tt := range tests {
		tt.want.Space = profiles.User
		if got := frame(&tt.in); got != tt.want {
			t.Errorf("%+v: %+v", tt.in, got)
		}
	}
}

// The dumps of two threads and a second process, one of them compressed.
func TestReadFiles(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	var packed strings.Builder
	z := gzip.NewWriter(&packed)
	if _, err := z.Write([]byte("pid: 4\nthread: 2\nevents: Ir\nfn=f\n1 7\ncfn=g\ncalls=1 1\n1 2\nfn=g\n1 2\ntotals: 9\n")); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	set, err := ReadFiles(
		write("1", "pid: 4\nthread: 1\nevents: Ir\nfn=f\n1 5\ntotals: 6\n"),
		write("2", packed.String()),
		write("3", "pid: 9\nthread: 1\nevents: Bc Ir\nfn=f\n1 5 1\ntotals: 5 1\n"),
		write("4", "pid: 4\nthread: 1\npart: 2\nevents: Ir\nfn=f\n1 50\ntotals: 50\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []profiles.Stack{
		{Thread: "thread 1", Frames: []int32{0}, Weight: 55},
		{Thread: "thread 2", Frames: []int32{0}, Weight: 7},
		{Thread: "thread 2", Frames: []int32{1}, Weight: 2},
		{Thread: "pid 9 thread 1", Frames: []int32{0}, Weight: 1},
	}
	if diff := cmp.Diff(want, set.Profiles[0].Stacks); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(set.Profiles) != 2 || set.Profiles[1].Event.Name != "Bc" || len(set.Warnings) != 1 || !strings.Contains(set.Warnings[0], filepath.Join(dir, "1")+": part 1: ") {
		t.Errorf("%+v", set)
	}
}

// What can be read adds up, whatever the file says.
func FuzzRead(f *testing.F) {
	f.Add(all)
	f.Add("events: Ir\nfn=(1) f'2\n1 5\ntotals: 5\n\npid: 2\nevents: Bc Ir\nfn=(1)\n1 6 7\ncfn=0x00001234\ncalls=1 1\n1 5\ntotals: 6 7\n")
	f.Fuzz(func(t *testing.T, in string) {
		file, err := Parse(strings.NewReader(in))
		if err != nil {
			return
		}
		set, err := Read(strings.NewReader(in))
		if err != nil {
			return
		}
		want := map[string]uint64{}
		for i := range file.Parts {
			for e, n := range file.Parts[i].Self() {
				want[file.Parts[i].Events[e]] += n
			}
		}
		for _, p := range set.Profiles {
			if got, _ := p.Total(); uint64(got) != want[p.Event.Name] {
				t.Fatalf("%s: %d, want %d", p.Event.Name, got, want[p.Event.Name])
			}
		}
	})
}
