package result

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
)

// What was done to a run's folder; the run beside it must still be read.
func TestReadNamesWhatItSkips(t *testing.T) {
	edit := func(old, new string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, "run.json")
			was := string(read(t, path))
			is := strings.Replace(was, old, new, 1)
			if is == was {
				t.Fatalf("no %s in run.json", old)
			}
			write(t, path, []byte(is))
		}
	}
	become := func(text string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) { write(t, filepath.Join(dir, "run.json"), []byte(text)) }
	}
	instead := func(make func(path string) error) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			path := filepath.Join(dir, "run.json")
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
			if err := make(path); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name, code, text string
		damage           func(t *testing.T, dir string)
	}{
		{"missing", CodeUnfinished, "did not come to its end", instead(func(string) error { return nil })},
		{"left by a crash", CodeUnfinished, "did not come to its end", instead(func(p string) error {
			return os.WriteFile(filepath.Join(filepath.Dir(p), tempPrefix+"run.json-7"), []byte("{"), 0o600)
		})},
		{"empty", CodeUnreadable, "ends too soon", become("")},
		{"half", CodeUnreadable, "ends too soon", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "run.json")
			text := read(t, path)
			write(t, path, text[:len(text)/2])
		}},
		{"zeros", CodeUnreadable, "no record", become(strings.Repeat("\x00", 4096))},
		{"no JSON", CodeUnreadable, "no record", become("hello")},
		{"a list", CodeUnreadable, "not a JSON object", become("[]")},
		{"no schema", CodeUnreadable, "names no schema", become("{}")},
		{"schema a text", CodeUnreadable, "its schema", become(`{"schema":"1"}`)},
		{"deep", CodeUnreadable, "no record", become(`{"x":` + strings.Repeat("[", 1<<20))},
		{"future schema", CodeSchema, "its schema is 2 and this opcost knows up to 1", become(`{"schema":2,"id":{"all":"new"}}`)},
		{"future schema, not first", CodeSchema, "its schema is 99", become(`{"zone":[1,{"schema":1}],"schema":99}`)},
		{"schema 0", CodeInvalid, "never was", become(`{"schema":0}`)},
		{"a list in place of a number", CodeUnreadable, "no record", edit(`"clients":4`, `"clients":[4]`)},
		{"a number too large", CodeUnreadable, "no record", edit(`"load1":0.12`, `"load1":1e999`)},
		{"two records", CodeUnreadable, "no record", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "run.json")
			text := read(t, path)
			write(t, path, append(text, text...))
		}},
		{"edited count", CodeChanged, "changed after it was written", edit(`"end":123456`, `"end":123457`)},
		{"edited word", CodeChanged, "changed after it was written", edit(`"version":"nobl"`, `"version":"bl"`)},
		{"added key", CodeChanged, "changed after it was written", edit(`"host"`, `"note":"x","host"`)},
		{"key given twice", CodeChanged, "changed after it was written", edit(`"clients":4`, `"clients":4,"clients":8`)},
		{"checksum taken out", CodeChanged, "changed after it was written", func(t *testing.T, dir string) {
			path := filepath.Join(dir, "run.json")
			text := string(read(t, path))
			write(t, path, []byte(text[:strings.LastIndex(text, `,"checksum"`)]+"}"))
		}},
		{"FIFO", CodeUnreadable, "not a regular file", instead(func(p string) error { return syscall.Mkfifo(p, 0o600) })},
		{"link", CodeUnreadable, "symbolic link", instead(func(p string) error { return os.Symlink("/dev/zero", p) })},
		{"folder", CodeUnreadable, "not a regular file", instead(func(p string) error { return os.Mkdir(p, 0o700) })},
		{"socket", CodeUnreadable, "not a regular file", instead(func(p string) error { return syscall.Mknod(p, syscall.S_IFSOCK|0o600, 0) })},
		{"huge", CodeUnreadable, "17 MiB, and a record has at most 16", func(t *testing.T, dir string) {
			if err := os.Truncate(filepath.Join(dir, "run.json"), 17<<20); err != nil {
				t.Fatal(err)
			}
		}},
		{"run folder is a file", CodeUnreadable, "what should be the run's folder is a file", func(t *testing.T, dir string) {
			if err := os.RemoveAll(dir); err != nil {
				t.Fatal(err)
			}
			write(t, dir, []byte("x"))
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := written(t, aRun("bad", 1), aRun("good", 1))
			c.damage(t, filepath.Join(dir, "runs", "bad"))
			runs, warnings := mustRead(t, dir)
			if len(runs) != 1 || runs[0].ID != "good" {
				t.Errorf("%d runs, want the good one alone", len(runs))
			}
			if len(warnings) != 1 || warnings[0].Code != c.code || !strings.Contains(warnings[0].Text, c.text) {
				t.Fatalf("warnings %q, want %s: %s", warnings, c.code, c.text)
			}
			if path := filepath.Join(dir, "runs", "bad", "run.json"); !strings.HasPrefix(warnings[0].Text, path+": ") {
				t.Errorf("%q does not name %s", warnings[0].Text, path)
			}
		})
	}
}

func TestReadRenamedAndStray(t *testing.T) {
	dir := written(t, aRun("a", 1), aRun("b", 1))
	if err := os.Rename(filepath.Join(dir, "runs", "a"), filepath.Join(dir, "runs", "c")); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(dir, "runs", ".DS_Store"), nil)
	runs, warnings := mustRead(t, dir)
	if len(runs) != 1 || len(warnings) != 1 || warnings[0].Code != CodeInvalid || !strings.Contains(warnings[0].Text, `its id is "a" and its folder's name "c"`) {
		t.Errorf("%d runs, %v", len(runs), warnings)
	}
}

func TestReadNoResults(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f")
	write(t, file, nil)
	for path, want := range map[string]string{dir: "there are none in " + dir, file: "is not a folder", dir + "/none": "does not exist"} {
		if _, _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
	if runs, w := mustRead(t, written(t)); len(runs)+len(w) > 0 {
		t.Errorf("an empty results folder gave %v, %v", runs, w)
	}
}

// Whatever byte is lost or changed, the run is not taken for whole.
func TestEveryByteCounts(t *testing.T) {
	small := aRun("a", 1)
	w := &small.Passes[0].Windows[0]
	w.Readings = w.Readings[53:57]
	small.Server.Variables = map[string]string{"a": "b"}
	text, err := encode(small)
	if err != nil {
		t.Fatal(err)
	}
	if _, w := decode("a", text); w != nil {
		t.Fatal(w.Text)
	}
	body := len(text) - 1 // the newline is no part of it
	for i := range body {
		if _, w := decode("a", text[:i]); w == nil || w.Code != CodeUnreadable {
			t.Fatalf("cut to %d of %d bytes: %v", i, len(text), w)
		}
		changed := bytes.Clone(text)
		changed[i] ^= 1
		if _, w := decode("a", changed); w == nil {
			t.Fatalf("byte %d changed from %q to %q was not seen", i, text[i], changed[i])
		}
	}
}

// sealed puts the documented checksum on a record, by other means than encode.
func sealed(t *testing.T, text string) []byte {
	t.Helper()
	if !strings.HasSuffix(text, `"checksum":""}`) {
		t.Fatalf("not a record without a checksum: ...%s", text[max(0, len(text)-80):])
	}
	return fmt.Appendf(nil, `%s%x"}`, strings.TrimSuffix(text, `"}`), sha256.Sum256([]byte(text)))
}

func TestChecksumAsDocumented(t *testing.T) {
	run := aRun("a", 1)
	plain, err := json.Marshal(run)
	if err != nil {
		t.Fatal(err)
	}
	text, err := encode(run)
	if err != nil {
		t.Fatal(err)
	}
	if want := sealed(t, string(plain)); string(text) != string(want)+"\n" {
		t.Errorf("checksum differs: %s", text[len(text)-80:])
	}

	// A field of a later opcost with the same schema is no change.
	added := strings.Replace(string(plain), `"host":`, `"added_later":[1,{"a":"b"}],"host":`, 1)
	if _, w := decode("a", sealed(t, added)); w != nil {
		t.Errorf("an added field: %s", w.Text)
	}
	// Nor are line breaks between the tokens.
	var pretty bytes.Buffer
	if err := json.Indent(&pretty, text, "", "  "); err != nil {
		t.Fatal(err)
	}
	if _, w := decode("a", pretty.Bytes()); w != nil {
		t.Errorf("indented: %s", w.Text)
	}
}

func FuzzDecode(f *testing.F) {
	for n := range 3 {
		text, err := encode(aRun("a", n))
		if err != nil {
			f.Fatal(err)
		}
		f.Add(text)
	}
	for _, s := range []string{"", "{}", `{"schema":1}`, `{"schema":2}`, `{"schema":1,"checksum":""}`, `{"a":{"schema":3},"schema":1}`, "[", `{"schema":1e9}`, "null"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		_, w := decode("a", text)
		if w != nil {
			if w.Code == "" || w.Text == "" {
				t.Errorf("a warning without words: %+v", w)
			}
		}
		// Past the checksum, the rules must hold without a crash too.
		var run Run
		if json.Unmarshal(text, &run) != nil || check(run) != nil {
			return
		}
		again, err := encode(run)
		if err != nil {
			t.Fatalf("a valid run cannot be written: %v", err)
		}
		if back, w := decode(run.ID, again); w != nil {
			t.Errorf("a written run cannot be read: %s", w.Text)
		} else if newShared().share(&back); back.ID != run.ID {
			t.Errorf("id %q became %q", run.ID, back.ID)
		}
	})
}

// Runs read from run.json have one copy of the maps they repeat, and each its own
// where they differ.
func TestReadSharesMaps(t *testing.T) {
	a, b, c := aRun("a", 1), aRun("b", 1), aRun("c", 1)
	a.Server.Variables = map[string]string{"x": "1", "y": "2"}
	b.Server.Variables = map[string]string{"y": "2", "x": "1"}
	c.Server.Variables = map[string]string{"x": "2", "y": "1"} // the same words
	runs, warnings, err := Read(written(t, a, b, c))
	if err != nil || len(warnings) > 0 || len(runs) != 3 {
		t.Fatalf("%d runs, %v, %v", len(runs), warnings, err)
	}
	of := map[string]map[string]string{}
	for _, r := range runs {
		of[r.ID] = r.Server.Variables
	}
	if reflect.ValueOf(of["a"]).Pointer() != reflect.ValueOf(of["b"]).Pointer() {
		t.Error("the same variables are held twice")
	}
	if of["a"]["x"] != "1" || of["c"]["x"] != "2" || of["c"]["y"] != "1" {
		t.Errorf("%v", of)
	}
}
