package pprof

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"opcost/profiles"
)

func write(t *testing.T, set *profiles.Set) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, set); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func read(t *testing.T, b []byte) *profiles.Set {
	t.Helper()
	set, err := Read(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	return set
}

// flat is a profile without the order of its frames.
type flat struct {
	Event    profiles.Event
	Stacks   []flatStack
	Arcs     []flatArc
	Counted  bool
	About    profiles.About
	Problems profiles.Problems
}

type flatStack struct {
	Thread          string
	Frames          []profiles.Frame
	Weight, Samples int64
}

type flatArc struct {
	Thread         string
	Caller, Callee profiles.Frame
	Calls, Weight  int64
}

func flatten(set *profiles.Set) []flat {
	var all []flat
	for _, p := range set.Profiles {
		f := flat{Event: p.Event, About: p.About, Problems: p.Problems, Counted: p.Arcs != nil}
		for _, s := range p.Stacks {
			fs := flatStack{Thread: s.Thread, Weight: s.Weight, Samples: s.Samples}
			for _, i := range s.Frames {
				fs.Frames = append(fs.Frames, p.Frames[i])
			}
			f.Stacks = append(f.Stacks, fs)
		}
		for _, a := range p.Arcs {
			f.Arcs = append(f.Arcs, flatArc{a.Thread, p.Frames[a.Caller], p.Frames[a.Callee], a.Calls, a.Weight})
		}
		all = append(all, f)
	}
	return all
}

func pick[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

func randomFrame(r *rand.Rand) profiles.Frame {
	f := profiles.Frame{
		Object:  pick(r, "", "/usr/sbin/mariadbd", "/usr/lib/libc.so.6", "[kernel.kallsyms]", "[vdso]", "/a dir/x fn 0x12", "/y+0x3"),
		BuildID: pick(r, "", "0123abcd", "ffee"),
		Space:   pick(r, profiles.UnknownSpace, profiles.User, profiles.Kernel),
		Inlined: r.IntN(4) == 0,
	}
	if r.IntN(4) == 0 {
		f.Recursion = uint16(2 + r.IntN(3))
	}
	switch r.IntN(4) {
	case 0:
		f.Address, f.InFile = uint64(r.IntN(4))*0x1000_0000_0000, r.IntN(2) == 0
	case 1:
		f.Start = 1 + r.Uint64N(1<<62)
	default:
		f.Function = pick(r, "main", "f(int)", "operator new(unsigned long)", "f'2", "std::map<a, b>::{lambda(int)#1}", "x 0x12", "ü;", "Lorg/x;::y")
	}
	return f
}

func randomSet(t *testing.T, seed uint64) *profiles.Set {
	r := rand.New(rand.NewPCG(seed, 3))
	set := &profiles.Set{}
	for i := range 1 + r.IntN(3) {
		counted := r.IntN(3) == 0
		b := profiles.NewBuilder(profiles.Event{
			Name: fmt.Sprintf("%s%d", pick(r, "cycles:", "Ir", "cpu-clock", "a=b_samples"), i),
			Unit: pick(r, profiles.Cycles, profiles.Nanoseconds, profiles.Samples, profiles.Events), Counted: counted})
		frames := make([]int32, 1+r.IntN(20))
		for j := range frames {
			frames[j] = b.Frame(randomFrame(r))
		}
		for range r.IntN(30) {
			var stack []int32
			for range r.IntN(6) {
				stack = append(stack, pick(r, frames...))
			}
			samples := r.Int64N(5)
			if counted {
				samples = 0
			}
			if err := b.Add(pick(r, "", "mysqld", "a: b"), stack, r.Int64N(1<<40)*r.Int64N(2), samples); err != nil {
				t.Fatal(err)
			}
			if counted {
				if err := b.Call(pick(r, "", "t"), pick(r, frames...), pick(r, frames...), r.Int64N(5), r.Int64N(1000)); err != nil {
					t.Fatal(err)
				}
			}
		}
		p := b.Profile()
		if i == 0 || r.IntN(2) == 0 {
			p.About = profiles.About{Version: pick(r, "", "bl=x\ny"), Workload: "point-query", Clients: r.IntN(3), Protocol: "prepared",
				Repeat: r.IntN(3), Operations: r.Float64() * 1e6, Per: "statement", Seconds: 2.5, CPUUS: 1e6 / 3.0,
				Binary: "/usr/sbin/mariadbd", Server: "10.11.19-MariaDB", CallGraph: "fp", Hz: pick(r, 0, 499)}
			p.Problems = profiles.Problems{Lost: r.Int64N(3), Throttled: 1, NoStack: r.Int64N(2), Broken: 7, Periods: 9}
		}
		set.Profiles = append(set.Profiles, p)
	}
	if r.IntN(2) == 0 {
		set.Warnings = []string{"line 7: x=y", "two"}
	}
	return set
}

func TestRoundTrip(t *testing.T) {
	for seed := range uint64(300) {
		set := randomSet(t, seed)
		b := write(t, set)
		got := read(t, b)
		if diff := cmp.Diff(flatten(set), flatten(got)); diff != "" {
			t.Fatalf("seed %d: -written +read\n%s", seed, diff)
		}
		if diff := cmp.Diff(set.Warnings, got.Warnings); diff != "" {
			t.Errorf("seed %d: warnings -written +read\n%s", seed, diff)
		}
		if again := write(t, got); !bytes.Equal(again, b) {
			t.Errorf("seed %d: what was read is written otherwise", seed)
		}
	}
}

// pprof merges files: values add up, what differs is not known any more.
func TestMerged(t *testing.T) {
	var sets []*profiles.Set
	for i := range 2 {
		b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
		f := b.Frame(profiles.Frame{Function: "f", Object: "/x", Space: profiles.User})
		if err := b.Add("t", []int32{f}, int64(10+i), 1); err != nil {
			t.Fatal(err)
		}
		p := b.Profile()
		p.About = profiles.About{Version: "v", Operations: float64(100 + i)}
		sets = append(sets, &profiles.Set{Profiles: []*profiles.Profile{p}})
	}
	merged := merge(t, sets...)
	got := read(t, merged)
	p := got.Profiles[0]
	if w, n := p.Total(); w != 21 || n != 2 || len(p.Stacks) != 1 {
		t.Errorf("%+v", p.Stacks)
	}
	if p.About.Version != "v" || p.About.Operations != 0 {
		t.Errorf("%+v", p.About)
	}
	if len(got.Warnings) != 1 || !strings.Contains(got.Warnings[0], `different operations ("100", "101")`) {
		t.Errorf("%q", got.Warnings)
	}
}

// merge joins files as "go tool pprof" does.
func merge(t *testing.T, sets ...*profiles.Set) []byte {
	t.Helper()
	var all []*profile.Profile
	for _, set := range sets {
		p, err := profile.Parse(bytes.NewReader(write(t, set)))
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	p, err := profile.Merge(all)
	if err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}
