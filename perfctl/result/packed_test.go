package result

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// TestReadPacked: runs come without their readings, and whole when asked for:
// from run.json and from the index, where an index can be kept and where not.
func TestReadPacked(t *testing.T) {
	t.Parallel()
	dir, want := many(t)
	odd := aRun("odd", 3)
	odd.Started = odd.Started.In(time.FixedZone("", 3600)).Add(-time.Hour)
	small := written(t, odd)
	again := func(what string, dirs []string, want []Run) {
		t.Helper()
		runs, packed, warnings, err := ReadPacked(dirs...)
		if err != nil || len(runs) != len(want) || len(warnings) > 0 {
			t.Fatalf("%s: %d runs, %v, %v", what, len(runs), warnings, err)
		}
		var wg sync.WaitGroup
		got := make([]Run, len(runs))
		for i, r := range runs {
			for _, p := range r.Passes {
				for _, w := range p.Windows {
					if len(w.Readings) > 0 {
						t.Errorf("%s: %s has %d readings in memory", what, r.ID, len(w.Readings))
					}
				}
			}
			wg.Go(func() { got[i] = packed.Whole(r) })
		}
		wg.Wait()
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Run{}, "Dir", "Path", "Checksum"), cmpopts.EquateApproxTime(0)); d != "" {
			t.Errorf("%s:\n%s", what, d)
		}
	}
	both := append([]Run{odd}, want...)
	again("no index", []string{small, dir, small}, both)
	again("an index", []string{small, dir}, both)
	one := filepath.Join(dir, runsDir, "r007")
	again("a run's folder", []string{one, dir}, want)

	// One that was written just now is in no index on disk, and whole all the same.
	text, err := encode(odd)
	if err != nil {
		t.Fatal(err)
	}
	place := filepath.Join(dir, runsDir, odd.ID)
	if err := os.Mkdir(place, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(place, runFile), text)
	again("one more", []string{dir}, both)
	if x := readIndex(dir, nil); x == nil || x.at["r007"] == (indexed{}) || x.at[odd.ID].stamp != (stamp{}) {
		t.Errorf("the index on disk: %v", x.at[odd.ID])
	}
	again("and again", []string{dir}, both)
}

// TestWholeOfWhatIsGone: a record that went away meanwhile is not a run that
// nothing was counted of.
func TestWholeOfWhatIsGone(t *testing.T) {
	r := aRun("gone", 3)
	r.Path = filepath.Join(t.TempDir(), r.ID)
	had := len(r.Passes[0].Windows[0].Readings)
	got := (&Packed{}).Whole(r)
	if w := got.Passes[0].Windows[0]; len(w.Readings) != 1 || w.State != Failed || w.Readings[0].State != Failed || w.Readings[0].Reason == "" {
		t.Errorf("%+v", w)
	}
	if n := len(r.Passes[0].Windows[0].Readings); n != had {
		t.Errorf("the run that was read has %d readings of %d", n, had)
	}
}
