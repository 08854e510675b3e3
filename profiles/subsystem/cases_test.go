package subsystem

import (
	"cmp"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"opcost/profiles/folded"
	"opcost/testbed/casefiles"
)

// TestRealServers: of published profiles of real servers nearly everything has a
// place. They are of whole machines: what clients and shells did has none.
func TestRealServers(t *testing.T) {
	dir := casefiles.Folder(t, "02-perf-script")
	files, _ := filepath.Glob(filepath.Join(dir, "mysqld-folded", "*.folded.gz"))
	if len(files) == 0 {
		t.Fatalf("no folded profiles in %s", dir)
	}
	for _, file := range files {
		f, err := os.Open(file)
		if err != nil {
			t.Fatal(err)
		}
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		set, err := folded.Options{Thread: true}.Read(z)
		if err != nil {
			t.Fatal(err)
		}
		f.Close()
		p := set.Profiles[0]
		placer := Default().Placer(p)
		by, total := map[string]int64{}, int64(0)
		for _, s := range p.Stacks {
			if len(s.Frames) == 0 {
				continue // of the process's name alone
			}
			by[placer.Leaf(s).Subsystem] += s.Weight
			total += s.Weight
		}
		places := make([]string, 0, len(by))
		for place := range by {
			places = append(places, place)
		}
		slices.SortFunc(places, func(a, b string) int { return cmp.Compare(by[b], by[a]) })
		line := ""
		for _, place := range places[:5] {
			line += ", " + place
		}
		placed := 1 - float64(by[ServerOther]+by[KernelOther]+by[Unresolved])/float64(total)
		t.Logf("%s: %.1f%% of the cost is placed, first%s", filepath.Base(file), 100*placed, line)
		if placed < 0.93 {
			t.Errorf("%s: only %.1f%% of the cost is placed, want 93%%", filepath.Base(file), 100*placed)
		}
	}
}
