package perfscript

import (
	"regexp"
	"strconv"
	"strings"

	"opcost/profiles"
)

// foldOptions are those of stackcollapse-perf.pl and of inferno-collapse-perf.
type foldOptions struct {
	kernel, jit, addrs bool
	inferno            bool // inferno's tidying where it differs
	first              bool // only the event of the first sample, as both do
}

var (
	jitObject   = regexp.MustCompile(`/tmp/perf-\d+\.map`)
	goMethod    = regexp.MustCompile(`\.\(.*\)\.`)
	kernelImage = regexp.MustCompile(`(^\[|vmlinux$|/vmlinux-|\.ko$)`)
	jitted      = regexp.MustCompile(`/tmp/jitted-\d+-\d+\.so|^/tmp/perf-\d+\.map`)
	rustHash    = regexp.MustCompile(`::h[0-9a-f]{16}$`)
	rustNames   = strings.NewReplacer("$LT$", "<", "$GT$", ">", "$C$", ",", "$RF$", "&", "$BP$", "*", "$u20$", " ", "$LP$", "(", "$RP$", ")", "$u7b$", "{", "$u7d$", "}", "$u5b$", "[", "$u5d$", "]", "$u27$", "'", "..", "::")
)

// fold writes a set as those tools do: their choices of names, not ours.
func fold(s *profiles.Set, o foldOptions) map[string]int64 {
	out := map[string]int64{}
	for i, p := range s.Profiles {
		if o.first && i > 0 {
			break
		}
		for _, st := range p.Stacks {
			thread := strings.ReplaceAll(st.Thread, " ", "_")
			parts := []string{thread}
			for i := len(st.Frames) - 1; i >= 0; i-- {
				parts = append(parts, o.names(p.Frames[st.Frames[i]], thread == "java")...)
			}
			if len(st.Frames) > 0 {
				out[strings.Join(parts, ";")] += st.Weight
			}
		}
	}
	return out
}

// names are one frame's, the root first: Java's compiler joins inlined ones by "->".
func (o foldOptions) names(f profiles.Frame, java bool) []string {
	raw := f.Function
	if raw == "" {
		raw = "[unknown]"
	}
	var all []string
	for _, name := range strings.Split(raw, "->") {
		if name == "[unknown]" {
			name = "unknown"
			if f.Object != "" {
				name = f.Object[strings.LastIndexByte(f.Object, '/')+1:]
			}
			if o.addrs {
				name += " <" + hex(f.Address) + ">"
			}
			name = "[" + name + "]"
		}
		name = strings.ReplaceAll(name, ";", ":")
		if !goMethod.MatchString(name) {
			name = withoutArguments(name, o.inferno)
		}
		name = strings.NewReplacer(`"`, "", "'", "").Replace(name)
		if o.inferno {
			if name = rustHash.ReplaceAllString(name, ""); strings.HasPrefix(name, "_$LT$") {
				name = name[1:]
			}
			name = rustNames.Replace(name)
		}
		if java && strings.Contains(name, "/") {
			name = strings.TrimPrefix(name, "L")
		}
		switch object := f.Object; {
		case len(all) > 0 && (o.kernel || o.jit || o.inferno):
			name += "_[i]"
		case o.kernel && kernelImage.MatchString(object):
			name += "_[k]"
		case o.jit && (jitObject.MatchString(object) || o.inferno && jitted.MatchString(object)):
			name += "_[j]"
		}
		all = append(all, name)
	}
	return all
}

// withoutArguments cuts a name at the first parenthesis that is not an
// anonymous namespace's; inferno passes over those in template arguments.
func withoutArguments(s string, inferno bool) string {
	depth := 0
	for i := 0; i < len(s); i++ {
		switch s[i] {
		case '<':
			depth++
		case '>':
			depth--
		case '(':
			if !strings.HasPrefix(s[i:], "(anonymous namespace)") && (depth <= 0 || !inferno) {
				return s[:i]
			}
		}
	}
	return s
}

func hex(n uint64) string { return strconv.FormatUint(n, 16) }
