package plan

import (
	"maps"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// variant is a set of options that each version is measured with.
type variant struct {
	suffix  string
	options []string
	at      ast.Node
}

// variants multiplies the versions: each with each variant's options behind its
// own, named by both names together. The versions keep their order, and within
// one the variants theirs.
func (r *reader) variants(m map[string]entry, p *Plan) {
	e, ok := m["variants"]
	if !ok {
		return
	}
	items, ok := r.list(e, false)
	if !ok {
		return
	}
	var all []variant
	lineOf := map[string]int{}
	for _, it := range items {
		vm, ok := r.keyed(it, inVariant, "a variant", "- {name: -bl, options: [log-bin]}")
		if !ok {
			continue
		}
		v := variant{at: it}
		n, named := vm["name"]
		if !named {
			r.bad(it, "name: -bl", "a variant has no name")
			continue
		}
		if v.suffix, ok = r.text(n.value, "name", n.like()); !ok {
			continue
		}
		if first := lineOf[v.suffix]; first > 0 {
			r.bad(n.value, "name: "+v.suffix+"-2", "a second variant is named %q; the first is on line %d", v.suffix, first)
			continue
		}
		lineOf[v.suffix], _ = position(n.value)
		v.at = n.value
		if o, ok := vm["options"]; ok {
			v.options = r.options(o)
		}
		all = append(all, v)
	}
	p.Versions = r.joined(p.Versions, all)
}

func (r *reader) joined(versions []Version, all []variant) []Version {
	if len(all) == 0 {
		return versions // something is wrong, and said
	}
	var out []Version
	nameOf := map[string]string{}
	unfit := map[string]bool{} // a variant whose name does not do is said once
	for _, of := range versions {
		for _, v := range all {
			one := of
			one.Name = of.Name + v.suffix
			one.Options = append(slices.Clone(of.Options), v.options...)
			one.Launcher, one.Env = slices.Clone(of.Launcher), maps.Clone(of.Env)
			parts := of.Name + " and " + v.suffix
			switch first := nameOf[one.Name]; {
			case of.Name == "":
			case !folderName.MatchString(one.Name):
				if !unfit[v.suffix] {
					r.bad(v.at, "name: -bl", "name: %q (%s) does not do as a folder's name: up to 64 letters, digits and . _ + -", one.Name, parts)
				}
				unfit[v.suffix] = true
			case first != "":
				r.bad(v.at, "name: "+v.suffix+"-2", "%s make the name %q, as %s do", parts, one.Name, first)
			}
			nameOf[one.Name] = parts
			if i := slices.IndexFunc(one.Options, turnsTLSOff); of.Session.TLS && i >= 0 && !slices.ContainsFunc(of.Options, turnsTLSOff) {
				r.bad(v.at, "a variant without "+one.Options[i], "version %s has session: {tls: true}, but the option %s turns TLS off in the server", strings.TrimSpace(of.Name), one.Options[i])
			}
			out = append(out, one)
		}
	}
	return out
}
