package flame

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"

	"opcost/profiles"
)

// nameLimit is how many bytes of a name a page holds.
const nameLimit = 1000

// What a frame's flags say, as page/model.js reads them.
const (
	flagKernel = 1 << iota
	flagInlined
	flagTaken // its group is its caller's
	flagFolded
)

// data is what the page's script reads: boxes in the order of a walk from the
// root, callers before what they called, as arrays of numbers; texts once each.
type data struct {
	Sides   []dataSide  `json:"sides"`
	Unit    string      `json:"unit"`    // what is shown, after the division
	Divisor float64     `json:"divisor"` // of weights, to come to that unit
	Per     string      `json:"per"`     // "" if values are not per query
	Strings []string    `json:"strings"`
	Frames  []int       `json:"frames"` // four a frame: name, object, group (all in Strings), flags
	Depth   []int       `json:"depth"`  // a box each; the root's is 0
	Frame   []int       `json:"frame"`
	Self    [][]int64   `json:"self"`    // a side, a box each: own weight
	Samples [][]int64   `json:"samples"` // likewise; none where costs were counted
	Groups  []dataGroup `json:"groups"`  // the largest first
	Places  bool        `json:"places"`  // groups are subsystems
}

type dataSide struct {
	Label      string  `json:"label"`
	Operations float64 `json:"operations"` // weights are divided by it; 1 if not per query
}

// dataGroup is a group's own weight on each side, before any folding.
type dataGroup struct {
	Name string  `json:"name"`
	Self []int64 `json:"self"`
}

// dataGroups are a tree's groups, the largest first.
func (t *tree) dataGroups() []dataGroup {
	groups := slices.Clone(t.groups)
	width := func(g group) float64 { return max(t.perOp(0, g.self[0]), t.perOp(1, g.self[1])) }
	slices.SortFunc(groups, func(a, b group) int {
		return cmp.Or(cmp.Compare(width(b), width(a)), cmp.Compare(a.name, b.name))
	})
	sides := 1
	if t.both {
		sides = 2
	}
	out := make([]dataGroup, len(groups))
	for i, g := range groups {
		out[i] = dataGroup{Name: cut(g.name), Self: slices.Clone(g.self[:sides])}
	}
	return out
}

// shownUnit is the unit that weights of an event are shown in, and how many of
// the event's units it is.
func shownUnit(e profiles.Event, perQuery bool) (string, float64) {
	switch {
	case e.Unit == profiles.Nanoseconds && perQuery:
		return "µs of CPU", 1e3
	case e.Unit == profiles.Nanoseconds:
		return "ms of CPU", 1e6
	case e.Unit == "":
		return "events", 1
	}
	return e.Unit, 1
}

// encoder keeps texts and frames once each.
type encoder struct {
	d         *data
	strings   map[string]int
	frames    map[[4]int]int
	shortened int
}

// encode is the tree as the page's script reads it, in JSON that is safe inside
// a script element, and how many texts were cut.
func encode(in Input, t *tree) ([]byte, int, error) {
	d := &data{Per: t.per, Groups: t.dataGroups(), Places: in.Subsystems != nil}
	d.Unit, d.Divisor = shownUnit(in.Base.Profile.Event, t.per != "")
	e := &encoder{d: d, strings: map[string]int{}, frames: map[[4]int]int{}}
	sampled := false
	for i, s := range in.sides() {
		d.Sides = append(d.Sides, dataSide{cut(s.label(string(rune('A' + i)))), t.ops[i]})
		d.Self = append(d.Self, make([]int64, 0, len(t.boxes)))
		_, n := s.Profile.Total()
		sampled = sampled || n > 0
	}
	if sampled {
		d.Samples = make([][]int64, len(d.Sides))
	}
	e.walk(t)
	text, err := json.Marshal(d) // escapes <, > and &
	return text, e.shortened, err
}

// walk adds all boxes, without recursion: stacks may be very deep.
func (e *encoder) walk(t *tree) {
	type step struct {
		box   int32
		depth int
	}
	todo := []step{{0, 0}}
	for len(todo) > 0 {
		at := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		x := &t.boxes[at.box]
		e.d.Depth = append(e.d.Depth, at.depth)
		e.d.Frame = append(e.d.Frame, e.frame(x))
		for s := range e.d.Self {
			e.d.Self[s] = append(e.d.Self[s], x.self[s])
		}
		for s := range e.d.Samples {
			e.d.Samples[s] = append(e.d.Samples[s], x.samples[s])
		}
		for _, c := range slices.Backward(x.children) {
			todo = append(todo, step{c, at.depth + 1})
		}
	}
}

func (e *encoder) frame(x *box) int {
	flags := 0
	for flag, on := range map[int]bool{flagKernel: x.kernel, flagInlined: x.inlined, flagTaken: x.taken, flagFolded: x.folded > 0} {
		if on {
			flags |= flag
		}
	}
	objects := strings.Join(x.objects[:min(len(x.objects), objectLimit)], ", ")
	if len(x.objects) > objectLimit {
		objects += ", …"
	}
	key := [4]int{e.text(x.name), e.text(objects), e.text(x.group), flags}
	i, ok := e.frames[key]
	if !ok {
		i = len(e.frames)
		e.frames[key] = i
		e.d.Frames = append(e.d.Frames, key[:]...)
	}
	return i
}

func (e *encoder) text(s string) int {
	i, ok := e.strings[s]
	if !ok {
		i = len(e.d.Strings)
		e.strings[s] = i
		short := cut(s)
		if short != s {
			e.shortened++
		}
		e.d.Strings = append(e.d.Strings, short)
	}
	return i
}

// cut shortens a text to nameLimit bytes.
func cut(s string) string {
	if len(s) <= nameLimit {
		return s
	}
	n := nameLimit
	for n > 0 && !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n] + "…"
}
