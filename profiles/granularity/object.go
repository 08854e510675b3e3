package granularity

import (
	"path"
	"regexp"
	"strings"

	"opcost/profiles"
)

// Server is the object of a server's program file where two builds call it
// differently (mysqld, mariadbd, mysqld-8.0.36).
const Server = "server"

// ObjectName is how an object is called where two builds meet: the file's name
// without its folder and, for a library, without its version; "[kernel]" for the
// kernel, with or without its symbols' file; a module's name in brackets. "" is
// not known.
func ObjectName(f profiles.Frame) string {
	name := strings.TrimSuffix(f.Object, " (deleted)")
	if name == "" {
		if f.Space == profiles.Kernel {
			return kernel
		}
		return ""
	}
	if strings.HasPrefix(name, "[kernel") || strings.HasPrefix(name, "[guest.kernel") {
		return kernel
	}
	if strings.HasPrefix(name, "[") {
		return name // [vdso], [nf_tables], [unknown]
	}
	name = path.Base(name)
	if strings.HasPrefix(name, "vmlinu") {
		return kernel
	}
	if m := module.FindStringSubmatch(name); m != nil {
		return "[" + strings.ReplaceAll(m[1], "-", "_") + "]"
	}
	if m := library.FindStringSubmatch(name); m != nil {
		return m[1] + ".so"
	}
	return name
}

const kernel = "[kernel]"

var (
	module  = regexp.MustCompile(`^(.+)\.ko(\.(gz|xz|zst))?$`)
	library = regexp.MustCompile(`^(.+?)(-[0-9]+\.[0-9.]+)?\.so(\.[0-9.]+)?$`)
	// A server by its usual file names; also with a version behind.
	server = regexp.MustCompile(`^(mysqld|mariadbd)([-_.].*)?$`)
)

// servers are the names of the objects that are the server in a profile: its
// program file, as the profile says it, or else what servers' files are usually
// called, or else the one object that has a main.
func servers(p *profiles.Profile) map[string]bool {
	found, mains := map[string]bool{}, map[string]bool{}
	for _, f := range p.Frames {
		object := ObjectName(f)
		switch {
		case object == "":
		case p.About.Binary != "":
			if object == path.Base(p.About.Binary) {
				found[object] = true
			}
		case server.MatchString(object):
			found[object] = true
		case f.Function == "main" && f.Space != profiles.Kernel:
			mains[object] = true
		}
	}
	if len(found) == 0 && len(mains) == 1 {
		return mains
	}
	return found
}
