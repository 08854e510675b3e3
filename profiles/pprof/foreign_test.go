package pprof

import (
	"bytes"
	"runtime/pprof"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/pprof/profile"

	"opcost/profiles"
)

func encoded(t *testing.T, p *profile.Profile) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

//go:noinline
func busy(until time.Time) (n int) {
	for time.Now().Before(until) {
		for i := range 1000 {
			n += i * n
		}
	}
	return n
}

// A CPU profile that the Go runtime has written of this process.
func TestGoCPU(t *testing.T) {
	var b bytes.Buffer
	if err := pprof.StartCPUProfile(&b); err != nil {
		t.Fatal(err)
	}
	busy(time.Now().Add(300 * time.Millisecond))
	pprof.StopCPUProfile()
	set := read(t, b.Bytes())
	if len(set.Profiles) != 1 {
		t.Fatalf("%d events", len(set.Profiles))
	}
	p := set.Profiles[0]
	weight, samples := p.Total()
	if p.Event != (profiles.Event{Name: "cpu", Unit: profiles.Nanoseconds}) || samples == 0 || weight != samples*10_000_000 || p.About.Hz != 100 {
		t.Errorf("%+v, %+v: %d ns in %d samples; Go takes one each 10 ms", p.Event, p.About, weight, samples)
	}
	found := false
	for _, f := range p.Frames {
		found = found || strings.HasSuffix(f.Function, "profiles/pprof.busy") && f.Space == profiles.User
	}
	if !found {
		t.Error("the function that was busy is not in it")
	}
}

// The heap profile has four sample types; each is an event, the default first.
func TestGoHeap(t *testing.T) {
	var b bytes.Buffer
	if err := pprof.WriteHeapProfile(&b); err != nil {
		t.Fatal(err)
	}
	set := read(t, b.Bytes())
	var names []string
	for _, p := range set.Profiles {
		names = append(names, p.Event.Name)
	}
	if diff := cmp.Diff([]string{"inuse_space", "alloc_objects", "alloc_space", "inuse_objects"}, names); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if len(set.Warnings) != 2 {
		t.Errorf("bytes are no time: %q", set.Warnings)
	}
}

// What other programs' sample types mean.
func TestSampleTypes(t *testing.T) {
	type types = []*profile.ValueType
	tests := []struct {
		name      string
		types     types
		byDefault string
		want      []profiles.Event
		weights   []int64 // of a sample with the values 1, 2, 3 …
		samples   []int64
	}{
		{"perf_to_profile", types{{Type: "cycles_sample", Unit: "count"}, {Type: "cycles_event", Unit: "count"}, {Type: "instructions_sample", Unit: "count"}, {Type: "instructions_event", Unit: "count"}}, "",
			[]profiles.Event{{Name: "instructions", Unit: profiles.Instructions}, {Name: "cycles", Unit: profiles.Cycles}}, []int64{4, 2}, []int64{3, 1}},
		{"microseconds", types{{Type: "wall", Unit: "microseconds"}}, "", []profiles.Event{{Name: "wall", Unit: profiles.Nanoseconds}}, []int64{1000}, []int64{0}},
		{"samples alone", types{{Type: "samples", Unit: "count"}}, "", []profiles.Event{{Name: "samples", Unit: profiles.Samples}}, []int64{1}, []int64{1}},
		{"the default", types{{Type: "a", Unit: "count"}, {Type: "b", Unit: "count"}, {Type: "c", Unit: "s"}}, "b",
			[]profiles.Event{{Name: "b", Unit: profiles.Events}, {Name: "a", Unit: profiles.Events}, {Name: "c", Unit: profiles.Nanoseconds}}, []int64{2, 1, 3e9}, []int64{0, 0, 0}},
		{"samples twice", types{{Type: "samples", Unit: "count"}, {Type: "samples", Unit: "count"}}, "", []profiles.Event{{Name: "samples", Unit: profiles.Samples}}, []int64{1}, []int64{1}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p := &profile.Profile{SampleType: tt.types, DefaultSampleType: tt.byDefault}
			s := &profile.Sample{}
			for i := range tt.types {
				s.Value = append(s.Value, int64(i+1))
			}
			p.Sample = []*profile.Sample{s}
			set := read(t, encoded(t, p))
			var events []profiles.Event
			var weights, samples []int64
			for _, p := range set.Profiles {
				events = append(events, p.Event)
				w, n := p.Total()
				weights, samples = append(weights, w), append(samples, n)
			}
			if diff := cmp.Diff(tt.want, events); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
			if diff := cmp.Diff([][]int64{tt.weights, tt.samples}, [][]int64{weights, samples}); diff != "" {
				t.Errorf("weights and samples -want +got\n%s", diff)
			}
		})
	}
}

// Inlined frames are lines of one location; a location without a line is an
// address, in the file where the mapping tells.
func TestForeignFrames(t *testing.T) {
	m := &profile.Mapping{ID: 1, Start: 0x400000, Limit: 0x500000, Offset: 0x1000, File: "/bin/x", BuildID: "ab"}
	k := &profile.Mapping{ID: 2, Start: 0xffffffff81000000, Limit: 0xffffffff82000000, File: "[kernel.kallsyms]_text"}
	f := &profile.Function{ID: 1, Name: "f"}
	g := &profile.Function{ID: 2, SystemName: "_Z1gv"}
	p := &profile.Profile{
		SampleType: []*profile.ValueType{{Type: "cycles", Unit: "count"}}, Mapping: []*profile.Mapping{m, k}, Function: []*profile.Function{f, g},
		Location: []*profile.Location{
			{ID: 1, Address: 0x400123, Mapping: m, Line: []profile.Line{{Function: f}, {Function: g}}},
			{ID: 2, Address: 0x400200, Mapping: m},
			{ID: 3, Address: 0xffffffff81000010, Mapping: k},
			{ID: 4, Address: 0x77},
		},
	}
	p.Sample = []*profile.Sample{{Value: []int64{5}, Location: p.Location, Label: map[string][]string{"thread_name": {"w 1"}}}}
	got := read(t, encoded(t, p)).Profiles[0]
	want := []profiles.Frame{
		{Function: "f", Object: "/bin/x", BuildID: "ab", Space: profiles.User, Inlined: true},
		{Function: "_Z1gv", Object: "/bin/x", BuildID: "ab", Space: profiles.User},
		{Address: 0x1200, InFile: true, Object: "/bin/x", BuildID: "ab", Space: profiles.User},
		{Address: 0xffffffff81000010, Object: "[kernel.kallsyms]_text", Space: profiles.Kernel},
		{Address: 0x77},
	}
	if diff := cmp.Diff(want, got.Frames); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if got.Stacks[0].Thread != "w 1" {
		t.Errorf("%+v", got.Stacks)
	}
}

func TestReadErrors(t *testing.T) {
	newer := &profile.Profile{SampleType: []*profile.ValueType{{Type: "a", Unit: "count"}}, Comments: []string{"opcost.format=2"}}
	bad := &profile.Profile{SampleType: []*profile.ValueType{{Type: "a", Unit: "count"}}, Comments: []string{"opcost.format=1", "opcost.operations=many"}}
	difference := &profile.Profile{SampleType: []*profile.ValueType{{Type: "a", Unit: "count"}}, Sample: []*profile.Sample{{Value: []int64{-5}}}}
	large := &profile.Profile{SampleType: []*profile.ValueType{{Type: "a", Unit: "seconds"}}, Sample: []*profile.Sample{{Value: []int64{1 << 60}}}}
	for name, tt := range map[string]struct {
		in   []byte
		want string
	}{
		"empty":        {nil, "not a pprof profile"},
		"text":         {[]byte("main;f 3\n"), "not a pprof profile"},
		"cut":          {write(t, randomSet(t, 1))[:100], "unpack it"},
		"newer":        {encoded(t, newer), `format "2" is not known`},
		"bad comment":  {encoded(t, bad), "opcost.operations"},
		"a difference": {encoded(t, difference), "-diff_base"},
		"too large":    {encoded(t, large), "too many"},
		"no types":     {encoded(t, &profile.Profile{Comments: []string{"x"}}), "no sample type"},
	} {
		if set, err := Read(bytes.NewReader(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %+v, %v", name, set, err)
		}
	}
	if err := Write(&bytes.Buffer{}, &profiles.Set{}); err == nil {
		t.Error("a set of nothing was written")
	}
}

// What can be read can be written, and is then the same.
func FuzzRead(f *testing.F) {
	f.Add(func() []byte {
		var b bytes.Buffer
		if err := pprof.Lookup("goroutine").WriteTo(&b, 0); err != nil {
			f.Fatal(err)
		}
		data, err := unpack(&b)
		if err != nil {
			f.Fatal(err)
		}
		return data
	}())
	b := profiles.NewBuilder(profiles.Event{Name: "Ir", Counted: true})
	fr := b.Frame(profiles.Frame{Start: 7, Object: "/x", Recursion: 2})
	if err := b.Call("t", fr, fr, 1, 2); err != nil {
		f.Fatal(err)
	}
	var ours bytes.Buffer
	if err := Write(&ours, &profiles.Set{Profiles: []*profiles.Profile{b.Profile()}}); err != nil {
		f.Fatal(err)
	}
	data, err := unpack(&ours)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(data)
	f.Fuzz(func(t *testing.T, in []byte) {
		set, err := Read(bytes.NewReader(in))
		if err != nil {
			return
		}
		for _, p := range set.Profiles {
			for _, s := range p.Stacks {
				for _, f := range s.Frames {
					_ = p.Frames[f]
				}
			}
			p.Total()
		}
		var b bytes.Buffer
		if err := Write(&b, set); err != nil {
			t.Fatal(err)
		}
		if _, err := Read(&b); err != nil {
			t.Fatal(err)
		}
	})
}
