package result

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

func TestRoundTrip(t *testing.T) {
	one, two, early := aRun("r00-nobl-x=1", 2), aRun("r00-bl", 1), aRun("r01", 1)
	early.Started = early.Started.Add(-time.Hour)
	dir := written(t, one, two, early)

	ignore := cmpopts.IgnoreFields(Run{}, "Dir", "Path", "Checksum")
	want := []Run{early, two, one} // by start, then id
	single := filepath.Join(dir, "runs", one.ID)
	for _, dirs := range [][]string{{dir}, {dir, dir}, {dir, single}, {dir + "/."}} {
		got, warnings := mustRead(t, dirs...)
		if d := cmp.Diff(want, got, ignore); d != "" || len(warnings) > 0 {
			t.Errorf("%v: warnings %v\n%s", dirs, warnings, d)
		}
	}
	got, _ := mustRead(t, single)
	if len(got) != 1 || got[0].ID != one.ID || got[0].Dir != single || got[0].Path != single {
		t.Errorf("a single run's folder gave %v", got)
	}
	if got, _ := mustRead(t, dir); got[2].Dir != dir || got[2].Path != single {
		t.Errorf("Dir %s, Path %s; want %s, %s", got[2].Dir, got[2].Path, dir, single)
	}
	t.Chdir(single)
	if got, w := mustRead(t, "."); len(got) != 1 || len(w) > 0 {
		t.Errorf("in the run's folder: %d runs, %v", len(got), w)
	}
}

// Results may name statements and configurations: they are the user's alone.
func TestModes(t *testing.T) {
	dir := written(t, aRun("a", 1))
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		st, err := d.Info()
		if err == nil && st.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, st.Mode())
		}
		if strings.HasPrefix(d.Name(), tempPrefix) {
			t.Errorf("%s was left", path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

func TestCreateRefuses(t *testing.T) {
	for _, c := range []struct {
		name string
		make func(dir string) error
		want string // "" where it is accepted
	}{
		{"nothing there", func(string) error { return nil }, ""},
		{"empty", func(d string) error { return os.Mkdir(d, 0o755) }, ""},
		{"another file", func(d string) error { return os.WriteFile(mk(d, "photo.jpg"), nil, 0o600) }, "holds other things (photo.jpg) and no file opcost-results; name a folder that is new or empty"},
		{"many", func(d string) error {
			for _, n := range []string{"a", "b", "c", "d"} {
				if err := os.WriteFile(mk(d, n), nil, 0o600); err != nil {
					return err
				}
			}
			return nil
		}, "(a, b, c, ...)"},
		{"hidden file", func(d string) error { return os.WriteFile(mk(d, ".git"), nil, 0o600) }, "(.git)"},
		{"runs of something else", func(d string) error { return os.MkdirAll(filepath.Join(d, "runs"), 0o700) }, "(runs)"},
		{"our mark and a note", func(d string) error {
			_ = os.WriteFile(mk(d, "note.txt"), nil, 0o600)
			return os.WriteFile(mk(d, markFile), []byte(markText), 0o600)
		}, ""},
		{"a newer mark", func(d string) error { return os.WriteFile(mk(d, markFile), []byte("layout 2"), 0o600) }, "not of this version of opcost"},
		{"mark is a folder", func(d string) error { return os.Mkdir(mk(d, markFile), 0o700) }, "holds other things"},
		{"mark is a FIFO", func(d string) error { return syscall.Mkfifo(mk(d, markFile), 0o600) }, "holds other things"},
		{"a file", func(d string) error { return os.WriteFile(d, nil, 0o600) }, "it is a file"},
		{"runs is a link", func(d string) error {
			_ = os.WriteFile(mk(d, markFile), []byte(markText), 0o600)
			return os.Symlink("/", filepath.Join(d, "runs"))
		}, "is not a folder"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "d")
			if err := c.make(dir); err != nil {
				t.Fatal(err)
			}
			f, err := Create(dir)
			if c.want == "" {
				if err != nil {
					t.Fatal(err)
				}
				if err := f.Close(); err != nil {
					t.Error(err)
				}
			} else if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}

// mk makes dir and names a file in it.
func mk(dir, name string) string {
	_ = os.MkdirAll(dir, 0o700) // the write that follows tells
	return filepath.Join(dir, name)
}

func TestOneWriter(t *testing.T) {
	dir := t.TempDir()
	first, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Create(dir); err == nil || !strings.Contains(err.Error(), "another opcost is writing") {
		t.Errorf("second writer: %v", err)
	}
	if runs, w, err := Read(dir); err != nil || len(runs)+len(w) > 0 { // a reader may look
		t.Errorf("read beside a writer: %v, %v, %v", runs, w, err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	again, err := Create(dir)
	if err != nil {
		t.Fatalf("after the first has closed: %v", err)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

// An earlier attempt that did not end well gives way; what is complete, or
// cannot be read, is kept.
func TestBeginAgain(t *testing.T) {
	whole, part := aRun("whole", 1), aRun("part", 1)
	part.Passes[0].State, part.Passes[0].Reason = Failed, "the server died"
	dir := written(t, whole, part, aRun("edited", 1))
	edited := filepath.Join(dir, "runs", "edited", "run.json")
	write(t, edited, []byte(strings.Replace(string(read(t, edited)), `"clients":4`, `"clients":5`, 1)))

	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	ev, err := f.Begin("unfinished")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(ev, "w0"), nil)
	write(t, filepath.Join(filepath.Dir(ev), tempPrefix+"run.json-1"), nil)
	write(t, filepath.Join(dir, "runs", "part", "evidence", "w0"), nil)
	write(t, filepath.Join(dir, "runs", "whole", "evidence", "w0"), nil)

	for _, id := range []string{"unfinished", "part"} {
		ev, err := f.Begin(id)
		if err != nil {
			t.Fatal(err)
		}
		in, err := os.ReadDir(filepath.Dir(ev))
		if err != nil || len(in) != 2 || in[0].Name() != reservedFile || in[1].Name() != "evidence" { // room for the record, and nothing of before
			t.Errorf("%s: its folder holds %v, %v", id, in, err)
		}
		if left, err := os.ReadDir(ev); err != nil || len(left) > 0 {
			t.Errorf("%s: evidence holds %v, %v", id, left, err)
		}
		if err := f.Write(aRun(id, 1)); err != nil {
			t.Error(err)
		}
	}
	for id, want := range map[string]string{
		"whole": "is in " + dir + " already", "edited": "changed after it was written",
		"": "does not do", "../x": "does not do", "a/b": "does not do", ".x": "does not do", strings.Repeat("x", 201): "does not do",
	} {
		if _, err := f.Begin(id); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Begin(%q): %v, want %q", id, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "runs", "whole", "evidence", "w0")); err != nil {
		t.Errorf("evidence of a complete run: %v", err)
	}
	if err := f.Write(whole); err == nil || !strings.Contains(err.Error(), "already") {
		t.Errorf("a run was written over: %v", err)
	}
}

func TestWriteRefusesWhatReadWould(t *testing.T) {
	f, err := Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	bad := aRun("bad", 1)
	bad.Passes[0].Windows[0].DurationNS = 0
	if err := f.Write(bad); err == nil || !strings.Contains(err.Error(), "duration is 0") {
		t.Errorf("error %v", err)
	}
}

func TestWritePlan(t *testing.T) {
	dir := t.TempDir()
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for name, want := range map[string]string{"x/two versions.yaml": "two-versions.0123456789abcdef.yaml", "../..": "plan.0123456789abcdef.yaml", "": "plan.0123456789abcdef.yaml"} {
		if err := f.WritePlan(name, []byte("# "+name), "0123456789abcdef"); err != nil {
			t.Fatal(err)
		}
		if got := string(read(t, filepath.Join(dir, "plans", want))); got != "# "+name {
			t.Errorf("%s holds %q", want, got)
		}
	}
	if err := f.WritePlan("p.yaml", nil, "../../x"); err == nil {
		t.Error("a hash with slashes was accepted")
	}
}
