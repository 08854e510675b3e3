package server

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/perfctl/plan"
)

func blocks(t *testing.T, path string) int64 {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Sys().(*syscall.Stat_t).Blocks * 512
}

func TestCopyTree(t *testing.T) {
	from, to := filepath.Join(t.TempDir(), "from"), filepath.Join(t.TempDir(), "to")
	if err := os.MkdirAll(filepath.Join(from, "db"), 0o750); err != nil {
		t.Fatal(err)
	}
	// 64 MiB of which the server wrote 1 MiB in the middle, and nothing at the end.
	sparse, err := os.Create(filepath.Join(from, "db", "t.ibd"))
	if err != nil {
		t.Fatal(err)
	}
	content := bytes.Repeat([]byte("page"), 256<<10)
	if _, err := sparse.WriteAt(content, 32<<20); err != nil {
		t.Fatal(err)
	}
	if err := sparse.Truncate(64 << 20); err != nil {
		t.Fatal(err)
	}
	if err := sparse.Close(); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"auto.cnf": "id", "empty": ""} {
		if err := os.WriteFile(filepath.Join(from, name), []byte(text), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("auto.cnf", filepath.Join(from, "link")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(from, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	n, err := copyTree(context.Background(), to, from, copySparse)
	if err != nil {
		t.Fatal(err)
	}
	if limit := int64(4 << 20); n < 1<<20 || n > limit || blocks(t, filepath.Join(to, "db", "t.ibd")) > limit {
		t.Errorf("copied %d bytes, on disk %d; the file holds 1 MiB", n, blocks(t, filepath.Join(to, "db", "t.ibd")))
	}
	want, err := os.ReadFile(filepath.Join(from, "db", "t.ibd"))
	if err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(to, "db", "t.ibd"))
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("the copy differs (%v)", err)
	}
	if text, err := os.ReadFile(filepath.Join(to, "link")); err != nil || string(text) != "id" {
		t.Errorf("link: %q %v", text, err)
	}
	if info, err := os.Stat(filepath.Join(to, "db")); err != nil || info.Mode().Perm() != 0o750 {
		t.Errorf("folder: %v %v", info, err)
	}
	if info, err := os.Stat(filepath.Join(to, "empty")); err != nil || info.Size() != 0 || info.Mode().Perm() != 0o640 {
		t.Errorf("empty file: %v %v", info, err)
	}
	if _, err := os.Lstat(filepath.Join(to, "pipe")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a pipe was copied: %v", err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := copyTree(ended, to+"2", from, copySparse); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of the context: %v", err)
	}
}

// TestExchange has both kinds of file system: this machine's as it is, and a
// copier that says what one without reflink says.
func TestExchange(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "pristine"), filepath.Join(dir, "data")
	for _, d := range []string{from, to} {
		if err := os.Mkdir(d, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(d, filepath.Base(d)), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	probe, err := copyTree(context.Background(), filepath.Join(dir, "probe"), from, reflink)
	can := err == nil
	if !can && !errors.Is(err, errNoReflink) {
		t.Fatalf("reflink: %d %v", probe, err)
	}
	t.Logf("reflink works here: %t", can)
	how, n, err := exchange(context.Background(), to, from, RestoreReflink)
	if can != (err == nil) || !can && !strings.Contains(err.Error(), "XFS") {
		t.Errorf("reflink: %s %d %v", how, n, err)
	}
	for kind, want := range map[string]string{RestoreCopy: RestoreCopy, RestoreAuto: map[bool]string{true: RestoreReflink, false: RestoreCopy}[can]} {
		how, n, err := exchange(context.Background(), to, from, kind)
		if err != nil || how != want || n != 1 {
			t.Errorf("%s: %s, %d bytes, %v; want %s, 1 byte", kind, how, n, err, want)
		}
		entries, err := os.ReadDir(to)
		if err != nil || len(entries) != 1 || entries[0].Name() != "pristine" {
			t.Errorf("%s: the working data is %v (%v)", kind, entries, err)
		}
		if _, err := os.Stat(to + ".part"); err == nil {
			t.Errorf("%s left its half-way folder", kind)
		}
	}
}

func TestSettle(t *testing.T) {
	const mb = 1 << 20
	readings := func(list ...Writeback) func() (Writeback, error) {
		n := -1
		return func() (Writeback, error) {
			n = min(n+1, len(list)-1)
			return list[n], nil
		}
	}
	calm, dirty, writing := Writeback{4 * mb, 0}, Writeback{200 * mb, 0}, Writeback{mb, 30 * mb}
	last, note, err := settle(context.Background(), readings(dirty, writing, calm, dirty, calm, calm), time.Minute, time.Millisecond)
	if err != nil || note != "" || last != calm {
		t.Errorf("settles: %+v %q %v", last, note, err)
	}
	last, note, err = settle(context.Background(), readings(calm, dirty), 20*time.Millisecond, time.Millisecond)
	if err != nil || !strings.Contains(note, "Dirty 209.7 MB") || last != dirty {
		t.Errorf("never settles: %+v %q %v", last, note, err)
	}
	_, note, err = settle(context.Background(), func() (Writeback, error) { return Writeback{}, errors.New("no meminfo") }, time.Minute, time.Millisecond)
	if err != nil || !strings.Contains(note, "unknown: no meminfo") {
		t.Errorf("unreadable: %q %v", note, err)
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err = settle(ended, readings(dirty), time.Minute, time.Minute); !errors.Is(err, context.Canceled) {
		t.Errorf("ended: %v", err)
	}
	if w, err := readWriteback(); err != nil || w.DirtyBytes < 0 {
		t.Errorf("this machine: %+v %v", w, err)
	}
}

func TestCheckRestore(t *testing.T) {
	for _, r := range []plan.Restore{{}, {Kind: "auto"}, {Kind: "copy"}, {Kind: "reflink"}, {Kind: "replay"}, {Kind: "command", Command: "true"}} {
		if err := checkRestore(r); err != nil {
			t.Errorf("%+v: %v", r, err)
		}
	}
	for _, r := range []plan.Restore{{Kind: "rewind"}, {Kind: "command", Command: " "}} {
		if err := checkRestore(r); err == nil {
			t.Errorf("%+v was taken", r)
		}
	}
}

// TestRestoreByCommand uses a fake server: only files matter.
func TestRestoreByCommand(t *testing.T) {
	ctx := testContext(t)
	spec := Spec{Name: "fake", Mysqld: fakeMysqld(t, "echo x > mysql.ibd; echo x > ibdata1"),
		Restore: plan.Restore{Kind: "command", Command: `rm -rf "$OPCOST_DATA" && cp -a "$OPCOST_PRISTINE" "$OPCOST_DATA"`}}
	s, err := Open(ctx, spec, filepath.Join(t.TempDir(), "site"))
	if err != nil {
		t.Fatal(err)
	}
	s.settleTimeout = time.Second
	if _, err := s.Restore(ctx); err == nil || !strings.Contains(err.Error(), "Save") {
		t.Errorf("nothing saved: %v", err)
	}
	if err := s.Initialise(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(ctx); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(s.data(), "ibdata1"), []byte("changed"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, err := s.Restore(ctx)
	if err != nil || r.How != RestoreCommand {
		t.Fatalf("%+v %v", r, err)
	}
	if text, err := os.ReadFile(filepath.Join(s.data(), "ibdata1")); err != nil || string(text) != "x\n" {
		t.Errorf("restored %q (%v)", text, err)
	}
	s.spec.Restore.Command = "echo disk full >&2; exit 3"
	if _, err := s.Restore(ctx); err == nil || !strings.Contains(err.Error(), "disk full") {
		t.Errorf("a command that fails: %v", err)
	}
	s.spec.Restore.Command = `rm -rf "$OPCOST_DATA"`
	if _, err := s.Restore(ctx); err == nil || !strings.Contains(err.Error(), "no system tables") {
		t.Errorf("a command that restores nothing: %v", err)
	}
}
