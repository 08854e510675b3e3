package importer

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/importer/smalldatum"
)

func TestFactsOf(t *testing.T) {
	for _, tt := range []struct {
		dir, name string
		want      facts
	}{
		{"/d/mar25.sb.in.c48_dop40", "qps.abs.in.tsv", facts{host: "mar25.sb.in.c48", clients: 40}},
		{"/d/night/dop4", "o.met", facts{host: "night", clients: 4}},
		{"/d/box", "qps.rel.ma106.12u.tsv", facts{host: "box", clients: 12}},
		{"/d/box", "dop1.5.6.51.insert.range100.met", facts{host: "box", clients: 1, server: "5.6.51", workload: smalldatum.Test{Name: "insert", Range: 100}}},
		{"/d/box", "pg1023.point-query.pre.range100.pk1.1.perfstat.txt", facts{host: "box", server: "pg1023", workload: smalldatum.Test{Name: "point-query.pre", Range: 100}}},
		{"/d/box", "my8028_read-only-count_range=1000.txt", facts{host: "box", server: "my8028", workload: smalldatum.Test{Name: "read-only-count", Range: 1000}}},
		{"/d/box", "inmem.v2_o.qps.abs", facts{host: "box/inmem.v2"}},
		{"/d/night/x.my8028_rel.z1.pk1", "sb.met.scan.range100.pk1.dop4", facts{host: "night", clients: 4, server: "x.my8028_rel.z1.pk1", workload: smalldatum.Test{Name: "scan", Range: 100}}},
		{"/d/night_dop8/8.0.28", "sb.o.delete.range100.pk1", facts{host: "night", clients: 8, server: "8.0.28", workload: smalldatum.Test{Name: "delete", Range: 100}}},
		{"/d/box_dopey", "my12345678.txt", facts{host: "box_dopey"}},
	} {
		if got := factsOf(source{dir: tt.dir, name: tt.name}); got != tt.want {
			t.Errorf("%s/%s: %+v, want %+v", tt.dir, tt.name, got, tt.want)
		}
	}
}

func TestWorkloadOf(t *testing.T) {
	for name, want := range map[string]string{
		"hot-points_range=100": "hot-points point", "random-points_range=1000": "random-points_range=1000 point",
		"point-query.pre_range=100": "point-query.pre ", "random-points.pre_range=10": "random-points.pre_range=10 ",
		"scan_range=100": "scan range", "scan.warm_range=100": "scan.warm ", "write-only_range=10000": "write-only write",
		"update-zipf_range=100": "update-zipf write", "read-only-count_range=1000": "read-only-count_range=1000 range-agg",
		"something-new_range=7": "something-new_range=7 ", "sb.prepare.met.point-query.warm.range100.pk1": "load ",
	} {
		test, ok := smalldatum.ParseTest(name)
		id, group := workloadOf(test)
		if got := id + " " + group; !ok || got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}

func TestShown(t *testing.T) {
	for _, tt := range []struct{ raw, want string }{
		{"x.my5651_rel.z1.pk1 x.my8028_rel.z1.pk1", "5.6.51 8.0.28"},
		{"x.my8040_rel.z1_glibc.pk1 x.my8040_rel.z1_tcmalloc.pk1", "8.0.40-glibc 8.0.40-tcmalloc"},
		{"x.my5649.cx6d x.my5649.cx6d.badcnf", "5.6.49 5.6.49-badcnf"},
		{"x.my8028_rel.z1_c8.pk1 x.my8028_rel.z1_c48.pk1", "8.0.28-c8 8.0.28-c48"},
		{"8.0.28 x.my8028", "8.0.28 x.my8028"},
		{"x.pg131.x5 ma110803", "pg 13.1 11.8.3"},
		{"mybuild", "mybuild"},
	} {
		var servers []smalldatum.Server
		for _, raw := range strings.Fields(tt.raw) {
			servers = append(servers, smalldatum.ParseServer(raw))
		}
		names := shown(servers)
		var got []string
		for _, s := range servers {
			got = append(got, names[s.Raw])
		}
		if strings.Join(got, " ") != tt.want {
			t.Errorf("%s: %q, want %q", tt.raw, strings.Join(got, " "), tt.want)
		}
		if n := len(slices.Compact(slices.Sorted(maps.Values(names)))); n != len(servers) {
			t.Errorf("%s: two have one name: %v", tt.raw, names)
		}
	}
}
