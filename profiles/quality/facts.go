package quality

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"opcost/profiles"
)

// facts are a profile's numbers, gathered once.
type facts struct {
	p               *profiles.Profile
	o               Options
	weight, samples int64
	// unnamed is the weight whose own code has no name.
	unnamedUser, unnamedKernel int64
	byObject                   []Object
}

// Object is what of one object's own cost has no name.
type Object struct {
	Object, BuildID string
	Weight          int64
}

func gather(p *profiles.Profile, o Options) facts {
	f := facts{p: p, o: o}
	f.weight, f.samples = p.Total()
	for _, s := range p.Stacks {
		if len(s.Frames) == 0 {
			continue
		}
		if leaf := p.Frames[s.Frames[0]]; !leaf.Named() {
			if leaf.Space == profiles.Kernel {
				f.unnamedKernel += s.Weight
			} else {
				f.unnamedUser += s.Weight
			}
		}
	}
	f.byObject = Unresolved(p)
	return f
}

// Unresolved is the own cost without a name of each program's and library's file,
// largest first.
func Unresolved(p *profiles.Profile) []Object {
	at := map[Object]int64{}
	for _, s := range p.Stacks {
		if len(s.Frames) == 0 {
			continue
		}
		leaf := p.Frames[s.Frames[0]]
		if leaf.Named() || leaf.Space == profiles.Kernel || s.Weight == 0 {
			continue
		}
		at[Object{Object: leaf.Object, BuildID: leaf.BuildID}] += s.Weight
	}
	var all []Object
	for o, w := range at {
		o.Weight = w
		all = append(all, o)
	}
	slices.SortFunc(all, func(a, b Object) int {
		return cmp.Or(cmp.Compare(b.Weight, a.Weight), cmp.Compare(a.Object, b.Object), cmp.Compare(a.BuildID, b.BuildID))
	})
	return all
}

func (f facts) share(weight int64) (float64, bool) {
	return float64(weight) / float64(f.weight), f.weight > 0
}

// objectsShown is how many objects a text names, and leastShown what share of the
// cost they have at least.
const (
	objectsShown = 3
	leastShown   = 0.001
)

// objects says which files have no names, and what would give them.
func objects(f facts) string {
	var parts, packages []string
	bare := false
	for i, o := range f.byObject {
		share, _ := f.share(o.Weight)
		if i == objectsShown || share < leastShown {
			break
		}
		name := path.Base(o.Object)
		if o.Object == "" {
			name = "code of no file"
		}
		parts = append(parts, fmt.Sprintf("%s %.1f%%", name, share*100))
		pkg := ""
		if f.o.SymbolPackage != nil && o.Object != "" {
			pkg = f.o.SymbolPackage(o.Object, o.BuildID)
		}
		switch {
		case pkg != "" && !slices.Contains(packages, pkg):
			packages = append(packages, pkg)
		case pkg == "" && strings.HasPrefix(o.Object, "/"):
			bare = true
		}
	}
	text := " (" + strings.Join(parts, ", ") + ")"
	if len(packages) > 0 {
		text += "; install " + strings.Join(packages, ", ")
	}
	if bare || len(packages) == 0 {
		text += "; give the files' debug symbols, or builds that are not stripped"
	}
	return text
}
