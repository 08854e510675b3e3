package flame

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"opcost/profiles"
	"opcost/profiles/subsystem"
)

// profile makes a profile of lines "caller;callee weight", of 1 sample each
// unless the event counts.
func profile(t testing.TB, e profiles.Event, ops float64, lines ...string) *profiles.Profile {
	t.Helper()
	b := profiles.NewBuilder(e)
	for _, line := range lines {
		var weight int64
		path, number, _ := strings.Cut(line, " ")
		if _, err := fmt.Sscan(number, &weight); err != nil {
			t.Fatal(line, err)
		}
		var stack []int32
		for _, n := range slices.Backward(strings.Split(path, ";")) {
			f := profiles.Frame{Function: n, Object: "/usr/sbin/mysqld", Space: profiles.User}
			if strings.HasPrefix(n, "sys_") {
				f.Object, f.Space = "[kernel.kallsyms]", profiles.Kernel
			}
			stack = append(stack, b.Frame(f))
		}
		samples := int64(1)
		if e.Counted {
			samples = 0
		}
		if err := b.Add("connection", stack, weight, samples); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Profile()
	p.About.Operations = ops
	p.About.Per = "statement"
	return p
}

var counted = profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true}

// at is the box of a path, or nil.
func (t *tree) at(path string) *box {
	i := int32(0)
	for _, name := range strings.Split(path, ";") {
		next := slices.IndexFunc(t.boxes[i].children, func(c int32) bool { return t.boxes[c].name == name })
		if next < 0 {
			return nil
		}
		i = t.boxes[i].children[next]
	}
	return &t.boxes[i]
}

func TestTreeOfTwo(t *testing.T) {
	in := Input{
		Base: Side{Profile: profile(t, counted, 10, "main;parse 100", "main;run;read 300", "main;run 40")},
		New:  Side{Profile: profile(t, counted, 20, "main;run;read 800", "main;log;sys_write 60")},
	}
	got, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][2][2]int64{ // self, total
		"main":               {{0, 0}, {440, 860}},
		"main;parse":         {{100, 0}, {100, 0}},
		"main;run":           {{40, 0}, {340, 800}},
		"main;run;read":      {{300, 800}, {300, 800}},
		"main;log":           {{0, 0}, {0, 60}},
		"main;log;sys_write": {{0, 60}, {0, 60}},
	} {
		x := got.at(path)
		if x == nil {
			t.Errorf("%s: no box", path)
			continue
		}
		if x.self != want[0] || x.total != want[1] {
			t.Errorf("%s: self %v, total %v, want %v", path, x.self, x.total, want)
		}
	}
	if w := got.width(&got.boxes[0]); w != 44 { // 440/10 in Base, 860/20 = 43 in New
		t.Errorf("the graph is %v wide, want 44 per statement", w)
	}
	if got.per != "statement" {
		t.Errorf("per %q", got.per)
	}
	if x := got.at("main;log;sys_write"); !x.kernel || x.group != groupKernel || x.objects[0] != "[kernel.kallsyms]" {
		t.Errorf("sys_write: %+v", x)
	}
}

func TestWithoutOperationsNothingIsPerQuery(t *testing.T) {
	in := Input{
		Base: Side{Profile: profile(t, counted, 10, "main 100")},
		New:  Side{Profile: profile(t, counted, 0, "main 300")},
	}
	got, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	if got.per != "" || got.ops != [2]float64{1, 1} {
		t.Errorf("per %q, divided by %v", got.per, got.ops)
	}
	var page strings.Builder
	if _, err := Write(&page, in); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(page.String(), `id="not-per-query"`) || strings.Contains(page.String(), "instructions per") {
		t.Error("the page does not say that values are not per query")
	}
}

func TestNamesMerge(t *testing.T) {
	in := Input{
		Base: Side{Profile: profile(t, counted, 1, "main;row_sel.part.0 5")},
		New:  Side{Profile: profile(t, counted, 1, "main;row_sel.cold 7", "main;row_sel 1")},
		Name: func(f profiles.Frame) string {
			name, _, _ := strings.Cut(f.Function, ".")
			return name
		},
		Threads: true,
	}
	got, err := build(in)
	if err != nil {
		t.Fatal(err)
	}
	x := got.at("connection;main;row_sel")
	if x == nil || x.total != [2]int64{5, 8} || len(got.boxes) != 4 {
		t.Errorf("row_sel: %+v of %d boxes", x, len(got.boxes))
	}
}

func TestPlainName(t *testing.T) {
	for want, f := range map[string]profiles.Frame{
		"row_sel":           {Function: "row_sel", Object: "/usr/sbin/mysqld"},
		"[mariadbd+0x1f40]": {Object: "/usr/sbin/mariadbd", Start: 0x1f40, Address: 7},
		"[libc.so.6]":       {Object: "/lib/libc.so.6", Address: 7},
		"[vdso]":            {Object: "[vdso]"},
		"[unknown]":         {Address: 7},
	} {
		if got := PlainName(f); got != want {
			t.Errorf("%+v: %q, want %q", f, got, want)
		}
	}
}

func TestSubsystems(t *testing.T) {
	table, err := subsystem.Load(strings.NewReader("[records]\nuser row_*\n[files]\nkernel sys_*\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	b := profiles.NewBuilder(counted)
	row := b.Frame(profiles.Frame{Function: "row_sel", Space: profiles.User})
	bare := b.Frame(profiles.Frame{Object: "mysqld", Address: 9, Space: profiles.User})
	sys := b.Frame(profiles.Frame{Function: "sys_read", Space: profiles.Kernel})
	for _, s := range []struct {
		frames []int32
		weight int64
	}{{[]int32{row}, 3}, {[]int32{bare, row}, 5}, {[]int32{sys, bare, row}, 11}, {nil, 2}} {
		if err := b.Add("", s.frames, s.weight, 0); err != nil {
			t.Fatal(err)
		}
	}
	got, err := build(Input{Base: Side{Profile: b.Profile()}, Subsystems: table})
	if err != nil {
		t.Fatal(err)
	}
	sums := map[string]int64{}
	for _, g := range got.groups {
		sums[g.name] += g.self[0]
	}
	if fmt.Sprint(sums) != "map[files:11 records:8 unresolved:2]" {
		t.Errorf("own costs by subsystem: %v", sums)
	}
	if x := got.at("row_sel;[mysqld]"); x == nil || x.group != "records" || !x.taken {
		t.Errorf("the box without a name: %+v", x)
	}
	if x := got.at("(no stack)"); x == nil || x.group != subsystem.Unresolved {
		t.Errorf("samples without a stack: %+v", x)
	}
}

// randomProfile has stacks over few names, so that paths meet and recur.
func randomProfile(t testing.TB, r *rand.Rand, stacks int) *profiles.Profile {
	lines := make([]string, stacks)
	for i := range lines {
		path := make([]string, 1+r.IntN(12))
		for j := range path {
			path[j] = fmt.Sprintf("f%d", r.IntN(4))
		}
		lines[i] = fmt.Sprintf("%s %d", strings.Join(path, ";"), r.Int64N(1000))
	}
	return profile(t, counted, 1+1000*r.Float64(), append(lines, "f0 1")...)
}

// Each box's total is the sum of the stacks that begin with its path: a second
// way to the same number, that knows no tree.
func TestTotalsAreSumsOfStacks(t *testing.T) {
	for seed := range uint64(30) {
		r := rand.New(rand.NewPCG(seed, 5))
		in := Input{Base: Side{Profile: randomProfile(t, r, 60)}, New: Side{Profile: randomProfile(t, r, 60)}}
		got, err := build(in)
		if err != nil {
			t.Fatal(err)
		}
		want := map[string]*[2]int64{"": {}}
		for s, side := range in.sides() {
			for _, stack := range side.Profile.Stacks {
				path := ""
				want[path][s] += stack.Weight
				for _, f := range slices.Backward(stack.Frames) {
					path += ";" + side.Profile.Frames[f].Function
					if want[path] == nil {
						want[path] = new([2]int64)
					}
					want[path][s] += stack.Weight
				}
			}
		}
		if len(got.boxes) != len(want) {
			t.Fatalf("seed %d: %d boxes, %d distinct paths", seed, len(got.boxes), len(want))
		}
		paths := make([]string, len(got.boxes))
		for i, x := range got.boxes {
			if i > 0 {
				paths[i] = paths[x.parent] + ";" + x.name
			}
			if x.total != *want[paths[i]] {
				t.Errorf("seed %d: %s: total %v, its stacks add up to %v", seed, paths[i], x.total, *want[paths[i]])
			}
		}
		addUp(t, got)
	}
}

// addUp checks that a tree's widths add up.
func addUp(t *testing.T, tr *tree) {
	t.Helper()
	var groups [2]int64
	for _, g := range tr.groups {
		groups[0] += g.self[0]
		groups[1] += g.self[1]
	}
	if groups != tr.boxes[0].total {
		t.Errorf("groups add up to %v, the graph is %v", groups, tr.boxes[0].total)
	}
	for i, x := range tr.boxes {
		sum := x.self
		for _, c := range x.children {
			sum[0] += tr.boxes[c].total[0]
			sum[1] += tr.boxes[c].total[1]
			if tr.boxes[c].parent != int32(i) {
				t.Errorf("box %d is below %d and above %d", i, tr.boxes[c].parent, c)
			}
		}
		if sum != x.total {
			t.Errorf("box %d (%s): own and children add up to %v, total %v", i, x.name, sum, x.total)
		}
	}
}
