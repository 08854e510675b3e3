package subsystem

import (
	"maps"
	"strings"
)

// rules are patterns of one kind. Of those that match, the one with the most
// characters other than * wins, an exact name before all.
type rules struct {
	exact   map[string]string
	prefix  map[string]string // "btr_" for "btr_*"
	longest int               // of the prefixes
	globs   []glob
}

type glob struct {
	parts []string // between the stars
	size  int      // of the parts
	place string
}

func (r rules) clone() rules {
	r.exact, r.prefix = maps.Clone(r.exact), maps.Clone(r.prefix)
	r.globs = append([]glob(nil), r.globs...)
	return r
}

func (r *rules) set(pattern, place string) {
	if r.exact == nil {
		r.exact, r.prefix = map[string]string{}, map[string]string{}
	}
	stem, star := strings.CutSuffix(pattern, "*")
	switch {
	case !strings.Contains(pattern, "*"):
		r.exact[pattern] = place
	case star && !strings.Contains(stem, "*"):
		r.prefix[stem] = place
		r.longest = max(r.longest, len(stem))
	default:
		g := glob{parts: strings.Split(pattern, "*"), place: place}
		for _, p := range g.parts {
			g.size += len(p)
		}
		// The newest first: of two of one size it wins.
		r.globs = append([]glob{g}, r.globs...)
	}
}

// find is the place of a name and how many characters said so.
func (r *rules) find(name string) (place string, size int) {
	if p, ok := r.exact[name]; ok {
		return p, len(name) + 1
	}
	for n := min(len(name), r.longest); n > 0; n-- {
		if p, ok := r.prefix[name[:n]]; ok {
			place, size = p, n
			break
		}
	}
	for _, g := range r.globs {
		if g.size > size && g.match(name) {
			place, size = g.place, g.size
		}
	}
	return place, size
}

func (g glob) match(s string) bool {
	first, last := g.parts[0], g.parts[len(g.parts)-1]
	if !strings.HasPrefix(s, first) {
		return false
	}
	s = s[len(first):]
	for _, p := range g.parts[1 : len(g.parts)-1] {
		i := strings.Index(s, p)
		if i < 0 {
			return false
		}
		s = s[i+len(p):]
	}
	return strings.HasSuffix(s, last)
}
