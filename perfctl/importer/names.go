package importer

import (
	"cmp"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/importer/smalldatum"
	"opcost/perfctl/workload"
)

// facts are what the names of a file and its folder tell.
type facts struct {
	host     string
	server   string // as the name has it
	workload smalldatum.Test
	clients  int
}

var (
	dopFolder = regexp.MustCompile(`^(?:(.*)_)?dop(\d{1,5})$`)
	dopPart   = regexp.MustCompile(`(?:^|[._])(?:dop(\d{1,5})|(\d{1,5})u)(?:[._]|$)`)
	serverDir = regexp.MustCompile(`^(?:(?:x\.)?(?:fbmy|my|ma|pg|rx)\d{2,6}(?:[._].*)?|\d{1,2}\.\d{1,2}\.\d{1,3})$`)
	setPart   = regexp.MustCompile(`^(.+)_o\.(?:qps|met)\b`)
	serverKey = regexp.MustCompile(`(?:^|[._-])((?:fbmy|my|ma|pg|rx)\d{2,6})(?:[._-]|$)`)
	dotted    = regexp.MustCompile(`(?:^|[._-])(\d{1,2}\.\d{1,2}\.\d{1,3})(?:[._-]|$)`)
	rangePart = regexp.MustCompile(`(?:^|[._])range=?(\d{1,9})(?:[._]|$)`)
)

// setOf is what stands in front of _o.qps.* and _o.met*: files of several
// experiments in one folder.
func setOf(name string) string {
	if m := setPart.FindStringSubmatch(name); m != nil {
		return m[1]
	}
	return ""
}

func factsOf(s source) facts {
	var f facts
	dir := s.dir
	if server := filepath.Base(dir); serverDir.MatchString(server) && smalldatum.ParseServer(server).Number != "" {
		f.server, dir = server, filepath.Dir(dir) // a folder a server
	}
	folder := filepath.Base(dir)
	if m := dopFolder.FindStringSubmatch(folder); m != nil {
		f.clients, _ = strconv.Atoi(m[2])
		folder = cmp.Or(m[1], filepath.Base(filepath.Dir(dir)))
	}
	f.host = strings.Trim(folder, string(filepath.Separator)+".")
	if set := setOf(s.name); set != "" {
		f.host += "/" + set
	}
	name := s.name
	if m := dopPart.FindStringSubmatchIndex(name); m != nil {
		text := name[m[0]:m[1]]
		f.clients, _ = strconv.Atoi(strings.Trim(text, "._dopu"))
		name = name[:m[0]] + "." + name[m[1]:]
	}
	if m := serverKey.FindStringSubmatch(name); m != nil && smalldatum.ParseServer(m[1]).Number != "" {
		f.server = m[1]
	} else if m := dotted.FindStringSubmatch(name); m != nil {
		f.server = m[1]
	}
	f.workload = testIn(name)
	return f
}

// testIn finds a microbenchmark's name among the parts of a file's name.
func testIn(name string) smalldatum.Test {
	var t smalldatum.Test
	for _, known := range testNames() {
		at := strings.Index("."+strings.ReplaceAll(name, "_", ".")+".", "."+known+".")
		if at < 0 || len(known) <= len(t.Name) {
			continue
		}
		t.Name = known
		rest := name[min(len(name), at+len(known)):]
		for _, phase := range []string{".pre", ".warmpre", ".warm"} {
			if strings.HasPrefix(rest, phase) {
				t.Name += phase
				break
			}
		}
	}
	if m := rangePart.FindStringSubmatch(name); m != nil && t.Name != "" {
		t.Range, _ = strconv.Atoi(m[1])
	}
	return t
}

// updateZipf is one of Small Datum's tests that opcost does not drive.
const updateZipf = "update-zipf"

func testNames() []string {
	names := []string{updateZipf}
	for _, t := range workload.Tests() {
		if !slices.Contains(names, t.Name) {
			names = append(names, t.Name)
		}
	}
	return names
}

// workloadOf gives a test the id that opcost has for it, and its group. A test
// before the writes (.pre) and one that warms up (.warm) are of none.
func workloadOf(t smalldatum.Test) (id, group string) {
	if t.Load {
		return "load", ""
	}
	base, phase := t.Name, ""
	if at := strings.IndexByte(t.Name, '.'); at >= 0 {
		base, phase = t.Name[:at], t.Name[at:]
	}
	ranged := fmt.Sprintf("_range=%d", t.Range)
	if t.Range == 0 {
		ranged = ""
	}
	id = base + phase + ranged
	if base == updateZipf {
		id, group = base+phase, string(workload.Write)
	}
	for _, known := range workload.Tests() {
		if known.Name != base {
			continue
		}
		group = string(known.Group)
		if known.ID == base { // it has one size
			id = base + phase
		}
	}
	if phase != "" {
		group = "" // the groups are of the tests after the writes
	}
	return id, group
}

// shown names servers: by their release, and where several have the same by what
// else differs in their names.
func shown(servers []smalldatum.Server) map[string]string {
	names := map[string]string{}
	same := map[string][]smalldatum.Server{}
	for _, s := range servers {
		short := s.Number
		if s.Flavor == "postgresql" {
			short = "pg " + short
		}
		if s.Number == "" {
			short = s.Raw
		}
		same[short] = append(same[short], s)
	}
	for short, group := range same {
		taken := map[string]bool{}
		for _, s := range group {
			name := short
			if len(group) > 1 {
				if rest := strings.Join(differing(s, group), "_"); rest != "" {
					name += "-" + rest
				}
			}
			if taken[name] {
				name = s.Raw
			}
			taken[name] = true
			names[s.Raw] = name
		}
	}
	return names
}

// differing are the parts of a name that the group does not share.
func differing(s smalldatum.Server, group []smalldatum.Server) []string {
	var parts []string
	for _, part := range s.Rest {
		if !slices.ContainsFunc(group, func(o smalldatum.Server) bool { return !slices.Contains(o.Rest, part) }) {
			continue
		}
		parts = append(parts, part)
	}
	return parts
}
