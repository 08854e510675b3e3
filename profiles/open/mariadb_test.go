package open

import (
	"path/filepath"
	"testing"

	"opcost/collectors/child"
	"opcost/profiles/boundaries"
	"opcost/profiles/internal/live"
)

// A real stripped server under callgrind, which takes for a function what is
// called: nearly every address that it gives in the place of a name is where
// .eh_frame says that a function begins. So both mean the same by an address,
// and by a function.
func TestMariaDBBoundaries(t *testing.T) {
	live.Needs(t, "valgrind", "mariadbd")
	dir := t.TempDir()
	if _, stderr, err := child.Output(t.Context(), "valgrind", "--tool=callgrind", "--callgrind-out-file="+filepath.Join(dir, "callgrind.out.%p"), "mariadbd", "--no-defaults", "--version"); err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	p := open(t, dir).Profiles[0]
	begin, within, outside := 0, 0, 0
	tables := map[string]*boundaries.Table{}
	for _, f := range p.Frames {
		if f.Named() || f.Object == "" {
			continue
		}
		table, ok := tables[f.Object]
		if !ok {
			var err error
			if table, err = boundaries.Of(f.Object); err != nil {
				t.Fatal(err)
			}
			tables[f.Object] = table
		}
		switch start, _, ok := table.Find(f.Address); {
		case ok && start == f.Address:
			begin++
		case ok:
			within++
		default:
			outside++
		}
	}
	t.Logf("of the addresses in the place of names %d are where a function begins, %d within one, %d in none", begin, within, outside)
	if begin < 100 || begin < 4*(within+outside) {
		t.Errorf("%d addresses are where a function begins, %d are not", begin, within+outside)
	}
	resolved, warnings, err := boundaries.Resolve(p, findFile)
	if err != nil {
		t.Fatal(err)
	}
	weight, _ := p.Total()
	if w, _ := resolved.Total(); w != weight {
		t.Errorf("weight %d, resolved %d", weight, w)
	}
	var unknown int64
	for _, s := range resolved.Stacks {
		if f := resolved.Frames[s.Frames[0]]; !f.Named() && f.Start == 0 {
			unknown += s.Weight
		}
	}
	t.Logf("%d of %d instructions are in no function; %q", unknown, weight, warnings)
	if unknown > weight/100 {
		t.Errorf("%d of %d instructions are in no function", unknown, weight)
	}
}
