package importer

import (
	"path/filepath"
	"strings"
	"testing"
)

// Whatever files and folders are called: facts that stand in the names.
func FuzzFactsOf(f *testing.F) {
	for _, s := range [][2]string{{"/d/mar25.sb.in.c48_dop40", "qps.abs.in.tsv"}, {"/d/box", "dop1.5.6.51.insert.range100.met"}, {"/d/night/x.my8028_rel.z1.pk1", "sb.met.scan.range100.pk1.dop4"},
		{"/", "."}, {"/a/..", "my8028_read-only-count_range=99999999999999999999.txt"}, {"/\xff", "point-query.pre_dop\x00"}, {"/d/8.0.28", "random-points.warmpre"}} {
		f.Add(s[0], s[1])
	}
	f.Fuzz(func(t *testing.T, dir, name string) {
		got := factsOf(source{dir: filepath.Clean("/" + dir), name: filepath.Base(name)})
		if got.clients < 0 || got.workload.Range < 0 || !strings.Contains(dir+"/"+name, got.server) || strings.HasPrefix(got.host, "/") {
			t.Errorf("%q, %q: %+v", dir, name, got)
		}
	})
}
