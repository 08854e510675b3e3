package compare

import (
	"cmp"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/result"
)

// fact is something about a run that should be alike where costs are compared.
type fact struct {
	name string
	// varies: it may differ between the runs of one version without a mistake.
	varies bool
}

// absent is how a setting that one side lacks is shown.
const absent = "absent"

// facts of a run, by name.
func facts(r result.Run) map[fact]string {
	onOff := func(b bool) string {
		if b {
			return "on"
		}
		return "off"
	}
	f := map[fact]string{
		{name: "charset"}:                r.Charset,
		{name: "TLS"}:                    onOff(r.TLS),
		{name: "protocol", varies: true}: r.Protocol,
		{name: "transport"}:              r.Transport,
		{name: "seed", varies: true}:     strconv.FormatUint(r.Seed, 10),
		{name: "machine: kernel"}:        r.Machine.Kernel,
		{name: "machine: CPU"}:           r.Machine.CPUModel,
		{name: "machine: CPUs"}:          strconv.Itoa(r.Machine.CPUs),
		{name: "machine: memory, kB"}:    strconv.FormatInt(r.Machine.MemoryKB, 10),
		{name: "machine: hypervisor"}:    r.Machine.Hypervisor,
		{name: "machine: perf"}:          r.Machine.Perf,
		{name: "machine: valgrind"}:      r.Machine.Valgrind,
		{name: "server"}:                 build(r.Server),
		{name: "server launcher"}:        strings.Join(r.Server.Launcher, " "),
	}
	for k, v := range r.Server.Env {
		f[fact{name: "env " + k}] = v
	}
	for k, v := range r.Server.Variables {
		if !ownToServer(k) {
			f[fact{name: k}] = v
		}
	}
	for statement, plan := range r.Server.Plans {
		f[fact{name: "plan of " + statement, varies: true}] = plan
	}
	return f
}

// build names a server's build in one piece.
func build(s result.Server) string {
	parts := []string{strings.TrimSpace(s.Flavor + " " + s.Number), s.Binary}
	if s.BuildID != "" {
		parts = append(parts, "build "+s.BuildID[:min(12, len(s.BuildID))])
	}
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), ", ")
}

// ownToServer tells variables that differ between any two servers and cost
// nothing: places of files, names and numbers of the process.
func ownToServer(variable string) bool {
	switch variable {
	case "basedir", "datadir", "tmpdir", "slave_load_tmpdir", "port", "socket", "hostname", "server_id", "server_uuid",
		"log_error", "pid_file", "report_port", "report_host", "gtid_server_uuid", "timestamp", "version", "version_comment",
		"version_compile_machine", "version_compile_os", "version_source_revision", "wsrep_node_name", "wsrep_data_home_dir":
		return true
	}
	for _, end := range []string{"_dir", "_file", "_path", "_basename", "_index_file", "_log_index"} {
		if strings.HasSuffix(variable, end) {
			return true
		}
	}
	return false
}

// values of one fact on one side.
type values map[string]bool

func (v values) add(s string) { v[cmp.Or(s, absent)] = true }

func (v values) String() string {
	if len(v) == 0 {
		return absent
	}
	return strings.Join(slices.Sorted(maps.Keys(v)), " / ")
}

// side is the facts of one version's runs on one host.
type side map[fact]values

func (s side) add(other side) {
	for f, vs := range other {
		if s[f] == nil {
			s[f] = values{}
		}
		maps.Copy(s[f], vs)
	}
}

// factSet is the facts of runs that are alike in all of them: a night has a
// handful of these, so they are compared by pointer and gathered once.
type factSet struct{ side }

// factKey tells runs apart by their facts without gathering them. Runs read from
// one folder share their maps, so most are found; the others are gathered again.
type factKey struct {
	charset, protocol, transport string
	tls                          bool
	seed                         uint64
	machine                      result.Machine
	server, launcher             string
	env, variables, plans        uintptr
}

// factSets are those of one comparison.
type factSets map[factKey]*factSet

func (fs factSets) of(r result.Run) *factSet {
	k := factKey{charset: r.Charset, protocol: r.Protocol, transport: r.Transport, tls: r.TLS, seed: r.Seed, machine: r.Machine,
		server: build(r.Server), launcher: strings.Join(r.Server.Launcher, " "),
		env: reflect.ValueOf(r.Server.Env).Pointer(), variables: reflect.ValueOf(r.Server.Variables).Pointer(), plans: reflect.ValueOf(r.Server.Plans).Pointer()}
	k.machine.Load1 = 0 // no fact
	f := fs[k]
	if f == nil {
		f = &factSet{side{}}
		for name, v := range facts(r) {
			f.side[name] = values{}
			f.side[name].add(v)
		}
		fs[k] = f
	}
	return f
}

// ofCell gathers the facts of a cell's runs. A server under valgrind needs
// options of its own (no native asynchronous I/O), the same for every version,
// so such runs speak only where there are no others.
func (fs factSets) ofCell(runs []result.Run) (sets []*factSet) {
	add := func(r result.Run) {
		if f := fs.of(r); !slices.Contains(sets, f) {
			sets = append(sets, f)
		}
	}
	for _, r := range runs {
		if !onlyCallgrind(r) {
			add(r)
		}
	}
	if len(sets) == 0 {
		for _, r := range runs {
			add(r)
		}
	}
	return sets
}

// gathering is a side, and which sets it has.
type gathering struct {
	side
	has map[*factSet]bool
}

func newGathering() *gathering { return &gathering{side{}, map[*factSet]bool{}} }

func (g *gathering) add(sets []*factSet) {
	for _, f := range sets {
		if !g.has[f] {
			g.has[f] = true
			g.side.add(f.side)
		}
	}
}

func onlyCallgrind(r result.Run) bool {
	return len(r.Passes) > 0 && !slices.ContainsFunc(r.Passes, func(p result.Pass) bool { return p.Kind != result.PassCallgrind })
}

// unlike says in what each version differs from the one it is compared with, besides what was
// measured. What the plan meant to vary is among it: the reader decides.
func unlike(ps []pair) (ws []result.Warning) {
	type against struct{ host, version, base string }
	news, bases := map[against]*gathering{}, map[against]*gathering{}
	var order []against
	for _, p := range ps {
		k := against{p.cell.host, p.cell.version, p.base.version}
		if news[k] == nil {
			news[k], bases[k] = newGathering(), newGathering()
			order = append(order, k)
		}
		news[k].add(p.cell.facts)
		bases[k].add(p.base.facts)
	}
	hosts := map[string]bool{}
	for _, k := range order {
		hosts[k.host] = true
	}
	for _, k := range order {
		both := side{}
		maps.Copy(both, news[k].side)
		maps.Copy(both, bases[k].side)
		for _, f := range slices.SortedFunc(maps.Keys(both), func(a, b fact) int { return cmp.Compare(a.name, b.name) }) {
			from, to := bases[k].side[f].String(), news[k].side[f].String()
			if from == to {
				continue
			}
			text := fmt.Sprintf("%s: %s (%s) → %s (%s)", f.name, from, k.base, to, k.version)
			if len(hosts) > 1 {
				text = k.host + ": " + text
			}
			ws = append(ws, result.Warning{Code: "unlike", Text: text})
		}
	}
	return ws
}

// mixed says in what the runs of one version differ among themselves.
func mixed(all []*cell) (ws []result.Warning) {
	type who struct{ host, version string }
	sides := map[who]*gathering{}
	var order []who
	for _, c := range all {
		k := who{c.host, c.version}
		if sides[k] == nil {
			sides[k] = newGathering()
			order = append(order, k)
		}
		sides[k].add(c.facts)
	}
	for _, k := range order {
		for _, f := range slices.SortedFunc(maps.Keys(sides[k].side), func(a, b fact) int { return cmp.Compare(a.name, b.name) }) {
			if !f.varies && len(sides[k].side[f]) > 1 {
				ws = append(ws, result.Warning{Code: "mixed", Text: fmt.Sprintf("%s: %s differs among its runs: %s", k.version, f.name, sides[k].side[f])})
			}
		}
	}
	return ws
}
