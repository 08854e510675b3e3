package open

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"opcost/profiles"
	"opcost/profiles/pprof"
	"opcost/testbed/casefiles"
)

func file(t *testing.T, content []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "profile")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func packed(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	z := gzip.NewWriter(&b)
	if _, err := z.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t *testing.T, path string) *profiles.Set {
	t.Helper()
	set, err := Open(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return set
}

const (
	script = "mysqld  1234 5.678:         10 cycles: \n\t    ffff f+0x1 (/usr/sbin/mysqld)\n\t    fffe main+0x5 (/usr/sbin/mysqld)\n\n"
	dump   = "# callgrind format\nevents: Ir\nfn=main\n1 4\ncfn=f\ncalls=1 1\n2 6\nfn=f\n2 6\ntotals: 10\n"
)

// Each text format, packed and not, is the same profile of weight 10.
func TestOpen(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
	if err := b.Add("", []int32{b.Frame(profiles.Frame{Function: "f"})}, 10, 1); err != nil {
		t.Fatal(err)
	}
	var pb bytes.Buffer
	if err := pprof.Write(&pb, &profiles.Set{Profiles: []*profiles.Profile{b.Profile()}}); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string][]byte{
		"perf script": []byte(script),
		"callgrind":   []byte(dump),
		"folded":      []byte("main 4\nmain;f 6\n"),
		"pprof":       pb.Bytes(),
	} {
		paths := []string{file(t, content), file(t, packed(t, content))}
		if name == "pprof" { // is packed as it is
			z, err := gzip.NewReader(bytes.NewReader(content))
			if err != nil {
				t.Fatal(err)
			}
			plain, err := io.ReadAll(z)
			if err != nil {
				t.Fatal(err)
			}
			paths[1] = file(t, plain)
		}
		for _, path := range paths {
			set := open(t, path)
			if w, _ := set.Profiles[0].Total(); len(set.Profiles) != 1 || w != 10 {
				t.Errorf("%s: %+v", name, set)
			}
		}
	}
}

// A profile may come through a pipe, as of opcost profile top <(perf script).
func TestOpenPipe(t *testing.T) {
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	if _, err := w.WriteString(script); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	set := open(t, fmt.Sprintf("/proc/self/fd/%d", r.Fd()))
	if w, n := set.Profiles[0].Total(); w != 10 || n != 1 {
		t.Errorf("%+v", set.Profiles[0])
	}
}

// Real files: their sums are those of another reader.
func TestOpenCases(t *testing.T) {
	dir := filepath.Dir(casefiles.Folder(t, "08-callgrind"))
	for path, want := range map[string]int64{
		"08-callgrind/gprof2dot/xapian.callgrind.gz":        3243393764,
		"08-callgrind/gprof2dot/test1.callgrind":            610235,
		"02-perf-script/inferno/go-stacks.txt":              1250000,
		"02-perf-script/mysqld-folded/my8408-sp0.folded.gz": 5291190331386,
	} {
		if w, _ := open(t, filepath.Join(dir, path)).Profiles[0].Total(); w != want {
			t.Errorf("%s: %d, want %d", path, w, want)
		}
	}
}

func TestOpenFolder(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Open(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), "it is empty") {
		t.Error(err)
	}
	write("x.pb.gz", "x")
	if _, err := Open(t.Context(), dir, Options{}); err == nil || !strings.Contains(err.Error(), "name one of its files: x.pb.gz") {
		t.Error(err)
	}
	write("callgrind.out.7", "") // keeps the name free
	write("callgrind.out.7.1-01", "pid: 7\nthread: 1\nevents: Ir\nfn=f\n1 5\ntotals: 5\n")
	write("w-callgrind-thread-02.out.gz", string(packed(t, []byte("pid: 7\nthread: 2\nevents: Ir\nfn=f\n1 6\ntotals: 6\n"))))
	write("callgrind.7.log", "==7== hello")
	set := open(t, dir)
	if w, _ := set.Profiles[0].Total(); w != 11 || len(set.Profiles[0].Stacks) != 2 {
		t.Errorf("%+v", set.Profiles[0])
	}
}

func TestOpenErrors(t *testing.T) {
	for name, tt := range map[string]struct {
		in   []byte
		want string
	}{
		"empty":             {nil, "is empty; read are perf.data"},
		"a program":         {[]byte("\x7fELF\x02\x01\x01"), "a program or library"},
		"a flame graph":     {[]byte("<svg></svg>"), "folded stacks"},
		"packed nothing":    {packed(t, nil), "is empty"},
		"packed twice":      {packed(t, packed(t, []byte("a 1\n"))), "gzip within gzip"},
		"cut gzip":          {packed(t, []byte(dump))[:40], "unexpected EOF"},
		"not gzip":          {[]byte("\x1f\x8bxxxxxxxxxxxxx"), "gzip"},
		"a bad callgrind":   {[]byte(dump + "fn=(7)\n"), "read as a callgrind file: line 11"},
		"a damaged profile": {[]byte("\x0a\xff\xff\xff\xff\x01"), "read as a pprof profile"},
	} {
		path := file(t, tt.in)
		set, err := Open(t.Context(), path, Options{})
		if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %+v, %v, want %q", name, set, err, tt.want)
		}
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "absent"), Options{}); !os.IsNotExist(err) {
		t.Error(err)
	}
}

// A pipe that nobody writes to, or that never ends, does not outlast the context.
func TestOpenInterrupted(t *testing.T) {
	silent, endless := filepath.Join(t.TempDir(), "silent"), filepath.Join(t.TempDir(), "endless")
	for _, path := range []string{silent, endless} {
		if err := syscall.Mkfifo(path, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	go func() {
		f, err := os.OpenFile(endless, os.O_WRONLY, 0)
		if err != nil {
			return
		}
		defer f.Close()
		for err == nil { // until the reader has gone
			_, err = f.WriteString(script)
		}
	}()
	why := errors.New("enough")
	for _, path := range []string{silent, endless} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := time.AfterFunc(100*time.Millisecond, func() { cancel(why) })
		if set, err := Open(ctx, path, Options{}); !errors.Is(err, why) || !strings.Contains(err.Error(), path) {
			t.Errorf("%v, %v", set, err)
		}
		stop.Stop()
		cancel(nil)
	}
}
