package plan

import (
	"cmp"
	"regexp"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

const oneVersion = "versions:\n  - name: a\n    mysqld: mariadbd"

// versions fills p.Versions and gives the content of the defaults files by path.
func (r *reader) versions(root ast.Node, m map[string]entry, p *Plan) map[string][]byte {
	e, ok := m["versions"]
	if !ok {
		r.bad(root, oneVersion, "the plan has no versions")
		return nil
	}
	items, ok := r.list(e, false)
	if !ok {
		return nil
	}
	files := map[string][]byte{}
	lineOf := map[string]int{}
	for _, it := range items {
		at := it
		if n := r.resolve(it); n != nil {
			at = n
		}
		vm, ok := r.keyed(it, inVersion, "a version", "- name: a\n  mysqld: mariadbd")
		if !ok {
			continue
		}
		v := Version{Session: Session{Charset: "latin1", Protocol: Prepared}}
		v.Name = r.versionName(at, vm, lineOf)
		r.binary(at, vm, &v)
		r.defaultsFile(vm, &v, files)
		v.Options = slices.Clone(p.Options)
		if o, ok := vm["options"]; ok {
			v.Options = append(v.Options, r.options(o)...)
		}
		r.session(vm, &v)
		r.launcher(vm, &v)
		r.env(vm, &v)
		p.Versions = append(p.Versions, v)
	}
	return files
}

// folderName is what does as a folder's name everywhere and needs no quoting
// in a selector (DIR:version,workload=...).
var folderName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._+-]{0,63}$`)

func (r *reader) versionName(at ast.Node, m map[string]entry, lineOf map[string]int) string {
	e, ok := m["name"]
	if !ok {
		r.bad(at, "name: a", "a version has no name")
		return ""
	}
	name, ok := r.text(e.value, "name", e.like())
	if !ok {
		return ""
	}
	switch first := lineOf[name]; {
	case !folderName.MatchString(name):
		plain := regexp.MustCompile(`[^A-Za-z0-9._+-]+`).ReplaceAllString(name, "-")
		plain = strings.TrimLeft(plain, "._+-")
		plain = cmp.Or(plain[:min(len(plain), 64)], "a") // nothing may be left
		r.bad(e.value, "name: "+plain,
			"name: %q does not do as a folder's name: up to 64 letters, digits and . _ + -, beginning with a letter or digit", name)
	case first > 0:
		r.bad(e.value, "name: "+name+"-2", "a second version is named %q; the first is on line %d", name, first)
	}
	lineOf[name], _ = position(e.value)
	return name
}

func (r *reader) base(m map[string]entry, p *Plan) {
	var names []string
	for _, v := range p.Versions {
		if v.Name != "" {
			names = append(names, v.Name)
		}
	}
	e, given := m["base"]
	if !given {
		if len(names) > 0 {
			p.Base = names[0]
		}
		return
	}
	s, ok := r.text(e.value, "base", e.like())
	if !ok {
		return
	}
	p.Base = s
	if len(names) > 0 && !slices.Contains(names, s) {
		instead := "base: " + strings.Join(names, " | ")
		if near, ok := nearest(s, names); ok {
			instead = "base: " + near
		}
		r.bad(e.value, instead, "base: no version is named %q", s)
	}
}

func (r *reader) session(m map[string]entry, v *Version) {
	e, ok := m["session"]
	if !ok {
		return
	}
	sm, ok := r.keyed(e.value, inSession, "session", e.like())
	if !ok {
		return
	}
	if c, ok := sm["charset"]; ok {
		if s, ok := r.text(c.value, "charset", c.like()); ok {
			v.Session.Charset = s
			r.charset(c, s)
		}
	}
	enum(r, sm, "protocol", &v.Session.Protocol, Prepared, Text)
	r.boolean(sm, "tls", &v.Session.TLS)
	if off := slices.IndexFunc(v.Options, turnsTLSOff); v.Session.TLS && off >= 0 {
		r.bad(sm["tls"].value, "tls: false", "tls: true, but the option %s turns TLS off in the server", v.Options[off])
	}
}

func (r *reader) charset(e entry, name string) {
	known := r.known.Charsets()
	if slices.Contains(known, name) {
		return
	}
	instead := strings.Join(known, " | ")
	if near, ok := nearest(name, known); ok {
		instead = near
	}
	r.bad(e.value, "charset: "+instead, "charset: %q is not one of %s", name, strings.Join(known, ", "))
}

var envName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)

func (r *reader) env(m map[string]entry, v *Version) {
	e, ok := m["env"]
	if !ok {
		return
	}
	es, _ := r.entries(e.value, "env", "env", e.like())
	for _, kv := range es {
		n := r.resolve(kv.value)
		if n == nil {
			continue
		}
		value, ok := scalar(n) // "" is a value, nothing is not
		switch {
		case !envName.MatchString(kv.name):
			r.bad(kv.key, e.like(), "env: %q is not the name of an environment variable", kv.name)
		case kv.name == "MYSQL_PWD" || IsSecret(kv.name, value):
			r.bad(kv.key, "", "env: %s holds a password or another secret, and the environment is written into the results; take it out", kv.name)
		case !ok:
			r.bad(kv.value, kv.name+`: ""`, "env: %s must be a text, not %s", kv.name, kindOf(n))
		case strings.ContainsRune(value, 0):
			r.bad(kv.value, "", "env: %s has a NUL byte in it", kv.name)
		default:
			if v.Env == nil {
				v.Env = map[string]string{}
			}
			v.Env[kv.name] = value
		}
	}
}
