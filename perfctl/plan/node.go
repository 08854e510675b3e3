package plan

import (
	"fmt"
	"slices"

	"github.com/goccy/go-yaml/ast"
)

// reader collects what is wrong while it reads. It walks the syntax tree
// itself, since a decoder stops at the first error and forgets the lines.
type reader struct {
	file     string
	known    Known
	machine  Machine
	aliases  map[*ast.AliasNode]ast.Node // nil value: no such anchor
	keyOf    map[ast.Node]ast.Node       // of the values that are nothing
	merges   int                         // done so far
	problems []Problem
}

// entry is one key of a mapping with its value, aliases resolved.
type entry struct {
	in, name string
	key      ast.Node
	value    ast.Node
}

func (r *reader) bad(at ast.Node, instead, format string, args ...any) {
	if key, ok := r.keyOf[at]; ok { // nothing has no place of its own
		at = key
	}
	line, col := position(at)
	r.problems = append(r.problems, Problem{File: r.file, Line: line, Col: col,
		Text: fmt.Sprintf(format, args...), Instead: instead})
}

// position is where a node begins. The token of a block mapping is its first
// colon, which is not what a reader looks for.
func position(n ast.Node) (line, col int) {
	switch t := n.(type) {
	case *ast.MappingNode:
		if !t.IsFlowStyle && len(t.Values) > 0 {
			return position(t.Values[0].Key)
		}
	case *ast.MappingValueNode:
		return position(t.Key)
	}
	if n == nil || n.GetToken() == nil || n.GetToken().Position == nil {
		return 1, 1
	}
	p := n.GetToken().Position
	return max(1, p.Line), max(1, p.Column)
}

// anchors remembers what each alias of a document stands for: the last anchor
// of that name before it.
type anchors struct {
	named   map[string]ast.Node
	aliases map[*ast.AliasNode]ast.Node
}

func (a anchors) Visit(n ast.Node) ast.Visitor {
	switch t := n.(type) {
	case *ast.AnchorNode:
		a.named[t.Name.GetToken().Value] = t.Value
	case *ast.AliasNode:
		a.aliases[t] = a.named[t.Value.GetToken().Value]
	}
	return a
}

// maxDepth bounds aliases and merges of aliases: one may name itself.
const maxDepth = 50

// maxMerges bounds the work: merges of merges can double at each level.
const maxMerges = 1000

// resolve follows anchors, aliases and `!!str`. It gives nil after an error.
func (r *reader) resolve(n ast.Node) ast.Node {
	first := n
	for range maxDepth {
		switch t := n.(type) {
		case nil:
			r.bad(first, "", "there is no value here")
			return nil
		case *ast.AnchorNode:
			n = t.Value
		case *ast.AliasNode:
			if n = r.aliases[t]; n == nil {
				r.bad(t, "", "there is no anchor &%s above this line", t.Value.GetToken().Value)
				return nil
			}
		case *ast.MappingKeyNode:
			n = t.Value
		case *ast.TagNode:
			if t.Start.Value != "!!str" {
				r.bad(t, "the value alone", "a plan has no use for the tag %s", t.Start.Value)
				return nil
			}
			n = t.Value
		default:
			return n
		}
	}
	r.bad(first, "", "an alias that stands for itself")
	return nil
}

// entries gives the keys of the mapping n, which stands for `in`: the own ones,
// then those merged by <<, which the own ones override. ok is false where n is
// no mapping.
func (r *reader) entries(n ast.Node, in, what, example string) (es []entry, ok bool) {
	return r.mapping(n, in, what, example, 0)
}

func (r *reader) mapping(at ast.Node, in, what, example string, depth int) ([]entry, bool) {
	if depth > maxDepth {
		r.bad(at, "", "a merge (<<) of a mapping into itself")
		return nil, false
	}
	if depth > 0 {
		if r.merges++; r.merges > maxMerges {
			r.bad(at, "", "more than %d merges (<<); write the keys out", maxMerges)
			return nil, false
		}
	}
	n := r.resolve(at)
	if n == nil {
		return nil, false
	}
	m, ok := n.(*ast.MappingNode)
	if !ok {
		r.bad(at, example, "%s must be a mapping (key: value), not %s", what, kindOf(n))
		return nil, false
	}
	var es []entry
	var merged []ast.Node
	line := map[string]int{}
	for _, v := range m.Values {
		if _, ok := v.Key.(*ast.MergeKeyNode); ok {
			merged = append(merged, v.Value)
			continue
		}
		key := r.resolve(v.Key)
		if key == nil {
			continue
		}
		s, ok := scalar(key)
		if !ok {
			r.bad(v.Key, "", "a key must be a word, not %s", kindOf(key))
			continue
		}
		if first := line[s]; first > 0 {
			r.bad(v.Key, "one "+s+":, with what is meant", "%q is given twice; the first is on line %d", s, first)
			continue
		}
		line[s], _ = position(v.Key)
		if _, ok := v.Value.(*ast.NullNode); ok {
			r.keyOf[v.Value] = v.Key
		}
		es = append(es, entry{in, s, v.Key, v.Value})
	}
	for _, src := range merged {
		sources := []ast.Node{src}
		if list, ok := r.resolve(src).(*ast.SequenceNode); ok {
			sources = list.Values
		}
		for _, s := range sources {
			more, _ := r.mapping(s, in, "what << merges", "<<: *NAME", depth+1)
			for _, e := range more {
				if !slices.ContainsFunc(es, func(have entry) bool { return have.name == e.name }) {
					es = append(es, e)
				}
			}
		}
	}
	return es, true
}

// keyed is entries where only the keys of `in` may stand; unknown ones are
// reported with what was probably meant.
func (r *reader) keyed(n ast.Node, in, what, example string) (map[string]entry, bool) {
	es, ok := r.entries(n, in, what, example)
	byName := map[string]entry{}
	for _, e := range es {
		if _, ok := keyNamed(in, e.name); !ok {
			r.unknownKey(e, what)
			continue
		}
		byName[e.name] = e
	}
	return byName, ok
}
