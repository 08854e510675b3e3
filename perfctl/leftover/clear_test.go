package leftover

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// A run is killed with -9. What it started and is provably its own is ended;
// the rest, whatever it looks like, lives.
func TestClearAfterKill(t *testing.T) {
	for _, from := range []string{"its folder", "another folder", "another folder, its own deleted"} {
		t.Run(from, func(t *testing.T) {
			work := folders(t)
			d := playedOwner(t, work)
			if notes := Clear(work); len(notes) > 0 {
				t.Fatalf("while it lived: %q", notes)
			}
			if err := d.cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
			_ = d.cmd.Wait()

			look, deleted := work, strings.Contains(from, "deleted")
			if look != work || from != "its folder" {
				look = t.TempDir()
			}
			if deleted {
				if err := os.RemoveAll(work); err != nil {
					t.Fatal(err)
				}
			}
			notes := Clear(look)
			if len(notes) != 1 || !strings.Contains(notes[0], fmt.Sprintf("(pid %d) had been killed", d.owner.PID)) {
				t.Errorf("notes %q", notes)
			}
			for what, p := range d.pids {
				// With the journal what it recorded is lost, and with the
				// folder the marked one's working directory has another name.
				want := map[string]bool{"recorded": deleted, "marked": deleted, "marked-server": false, "driver": false, "recorded-elsewhere": true, "marked-elsewhere": true, "visitor": true}[what]
				if got := alive(p); got != want {
					t.Errorf("%s: alive is %t, want %t", what, got, want)
				}
				if told := strings.Contains(notes[0], fmt.Sprintf("(pid %d) ended", p.PID)); told == want {
					t.Errorf("%s: told of its end is %t", what, told)
				}
			}
			empty(t, os.TempDir())
			if !deleted {
				empty(t, work)
			}
			if notes := Clear(look); len(notes) > 0 {
				t.Errorf("again: %q", notes)
			}
		})
	}
}

// A process that has a recorded pid, or looks like it, is not touched unless
// all of pid, start time and folder agree.
func TestForeignProcess(t *testing.T) {
	work := folders(t)
	data := filepath.Join(work, dataPrefix+"f")
	wrongTime, wrongFolder, right := sleeper(t, data+"/a"), sleeper(t, work), sleeper(t, data+"/a")
	earlier := process{wrongTime.PID, wrongTime.StartTicks - 1}
	deadOwner(t, work, func(o *owner) { o.Data = filepath.Base(data) }, earlier, wrongFolder, right)
	notes := Clear(work)
	if !alive(wrongTime) || !alive(wrongFolder) {
		t.Errorf("a foreign process was ended: %q", notes)
	}
	if alive(right) {
		t.Errorf("its own process lives: %q", notes)
	}
	empty(t, work, os.TempDir())
}

func TestClearWhereItMayNot(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*owner)
		want   string // in the note; "" for none
	}{
		"another machine":   {func(o *owner) { o.Host += "-2" }, "-2, where it may be running still"},
		"another container": {func(o *owner) { o.Namespace = "pid:[1]" }, "in another container, where it may be running still"},
		"alive, no lock":    {func(o *owner) { o.StartTicks++ }, ""},
		"a newer journal":   {func(o *owner) { o.Schema = 2 }, "its schema is 2"},
		"no owner":          {func(o *owner) { o.Boot = "" }, "does not say whose it is"},
	} {
		t.Run(name, func(t *testing.T) {
			work := folders(t)
			data := filepath.Join(work, dataPrefix+"f")
			p := sleeper(t, data+"/a")
			o := deadOwner(t, work, func(o *owner) { o.Data = filepath.Base(data); c.change(o) }, p)
			notes := Clear(work)
			if c.want == "" && len(notes) > 0 || c.want != "" && (len(notes) != 1 || !strings.Contains(notes[0], c.want)) {
				t.Errorf("notes %q, want %q", notes, c.want)
			}
			if !alive(p) || !there(data+"/sub/file") || !there(o.Sockets+"/sub/file") || !there(filepath.Join(work, o.Journal)) {
				t.Errorf("something was touched: %q", notes)
			}
		})
	}
}

// After a restart of the machine the pids are others'.
func TestClearAfterReboot(t *testing.T) {
	work := folders(t)
	data := filepath.Join(work, dataPrefix+"f")
	p := sleeper(t, data+"/a")
	deadOwner(t, work, func(o *owner) { o.Data, o.Boot = filepath.Base(data), "00000000-0000-0000-0000-000000000000" }, p)
	if notes := Clear(work); len(notes) != 1 || !strings.Contains(notes[0], data+" removed") {
		t.Errorf("notes %q", notes)
	}
	if !alive(p) {
		t.Error("a process of this boot was ended")
	}
	empty(t, work, os.TempDir())
}

func TestFolderWithoutProof(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, o owner){
		"no marker": func(t *testing.T, o owner) { must(t, os.Remove(filepath.Join(o.data(), markerName))) },
		"another run's": func(t *testing.T, o owner) {
			other := o
			other.Token = strings.Repeat("0", 32)
			must(t, os.RemoveAll(o.data()))
			must(t, other.makeFolder(o.data()))
		},
		"a link": func(t *testing.T, o owner) {
			to := t.TempDir()
			must(t, os.RemoveAll(o.data()))
			must(t, o.makeFolder(filepath.Join(to, "d")))
			must(t, os.Symlink(filepath.Join(to, "d"), o.data()))
			t.Cleanup(func() {
				if !there(filepath.Join(to, "d", markerName)) {
					t.Error("the link was followed")
				}
			})
		},
		"the marker is a pipe": func(t *testing.T, o owner) {
			m := filepath.Join(o.data(), markerName)
			must(t, os.Remove(m))
			must(t, syscall.Mkfifo(m, 0o600))
		},
	} {
		t.Run(name, func(t *testing.T) {
			work := folders(t)
			o := deadOwner(t, work, nil)
			put(t, filepath.Join(o.data(), "precious"), "x")
			spoil(t, o)
			notes := Clear(work)
			if len(notes) != 1 || !strings.Contains(notes[0], "is left alone") {
				t.Errorf("notes %q", notes)
			}
			if !there(o.data()) || !there(filepath.Join(work, o.Journal)) {
				t.Error("it was removed, or its journal forgotten")
			}
		})
	}
}

// What a kill in the middle of a clearing, or of the beginning, leaves.
func TestClearHalfDone(t *testing.T) {
	for name, leave := range map[string]func(t *testing.T, o owner){
		"folders not made yet": func(t *testing.T, o owner) {
			must(t, os.RemoveAll(o.data()))
			must(t, os.RemoveAll(o.Sockets))
		},
		"folder not marked yet": func(t *testing.T, o owner) {
			must(t, os.RemoveAll(o.data()))
			must(t, os.Mkdir(o.data(), 0o700))
		},
		"all but the marker removed": func(t *testing.T, o owner) { must(t, os.RemoveAll(filepath.Join(o.data(), "sub"))) },
		"empty journal": func(t *testing.T, o owner) {
			must(t, os.RemoveAll(o.data()))
			must(t, os.RemoveAll(o.Sockets))
			must(t, os.Truncate(filepath.Join(o.Work, o.Journal), 0))
		},
		"last line cut": func(t *testing.T, o owner) {
			f, err := os.OpenFile(filepath.Join(o.Work, o.Journal), os.O_APPEND|os.O_WRONLY, 0)
			must(t, err)
			_, err = fmt.Fprintf(f, `{"pid":%d,"start_ti`, os.Getpid())
			must(t, err)
			must(t, f.Close())
		},
		"folder moved": func(t *testing.T, o owner) {
			// The journal goes along with the data, and names it relative to itself.
			to := filepath.Join(o.Work, "moved")
			must(t, os.Mkdir(to, 0o700))
			must(t, os.Rename(o.data(), filepath.Join(to, o.Data)))
			must(t, os.Rename(filepath.Join(o.Work, o.Journal), filepath.Join(to, o.Journal)))
		},
	} {
		t.Run(name, func(t *testing.T) {
			work := folders(t)
			leave(t, deadOwner(t, work, nil))
			look := work
			if name == "folder moved" {
				look = filepath.Join(work, "moved")
			}
			notes := Clear(look)
			for _, n := range notes {
				if strings.Contains(n, "left alone") || strings.Contains(n, "not cleared") {
					t.Error(n)
				}
			}
			empty(t, look, os.TempDir())
		})
	}
}

// A file that only has a journal's name is left alone.
func TestNotAJournal(t *testing.T) {
	work := folders(t)
	for name, text := range map[string]string{"opcost-a.journal": "dear diary\n", "opcost-b.journal": `{"opcost_journal":1,"data":"/home"}` + "\n"} {
		put(t, filepath.Join(work, name), text)
	}
	must(t, os.Mkdir(filepath.Join(work, "opcost-c.journal"), 0o700))
	must(t, syscall.Mkfifo(filepath.Join(work, "opcost-d.journal"), 0o600))
	if notes := Clear(work); len(notes) != 2 {
		t.Errorf("notes %q", notes)
	}
	if entries, err := os.ReadDir(work); err != nil || len(entries) != 4 {
		t.Errorf("left: %v, %v", entries, err)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Whatever a journal says, it leads to no folder but one beside it and one for
// sockets.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"opcost_journal":1,"host":"h","boot":"b","pid_namespace":"n","pid":1,"start_ticks":1,"token":"0123456789abcdef0123456789abcdef","work":"/w","data":"opcost-data-x","sockets":"/tmp/opcost-x","journal":"opcost-x.journal"}` + "\n" + `{"pid":1,"start_ticks":2}` + "\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		o, ps, err := parse(text)
		if err != nil {
			return
		}
		if dir := filepath.Join("/w", o.Data); filepath.Dir(dir) != "/w" || !strings.HasPrefix(filepath.Base(dir), dataPrefix) {
			t.Errorf("data in %q", dir)
		}
		if !strings.HasPrefix(filepath.Base(o.Sockets), socketsPrefix) || !filepath.IsAbs(o.Sockets) {
			t.Errorf("sockets in %q", o.Sockets)
		}
		for _, p := range ps {
			if p.PID <= 0 || p.StartTicks == 0 {
				t.Errorf("process %+v", p)
			}
		}
	})
}
