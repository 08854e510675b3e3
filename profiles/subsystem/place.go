package subsystem

import (
	"path"
	"strings"

	"opcost/profiles"
	"opcost/profiles/symbol"
)

// Classify is the place of a frame by itself. known is false where it has no name
// and its object says nothing either, or where a rule says that it belongs to its
// caller: then its callers may tell, see [Placer].
func (t *Table) Classify(f profiles.Frame) (place string, known bool) {
	place, _, known = t.classify(f)
	return place, known
}

// classify tells also whether the frame is the kernel's.
func (t *Table) classify(f profiles.Frame) (place string, kernel, known bool) {
	f = tidy(f)
	if f.Object != "" {
		if p, n := t.object.find(path.Base(f.Object)); n > 0 && p != caller {
			return p, t.kernelPlaces[p], true
		}
	}
	if !f.Named() {
		if f.Space == profiles.Kernel {
			return KernelOther, true, false
		}
		return Unresolved, false, false
	}
	name := plain(f)
	u, us := t.user.find(name)
	k, ks := t.kernel.find(name)
	switch {
	case f.Space == profiles.Kernel && ks == 0:
		return KernelOther, true, true
	case f.Space == profiles.Kernel, f.Space == profiles.UnknownSpace && ks > us:
		if k == caller {
			return KernelOther, true, false
		}
		return k, true, true
	case us > 0 && u == caller:
		return ServerOther, false, false
	case us > 0:
		return u, false, true
	}
	return ServerOther, false, true
}

// plain is a frame's name as rules are compared with it.
func plain(f profiles.Frame) string {
	name := strings.ReplaceAll(symbol.Normal(f.Function), "(anonymous namespace)::", "")
	name = strings.TrimPrefix(name, "non-virtual thunk to ")
	name = strings.TrimPrefix(name, "virtual thunk to ")
	return strings.TrimSuffix(name, "@plt") // a stub is of what it leads to
}

// tidy undoes what folded stacks do to frames without a name: "[unknown]", and
// "[libc.so.6]" for a frame of that file. The kernel's "[k]" objects stay.
func tidy(f profiles.Frame) profiles.Frame {
	inside, ok := strings.CutPrefix(f.Function, "[")
	if inside, ok2 := strings.CutSuffix(inside, "]"); ok && ok2 {
		if f.Object == "" && inside != "unknown" {
			f.Object = strings.Trim(inside, "[]")
		}
		f.Function = ""
	}
	return f
}
