package importer

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/importer/smalldatum"
)

// shareClients takes a number of clients from the files beside one that has
// none, where these agree.
func (b *batch) shareClients() {
	known := map[string]map[int]string{}
	for _, p := range b.pieces {
		if n := cmp.Or(p.clients, p.facts.clients); n > 0 {
			if known[p.from.set] == nil {
				known[p.from.set] = map[int]string{}
			}
			known[p.from.set][n] = p.from.name
		}
	}
	lacking := map[string][]string{}
	for i := range b.pieces {
		p := &b.pieces[i]
		if p.clients > 0 || p.facts.clients > 0 || len(known[p.from.set]) != 1 || len(b.options.Clients) == 1 {
			continue
		}
		for n := range known[p.from.set] {
			p.clients = n
		}
		if !slices.Contains(lacking[p.from.set], p.from.name) && !slices.Contains(slices.Collect(maps.Values(known[p.from.set])), p.from.name) {
			lacking[p.from.set] = append(lacking[p.from.set], p.from.name)
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(lacking)) {
		for n, from := range known[dir] {
			b.warn("import_clients", "in %s, %s name no number of clients: %d is taken from %s beside them", dir, strings.Join(lacking[dir], ", "), n, from)
		}
	}
}

// complete fills in what pieces lack from names and options, and leaves out,
// with a warning each file, those that lack something still.
func (b *batch) complete() []piece {
	plain, _ := b.given()
	var whole []piece
	said := map[string]bool{}
	for _, p := range b.pieces {
		if p.server.Raw == "" && p.facts.server != "" {
			p.server = smalldatum.ParseServer(p.facts.server)
		}
		if p.server.Raw == "" && len(plain) == 1 {
			p.server = smalldatum.Server{Raw: plain[0]}
		}
		if p.test.Name == "" {
			p.test = p.facts.workload
		} else if p.facts.workload.Name != "" && strings.HasPrefix(p.facts.workload.Name, p.test.Name) {
			p.test.Name = p.facts.workload.Name // the name may add .pre
		}
		if p.test.Name == "" && b.options.Workload != "" {
			p.test = parseWorkload(b.options.Workload)
		}
		p.clients = cmp.Or(p.clients, p.facts.clients)
		if p.clients == 0 && len(b.options.Clients) == 1 {
			p.clients = b.options.Clients[0]
		}
		var lacks []string
		if p.server.Raw == "" {
			lacks = append(lacks, "the version (--version)")
		}
		if p.test.Name == "" {
			lacks = append(lacks, "the workload (--workload)")
		}
		if p.clients == 0 {
			lacks = append(lacks, "the number of clients (--clients)")
		}
		if len(lacks) == 0 {
			whole = append(whole, p)
		} else if text := strings.Join(lacks, ", "); !said[p.from.path+text] {
			said[p.from.path+text] = true
			code := CodeFailed
			if p.test.Load {
				code = CodeSkipped // how many clients loaded the tables is hardly ever said
			}
			b.warn(code, "%s does not name %s, nor does its name", p.from.path, text)
		}
	}
	return whole
}

// given splits --version: plain names, and names for what files call otherwise.
func (b *batch) given() (plain []string, renamed map[string]string) {
	renamed = map[string]string{}
	for _, v := range b.options.Versions {
		if raw, name, ok := strings.Cut(v, "="); ok {
			renamed[raw] = name
		} else {
			plain = append(plain, v)
		}
	}
	return plain, renamed
}

func parseWorkload(s string) smalldatum.Test {
	if t, ok := smalldatum.ParseTest(s); ok {
		return t
	}
	return smalldatum.Test{Name: s}
}

// names gives each server the name that tables show.
func (b *batch) names(ps []piece) map[string]string {
	servers := map[string]smalldatum.Server{}
	for _, p := range ps {
		servers[p.server.Raw] = p.server
		b.place(p.server.Raw)
	}
	var list []smalldatum.Server
	for _, raw := range slices.Sorted(maps.Keys(servers)) {
		list = append(list, servers[raw])
	}
	names := shown(list)
	plain, renamed := b.given()
	if len(plain) == 1 && len(list) == 1 {
		names[list[0].Raw] = plain[0]
	}
	for raw, name := range renamed {
		if _, ok := names[raw]; ok {
			names[raw] = name
		} else {
			there := strings.Join(slices.Sorted(maps.Keys(names)), ", ")
			b.warn(CodeFailed, "--version %s=%s renames a server, and no file names a server %q; there are: %s", raw, name, raw, cmp.Or(there, "none"))
		}
	}
	return names
}

// places orders the servers: by product as they come, by release, then as they
// come.
func (b *batch) places() map[string]int {
	flavors := map[string]int{}
	var list []smalldatum.Server
	for _, raw := range b.order {
		s := smalldatum.ParseServer(raw)
		if _, ok := flavors[s.Flavor]; !ok {
			flavors[s.Flavor] = len(flavors)
		}
		list = append(list, s)
	}
	slices.SortStableFunc(list, func(x, y smalldatum.Server) int {
		return cmp.Or(cmp.Compare(flavors[x.Flavor], flavors[y.Flavor]), slices.Compare(release(x.Number), release(y.Number)))
	})
	place := map[string]int{}
	for i, s := range list {
		place[s.Raw] = i
	}
	return place
}

// release is a version's numbers.
func release(s string) []int {
	var ns []int
	for _, part := range strings.Split(s, ".") {
		n, _ := strconv.Atoi(part) // else 0: no number
		ns = append(ns, n)
	}
	return ns
}

func (b *batch) host(p piece) string {
	if b.options.Host != "" {
		return b.options.Host
	}
	if p.host != "" {
		return p.host
	}
	if named := b.hosts[p.from.set]; len(named) == 1 {
		return named[0]
	}
	return p.facts.host
}
