package plan

import (
	"fmt"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// maxNodes is what a plan may have once its aliases are written out. A plan of
// 64 kB has some 10,000 without any.
const maxNodes = 100_000

// Harmless is an error for a text that would take all memory or time to decode:
// one that is too large, nested without end, or has aliases of aliases of
// aliases. [Parse] needs no such check, as it decodes nothing. It does not say
// whether the text is a plan.
func Harmless(name string, text []byte) error {
	if len(text) > maxText {
		return fmt.Errorf("plan %s has %d kB; opcost reads up to %d kB", name, len(text)>>10, maxText>>10)
	}
	if ps := layout(name, string(text)); len(ps) > 0 {
		return &Error{Problems: ps}
	}
	f, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		return fmt.Errorf("plan %s is not YAML: %w", name, err)
	}
	w := weigher{named: map[string]int{}}
	for _, d := range f.Docs {
		w.sum = 0
		w.add(d.Body, 0)
		if w.sum > maxNodes {
			return fmt.Errorf("plan %s would have more than %d parts once its aliases were written out", name, maxNodes)
		}
	}
	return nil
}

// weigher counts the nodes of a document, those that aliases stand for included.
type weigher struct {
	named map[string]int // by anchor
	sum   int
}

func (w *weigher) add(n ast.Node, depth int) {
	if n == nil || w.sum > maxNodes || depth > 2*maxNesting {
		return
	}
	w.sum++
	switch t := n.(type) {
	case *ast.MappingNode:
		for _, v := range t.Values {
			w.add(v, depth+1)
		}
	case *ast.MappingValueNode:
		w.add(t.Key, depth+1)
		w.add(t.Value, depth+1)
	case *ast.SequenceNode:
		for _, v := range t.Values {
			w.add(v, depth+1)
		}
	case *ast.TagNode:
		w.add(t.Value, depth+1)
	case *ast.AnchorNode:
		before := w.sum
		w.add(t.Value, depth+1)
		w.named[t.Name.GetToken().Value] = w.sum - before
	case *ast.AliasNode:
		w.sum += w.named[t.Value.GetToken().Value]
	}
}
