package flame

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"opcost/profiles"
	"opcost/profiles/subsystem"
)

// tree is the call paths of all sides in one: a box for each path of names.
// boxes[0] is the root; a box stands after its parent. What is a pair is of
// Base and of New.
type tree struct {
	boxes []box
	ops   [2]float64 // what a weight is divided by; 1 if it is not per query
	per   string     // what an operation is; "" if weights are not per query
	both  bool       // two sides
	// groups are all subsystems, or spaces, with what was spent in their own code.
	groups []group
}

type group struct {
	name string
	self [2]int64
}

type box struct {
	parent   int32
	name     string
	self     [2]int64 // weight spent here, in the event's unit
	total    [2]int64 // self and all below
	samples  [2]int64 // of self
	group    string   // the subsystem, or the space where there are none
	taken    bool     // the group is its caller's
	objects  []string // distinct, in the order they came
	kernel   bool
	inlined  bool
	folded   int     // how many distinct functions this box stands for, if it is not one of its own
	children []int32 // widest first
}

// objectLimit is how many objects a box names; one more is kept to know that
// there are more.
const objectLimit = 4

type childKey struct {
	parent int32
	name   string
}

type treeBuilder struct {
	in     Input
	t      *tree
	known  map[childKey]int32
	groups map[string]int // in t.groups
}

// build merges the profiles of a checked input.
func build(in Input) (*tree, error) {
	b := &treeBuilder{in: in, known: map[childKey]int32{}, groups: map[string]int{}}
	b.t = &tree{boxes: []box{{parent: -1, name: "all"}}, ops: [2]float64{1, 1}, both: in.New.Profile != nil}
	sides := in.sides()
	perQuery := true
	for i, s := range sides {
		if err := b.add(i, s.Profile); err != nil {
			return nil, err
		}
		perQuery = perQuery && s.Profile.About.Operations > 0
	}
	if perQuery {
		b.t.per = "query"
		for i, s := range sides {
			b.t.ops[i] = s.Profile.About.Operations
			if s.Profile.About.Per != "" {
				b.t.per = s.Profile.About.Per
			}
		}
	}
	b.t.sum()
	b.t.order()
	return b.t, nil
}

// add adds the stacks of one side.
func (b *treeBuilder) add(side int, p *profiles.Profile) error {
	names := make([]string, len(p.Frames))
	for i, f := range p.Frames {
		names[i] = b.name(f)
	}
	places := placesOf(b.in, p)
	for _, s := range p.Stacks {
		at, place := int32(0), noStack(b.in)
		if b.in.Threads {
			thread := s.Thread
			if thread == "" {
				thread = "(thread not known)"
			}
			at = b.child(at, thread)
		}
		placed := places(s)
		for i := len(s.Frames) - 1; i >= 0; i-- {
			f := s.Frames[i]
			at = b.child(at, names[f])
			b.t.boxes[at].see(p.Frames[f], placed[i])
			place = placed[i].Subsystem
		}
		if len(s.Frames) == 0 {
			at = b.child(at, "(no stack)")
			b.t.boxes[at].group = place
		}
		b.t.boxes[at].self[side] += s.Weight
		b.t.boxes[at].samples[side] += s.Samples
		b.count(place, side, s.Weight)
	}
	if len(b.t.boxes) > 50_000_000 {
		return fmt.Errorf("flame graph: over 50 million distinct call paths: merge frames by object or subsystem")
	}
	return nil
}

// child is the box of a name under a parent, new or known.
func (b *treeBuilder) child(parent int32, name string) int32 {
	k := childKey{parent, name}
	if i, ok := b.known[k]; ok {
		return i
	}
	i := int32(len(b.t.boxes))
	b.known[k] = i
	b.t.boxes = append(b.t.boxes, box{parent: parent, name: name})
	return i
}

// count adds a stack's weight to its leaf's group.
func (b *treeBuilder) count(name string, side int, weight int64) {
	i, ok := b.groups[name]
	if !ok {
		i = len(b.t.groups)
		b.groups[name] = i
		b.t.groups = append(b.t.groups, group{name: name})
	}
	b.t.groups[i].self[side] += weight
}

func (b *treeBuilder) name(f profiles.Frame) string {
	if b.in.Name != nil {
		if n := b.in.Name(f); n != "" {
			return n
		}
	}
	return PlainName(f)
}

// see notes what a frame tells about its box.
func (x *box) see(f profiles.Frame, place subsystem.Placed) {
	if x.group == "" {
		x.group, x.taken = place.Subsystem, place.Inherited
	}
	x.kernel = x.kernel || f.Space == profiles.Kernel
	x.inlined = x.inlined || f.Inlined
	if f.Object != "" && len(x.objects) <= objectLimit && !slices.Contains(x.objects, f.Object) {
		x.objects = append(x.objects, f.Object)
	}
}

// PlainName is a frame's function, and for a frame without a name its object's
// base name with the function's start where that is known: "[mariadbd+0x1f40]",
// "[libc.so.6]", "[unknown]". Addresses inside a function are no part of it.
func PlainName(f profiles.Frame) string {
	if f.Named() {
		return f.Function
	}
	object := strings.Trim(path.Base(f.Object), "[]")
	switch {
	case f.Object == "":
		object = "unknown"
	case f.Start != 0:
		return fmt.Sprintf("[%s+%#x]", object, f.Start)
	}
	return "[" + object + "]"
}

// sum makes each box's total of its own weight and its children's totals.
func (t *tree) sum() {
	for i := range t.boxes {
		t.boxes[i].total = t.boxes[i].self
	}
	for i := len(t.boxes) - 1; i > 0; i-- {
		x := &t.boxes[i]
		for s := range x.total {
			t.boxes[x.parent].total[s] += x.total[s]
		}
	}
}

// order lists each box's children, the widest first.
func (t *tree) order() {
	for i := range t.boxes {
		t.boxes[i].children = nil
	}
	for i := 1; i < len(t.boxes); i++ {
		parent := &t.boxes[t.boxes[i].parent]
		parent.children = append(parent.children, int32(i))
	}
	for i := range t.boxes {
		slices.SortFunc(t.boxes[i].children, func(a, b int32) int {
			x, y := &t.boxes[a], &t.boxes[b]
			return cmp.Or(cmp.Compare(t.width(y), t.width(x)), cmp.Compare(x.name, y.name))
		})
	}
}

// perOp is a weight of a side divided by its operations.
func (t *tree) perOp(side int, weight int64) float64 { return float64(weight) / t.ops[side] }

// width is the larger of a box's two totals per query.
func (t *tree) width(x *box) float64 {
	return max(t.perOp(0, x.total[0]), t.perOp(1, x.total[1]))
}
