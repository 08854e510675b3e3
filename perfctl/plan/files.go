package plan

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/goccy/go-yaml/ast"
)

// binary finds the server binary: mysqld as a path or a name on PATH, or, with
// basedir, BASEDIR/{bin,sbin,libexec}/{mysqld,mariadbd}.
func (r *reader) binary(at ast.Node, m map[string]entry, v *Version) {
	bin, hasBin := m["mysqld"]
	base, hasBase := m["basedir"]
	if hasBase {
		s, ok := r.text(base.value, "basedir", base.like())
		if !ok {
			return
		}
		v.Basedir = r.path(s)
	}
	switch {
	case hasBin:
		s, ok := r.text(bin.value, "mysqld", bin.like())
		if !ok {
			return
		}
		switch {
		case hasBase && !strings.Contains(s, "/"):
			v.Mysqld = r.inBasedir(bin, v.Basedir, s)
		case s == installed:
			v.Mysqld = r.installed(bin)
		default:
			v.Mysqld = r.program(bin.value, s, "mysqld", bin.like())
		}
		if hasBase && v.Mysqld != "" && !within(v.Basedir, v.Mysqld) {
			r.bad(bin.value, "mysqld or basedir, not both", "mysqld (%s) is not inside basedir (%s)", v.Mysqld, v.Basedir)
		}
	case hasBase:
		v.Mysqld = r.inBasedir(base, v.Basedir, "mysqld", "mariadbd")
	default:
		r.bad(at, "mysqld: /usr/sbin/mariadbd", "version %q has neither mysqld nor basedir", v.Name)
	}
}

// installed, in place of a path, is whichever server this machine has.
const installed = "installed"

func (r *reader) installed(e entry) string {
	names := []string{"mariadbd", "mysqld"}
	dirs := r.machine.SearchPath()
	for _, n := range names {
		for _, d := range dirs {
			if path := filepath.Join(d, n); r.machine.Executable(path) == nil {
				return path
			}
		}
	}
	r.bad(e.value, e.like(), "mysqld: installed: there is no %s in %s; install a server (on Debian: apt-get install mariadb-server-core), or give a path",
		strings.Join(names, " or "), strings.Join(dirs, ":"))
	return ""
}

func (r *reader) inBasedir(e entry, basedir string, names ...string) string {
	unfit := ""
	for _, sub := range []string{"bin", "sbin", "libexec"} {
		for _, n := range names {
			path := filepath.Join(basedir, sub, n)
			err := r.machine.Executable(path)
			if err == nil {
				return path
			}
			if err.Error() != "does not exist" && unfit == "" {
				unfit = fmt.Sprintf("%s %v", path, err)
			}
		}
	}
	if unfit != "" {
		r.bad(e.value, e.like(), "%s: %s", e.name, unfit)
		return ""
	}
	r.bad(e.value, e.like(), "%s: there is no %s in bin, sbin or libexec of %s", e.name, strings.Join(names, " or "), basedir)
	return ""
}

// program makes an absolute path of a path (relative to the plan's folder) or
// of a bare name.
func (r *reader) program(at ast.Node, s, what, example string) string {
	if strings.Contains(s, "/") {
		path := r.path(s)
		if err := r.machine.Executable(path); err != nil {
			r.bad(at, example, "%s: %s %v", what, path, err)
			return ""
		}
		return path
	}
	dirs := r.machine.SearchPath()
	for _, d := range dirs {
		path := filepath.Join(d, s)
		if r.machine.Executable(path) == nil {
			return path
		}
	}
	r.bad(at, example, "%s: there is no program %q in %s; install it, or give its path", what, s, strings.Join(dirs, ":"))
	return ""
}

func within(dir, path string) bool {
	rel, err := filepath.Rel(dir, path)
	return err == nil && filepath.IsLocal(rel)
}

func (r *reader) defaultsFile(m map[string]entry, v *Version, files map[string][]byte) {
	e, ok := m["defaults_file"]
	if !ok {
		return
	}
	s, ok := r.text(e.value, "defaults_file", e.like())
	if !ok {
		return
	}
	v.DefaultsFile = r.path(s)
	text, err := r.machine.ReadFile(v.DefaultsFile)
	if err != nil {
		r.bad(e.value, e.like(), "defaults_file: %s %v", v.DefaultsFile, err)
		return
	}
	files[v.DefaultsFile] = text
}

// launcher reads the argv in front of the server. Only the first word is a
// program; what the others mean is the program's affair.
func (r *reader) launcher(m map[string]entry, v *Version) {
	e, ok := m["launcher"]
	if !ok {
		return
	}
	items, ok := r.list(e, true)
	if !ok {
		return
	}
	for i, it := range items {
		s, ok := r.text(it, "a word of launcher", e.like())
		switch {
		case !ok:
		case i == 0 && strings.ContainsAny(s, " "):
			words := strings.Fields(s)
			r.bad(it, "launcher: ["+strings.Join(words, ", ")+"]", "launcher: %q is several words; each is an item of the list", s)
		case i == 0:
			v.Launcher = append(v.Launcher, r.program(it, s, "launcher", e.like()))
		case secretIn(s) != "":
			r.bad(it, "", "launcher: %s holds a secret, which everyone on this machine could read in the process list, and which would be written into the results; have the program read it from a file", secretIn(s))
		default:
			v.Launcher = append(v.Launcher, s)
		}
	}
}
