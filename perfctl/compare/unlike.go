package compare

import (
	"cmp"
	"fmt"
	"maps"
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
		{name: "TLS"}:                    strings.TrimSpace(onOff(r.TLS) + " " + r.Server.Session["ssl_cipher"]),
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
	maps.Copy(f, state(r))
	for statement, plan := range r.Server.Plans {
		f[fact{name: "plan of " + statement, varies: true}] = plan
	}
	return f
}

// state is what is recorded of the session, of how the machine was set and of
// how the server was built, where it is known: records of an older opcost have
// none of it.
func state(r result.Run) map[fact]string {
	f := map[fact]string{}
	for _, name := range []string{"character_set_client", "collation_connection"} {
		if v := r.Server.Session[name]; v != "" {
			f[fact{name: name}] = v
		}
	}
	m := r.Machine
	for name, v := range map[string]string{
		"governor": m.Governor, "boost": m.Boost, "SMT": m.SMT, "transparent huge pages": m.THP, "mitigations": m.Mitigations,
		"highest clock, MHz": strconv.FormatFloat(m.MaxMHz, 'f', -1, 64), "NUMA nodes": strconv.Itoa(m.NUMANodes),
	} {
		if v != "" && v != "0" {
			f[fact{name: "machine: " + name}] = v
		}
	}
	for k, v := range r.Server.Build {
		f[fact{name: "build: " + k}] = v
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

func onlyCallgrind(r *result.Run) bool {
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
			from, to = Apart(from, to)
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
