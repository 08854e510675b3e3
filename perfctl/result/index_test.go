package result

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// many makes a results folder that is worth an index, and whose files are old
// enough to be taken into one.
func many(t *testing.T) (dir string, runs []Run) {
	t.Helper()
	for i := range leastIndexed {
		r := aRun(fmt.Sprintf("r%03d", i), 1)
		r.Started = r.Started.Add(time.Duration(i) * time.Second)
		v := float64(i)
		r.Passes[0].Windows[0].Readings[0].Value = &v
		r.Passes[0].Windows[0].Readings = r.Passes[0].Windows[0].Readings[:10]
		r.Passes[0].Windows[0].Readings[3].Uncertainty, r.Passes[0].Windows[0].Readings[4].RunningFraction = 2.5, 0.25
		r.Passes[0].Windows[0].Thirds = []int64{1, 2, 3}
		runs = append(runs, r)
	}
	dir = filepath.Join(t.TempDir(), "results")
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	for _, r := range runs { // as Write does it, but for making each outlast a crash
		text, err := encode(r)
		if err != nil {
			t.Fatal(err)
		}
		place := filepath.Join(dir, runsDir, r.ID)
		if err := os.Mkdir(place, 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(place, runFile), text)
	}
	time.Sleep(racy + 100*time.Millisecond)
	return dir, runs
}

// What comes from the index is what run.json says, to the last field; and the
// index is never trusted over run.json.
func TestIndex(t *testing.T) {
	t.Parallel()
	dir, want := many(t)
	path := filepath.Join(dir, indexFile)
	same := func(what string, got []Run) {
		t.Helper()
		if d := cmp.Diff(want, got, cmpopts.IgnoreFields(Run{}, "Dir", "Path", "Checksum")); d != "" {
			t.Fatalf("%s:\n%s", what, d)
		}
		for _, r := range got {
			if r.Dir != dir || r.Path != filepath.Join(dir, runsDir, r.ID) || len(r.Checksum) != 64 {
				t.Fatalf("%s: Dir %s, Path %s, Checksum %s", what, r.Dir, r.Path, r.Checksum)
			}
		}
	}
	first, _ := mustRead(t, dir)
	same("read from run.json", first)
	if st, err := os.Stat(path); err != nil || st.Mode().Perm() != 0o600 {
		t.Fatalf("no index of mode 0600 was made: %v, %v", st, err)
	}
	if x := readIndex(dir, nil); x == nil || len(x.at) != len(want) {
		t.Fatalf("the index that was made holds %v", x)
	}
	second, _ := mustRead(t, dir)
	same("read from the index", second)
	if &second[0].Server.Variables == &second[1].Server.Variables || fmt.Sprintf("%p", second[0].Server.Variables) != fmt.Sprintf("%p", second[1].Server.Variables) {
		t.Error("runs with the same variables do not share them")
	}

	// Some of the readings only, from the index and from run.json.
	keep := func(name string) bool { return name == "handler_number_3" || name == "handler_number_4" }
	for _, how := range []string{"index", "run.json"} {
		if how == "run.json" {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		}
		some, _, err := ReadOnly(keep, dir)
		if err != nil || len(some) != len(want) {
			t.Fatalf("%s: %d runs, %v", how, len(some), err)
		}
		if d := cmp.Diff(want[5].Passes[0].Windows[0].Readings[3:5], some[5].Passes[0].Windows[0].Readings); d != "" {
			t.Errorf("some readings from %s:\n%s", how, d)
		}
	}
	again, _ := mustRead(t, dir) // the index made by reading some holds all
	same("after reading some", again)

	// A changed run.json is read again, whatever is done to hide it.
	victim := filepath.Join(dir, runsDir, "r007", runFile)
	st, err := os.Stat(victim)
	if err != nil {
		t.Fatal(err)
	}
	text := string(read(t, victim))
	write(t, victim, []byte(strings.Replace(text, `"end":123456`, `"end":923456`, 1))) // of the same length
	if err := os.Chtimes(victim, st.ModTime(), st.ModTime()); err != nil {
		t.Fatal(err)
	}
	got, warnings := mustRead(t, dir)
	if len(got) != len(want)-1 || len(warnings) != 1 || warnings[0].Code != CodeChanged {
		t.Errorf("tampering: %d runs, %v", len(got), warnings)
	}
	// Removed, linked, new: as without an index.
	if err := os.Remove(victim); err != nil {
		t.Fatal(err)
	}
	if got, warnings = mustRead(t, dir); len(got) != len(want)-1 || len(warnings) != 1 || warnings[0].Code != CodeUnfinished {
		t.Errorf("removed: %d runs, %v", len(got), warnings)
	}
	write(t, victim, []byte(text))
	if got, warnings = mustRead(t, dir); len(got) != len(want) || len(warnings) != 0 {
		t.Errorf("restored: %d runs, %v", len(got), warnings)
	}
	now, _ := stampOf(victim)
	if x := readIndex(dir, nil); x == nil || x.at["r007"].stamp == now {
		t.Error("a run.json written this second went into the index: another change within the clock's step would not show")
	}
}

// Any damage to the index costs time only.
func TestIndexDamaged(t *testing.T) {
	t.Parallel()
	dir, want := many(t)
	path := filepath.Join(dir, indexFile)
	mustRead(t, dir)
	whole := read(t, path)
	for name, text := range map[string][]byte{
		"empty": {}, "cut": whole[:len(whole)/2], "head alone": whole[:len(indexHead())], "of another layout": append([]byte("opcost index 1\n........"), whole[23:]...),
		"a bit": flipped(whole, len(whole)/2), "the sum": flipped(whole, len(whole)-1), "hello": []byte("hello"),
	} {
		write(t, path, text)
		if got, warnings := mustRead(t, dir); len(got) != len(want) || len(warnings) != 0 {
			t.Errorf("%s: %d runs, %v", name, len(got), warnings)
		}
		if !bytes.Equal(read(t, path)[:len(indexHead())], whole[:len(indexHead())]) || readIndex(dir, nil) == nil {
			t.Errorf("%s: the index was not made again", name)
		}
	}
}

func flipped(text []byte, at int) []byte {
	changed := bytes.Clone(text)
	changed[at] ^= 0x10
	return changed
}

// A folder that holds runs and no mark of ours gets no index; nor does a small one.
func TestIndexOnlyInFoldersOfOurs(t *testing.T) {
	t.Parallel()
	dir, want := many(t)
	if err := os.Remove(filepath.Join(dir, markFile)); err != nil {
		t.Fatal(err)
	}
	if got, _ := mustRead(t, dir); len(got) != len(want) {
		t.Errorf("%d runs", len(got))
	}
	small := written(t, aRun("a", 1))
	mustRead(t, small)
	for _, d := range []string{dir, small} {
		if _, err := os.Stat(filepath.Join(d, indexFile)); err == nil {
			t.Errorf("%s got an index", d)
		}
	}
}

// A folder that cannot be written to is read without an index, and without a
// word. A folder in the index's place stands for that: root may write anywhere.
func TestIndexCannotBeWritten(t *testing.T) {
	t.Parallel()
	dir, want := many(t)
	if err := os.Mkdir(filepath.Join(dir, indexFile), 0o700); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, warnings := mustRead(t, dir); len(got) != len(want) || len(warnings) != 0 {
			t.Errorf("%d runs, %v", len(got), warnings)
		}
	}
	left, err := filepath.Glob(filepath.Join(dir, tempPrefix+"*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// Whatever bytes an index has behind a right sum, reading it does not crash, and
// what it gives passes for a run of that name.
func FuzzIndex(f *testing.F) {
	e := newEncoder()
	r := aRun("a", 1)
	var d *decoder
	f.Add(e.run(nil, &r), uint8(3))
	f.Add([]byte{}, uint8(0))
	f.Fuzz(func(t *testing.T, payload []byte, n uint8) {
		d = &decoder{indexTables: &indexTables{texts: make([]string, n), shapes: make([]Reading, n), keep: make([]bool, n), tables: make([]map[string]string, n)},
			fields: fields{}, from: payload}
		var run Run
		d.run(&run)
	})
}
