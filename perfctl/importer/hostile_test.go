package importer

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"opcost/perfctl/result"
)

// What cannot be imported is said with the file's name and a next step.
func TestImportRefuses(t *testing.T) {
	huge := bytes.Repeat([]byte("1 0 0 1 1 1 0 0 0 0 1 500 10 10 80 0 0\n"), maxSize/39+1)
	for _, tt := range []struct {
		name    string
		make    func(t *testing.T, dir string) string // gives the path
		options Options
		want    []string
	}{
		{"nothing there", func(t *testing.T, dir string) string { return filepath.Join(dir, "none") }, Options{}, []string{"none: no such file"}},
		{"an empty folder", func(t *testing.T, dir string) string { return dir }, Options{}, []string{"nothing to import"}},
		{"an empty file", func(t *testing.T, dir string) string { return put(t, dir, "a", " \n") }, Options{}, []string{"is empty"}},
		{"binary", func(t *testing.T, dir string) string { return put(t, dir, "a", "\x7fELF\x00\x01") }, Options{}, []string{"no text", "sysbench"}},
		{"words", func(t *testing.T, dir string) string { return put(t, dir, "a", "hello\n") }, Options{}, []string{"no kind that can be imported", "vmstat"}},
		{"a FIFO", func(t *testing.T, dir string) string {
			path := filepath.Join(dir, "f")
			if err := syscall.Mkfifo(path, 0o600); err != nil {
				t.Fatal(err)
			}
			return path
		}, Options{}, []string{"neither a file nor a folder"}},
		{"a link to itself", func(t *testing.T, dir string) string { return link(t, filepath.Join(dir, "l"), "l") }, Options{}, []string{"too many levels of symbolic links"}},
		{"a folder of a FIFO and links that loop", func(t *testing.T, dir string) string {
			link(t, filepath.Join(dir, "up"), "..")
			link(t, filepath.Join(dir, "out"), "/etc/passwd")
			if err := syscall.Mkfifo(filepath.Join(dir, "f"), 0o600); err != nil {
				t.Fatal(err)
			}
			return dir
		}, Options{}, []string{"links are not followed", "and 2 more files"}},
		{"huge", func(t *testing.T, dir string) string { return put(t, dir, "a", string(huge)) }, Options{}, []string{"more than 64 MiB"}},
		{"small, and huge when unpacked", func(t *testing.T, dir string) string { return put(t, dir, "a.gz", gzipped(t, huge)) }, Options{}, []string{"more than 64 MiB"}},
		{"gzip cut off", func(t *testing.T, dir string) string { return put(t, dir, "a.gz", gzipped(t, []byte(abs))[:30]) }, Options{}, []string{"unexpected EOF"}},
		{"no version", func(t *testing.T, dir string) string { return put(t, dir, "out.txt", loadText) }, Options{}, []string{"out.txt does not name the version (--version)"}},
		{"no clients", func(t *testing.T, dir string) string { return put(t, dir, "qps.abs.tsv", abs) }, Options{}, []string{"the number of clients (--clients)"}},
		{"no workload, version and clients", func(t *testing.T, dir string) string {
			return put(t, dir, "o", "iostat, vmstat normalized by operation rate\nsamp\to/s\n1\t2\n")
		}, Options{}, []string{"--version", "--workload", "--clients"}},
		{"csv without names", func(t *testing.T, dir string) string { return put(t, dir, "qps.csv", "scan_range=100,10,20\n") }, Options{Clients: []int{1}}, []string{"its 2 columns have no names", "--version for each"}},
		{"ratios as csv alone", func(t *testing.T, dir string) string { return put(t, dir, "qps.csv", "scan_range=100,0.98\n") }, Options{Clients: []int{1}}, []string{"give the tsv"}},
		{"clients by column, not given", func(t *testing.T, dir string) string {
			return put(t, dir, "o.qps", "sb.r.qps.scan.range100.pk1\n10\t20\t30\tx.my5651\n")
		}, Options{Clients: []int{1}}, []string{"it holds 3 numbers", "--clients 1,2,4"}},
		{"vmstat since boot alone", func(t *testing.T, dir string) string {
			return put(t, dir, "vm", " r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1 0 0 1 1 1 0 0 0 0 1 99 90 5 5 0 0\n")
		}, Options{Versions: []string{"v"}, Clients: []int{1}, Workload: "w"}, []string{"since the machine was booted"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := tt.make(t, t.TempDir())
			im, _, err := Import(t.Context(), []string{path}, tt.options)
			if err == nil {
				t.Fatalf("%d runs", len(im.Runs))
			}
			for _, want := range tt.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %v, want one with %q", err, want)
				}
			}
		})
	}
}

func put(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func link(t *testing.T, path, to string) string {
	t.Helper()
	if err := os.Symlink(to, path); err != nil {
		t.Fatal(err)
	}
	return path
}

// Names in a file cannot lead out of the results folder.
func TestNamesThatLeadAway(t *testing.T) {
	text := strings.ReplaceAll(abs, "x.my8028_rel.z1_c8.pk1", "../../../etc/cron.d/x")
	dir := t.TempDir()
	path := put(t, dir, ".. -rf;$(x)_dop4.tsv", text)
	im, _, err := Import(t.Context(), []string{path}, Options{Host: "../../h", Clients: []int{4}})
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "results")
	f, err := result.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(im.Write(f), f.Close()); err != nil {
		t.Fatal(err)
	}
	n := 0
	err = filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && p != path {
			n++
			if !strings.HasPrefix(p, out+"/") || strings.Contains(strings.TrimPrefix(p, dir), "..") {
				t.Errorf("made %s", p)
			}
		}
		return err
	})
	if err != nil || n < 12 { // six runs with their evidence
		t.Errorf("%d files, %v", n, err)
	}
}

func TestImportIsStopped(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := Import(ctx, []string{files(t, map[string]string{"dop4/o.met": met})}, Options{}); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("error %v", err)
	}
}

// A link as the path itself is what the user gave, and is followed.
func TestLinkGiven(t *testing.T) {
	dir := files(t, map[string]string{"dop4/o.met": met})
	im, ws, err := Import(t.Context(), []string{link(t, filepath.Join(t.TempDir(), "l"), dir)}, Options{})
	if err != nil || len(im.Runs) != 2 || len(ws) > 0 {
		t.Errorf("%d runs, %v, %v", len(im.Runs), ws, err)
	}
}
