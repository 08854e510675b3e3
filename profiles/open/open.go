package open

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"opcost/profiles"
	"opcost/profiles/callgrind"
	"opcost/profiles/folded"
	"opcost/profiles/perfdata"
	"opcost/profiles/perfscript"
	"opcost/profiles/pprof"
)

const (
	headSize = 64 << 10
	// maxUnpacked bounds what a compressed file may unpack to. Text is read as it
	// comes, and kept where stacks differ.
	maxUnpacked = 16 << 30
	// maxCallgrind and maxCopied bound what is kept whole: in memory, and in a
	// temporary file for perf. Each is many times what is ever recorded of a server.
	maxCallgrind = 1 << 30
	maxCopied    = 4 << 30
)

// Options say how files of each format are read. The zero value is right for
// files made on this machine.
type Options struct {
	PerfData perfdata.Options
	Script   perfscript.Options
	Folded   folded.Options
}

// Open reads the profile at path, of whichever format it is: perf.data, the
// text of perf script, callgrind's, folded stacks or pprof, gzip compressed or
// not. A folder's callgrind files (those whose names hold "callgrind") are one
// profile. A pipe (/dev/stdin) will do. An error says what the file is, and what
// can be read.
//
// It returns soon after ctx ends, even while a pipe waits for its writer.
func Open(ctx context.Context, path string, o Options) (*profiles.Set, error) {
	type answer struct {
		set *profiles.Set
		err error
	}
	done := make(chan answer, 1)
	go func() {
		set, err := read(ctx, path, o)
		done <- answer{set, err}
	}()
	select {
	case a := <-done:
		return a.set, a.err
	case <-ctx.Done():
	}
	select {
	case a := <-done:
		return a.set, a.err
	case <-time.After(clearing):
		return nil, fmt.Errorf("%s: %w", path, context.Cause(ctx))
	}
}

// clearing is how long a reader whose context has ended may take to end its
// programs and remove its files.
const clearing = 2 * time.Second

func read(ctx context.Context, path string, o Options) (*profiles.Set, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return folder(path)
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(interruptible{ctx, f}, headSize)
	kind, err := kindOf(r)
	packed := kind == gzipped
	if packed {
		var z *gzip.Reader
		if z, err = gzip.NewReader(r); err == nil {
			limit := &bounded{r: z, left: maxUnpacked, most: maxUnpacked}
			r = bufio.NewReaderSize(limit, headSize)
			if kind, err = kindOf(r); kind == callgrindF {
				limit.lower(maxCallgrind)
			}
		}
	}
	if err == nil && packed && kind == gzipped {
		err = errors.New("is gzip within gzip: unpack it")
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var set *profiles.Set
	switch kind {
	case perfData:
		if !packed && info.Mode().IsRegular() {
			return perfdata.Read(ctx, path, o.PerfData) // its errors name the file
		}
		set, err = copied(ctx, r, o)
	case perfScript:
		set, err = perfscript.Parse(r, o.Script)
	case callgrindF:
		set, err = callgrind.Read(r)
	case foldedF:
		set, err = o.Folded.Read(r)
	case pprofF:
		set, err = pprof.Read(r)
	}
	if err != nil {
		return nil, fmt.Errorf("%s, read as %s: %w", path, kind, err)
	}
	return set, nil
}

// kindOf looks at the beginning and takes nothing away.
func kindOf(r *bufio.Reader) (format, error) {
	head, err := r.Peek(headSize)
	if err != nil && !errors.Is(err, io.EOF) && len(head) == 0 {
		return "", err
	}
	kind, hint := tell(head)
	if kind == "" {
		return "", fmt.Errorf("%s; %s", hint, readable)
	}
	return kind, nil
}

// copied reads a perf.data that is compressed, or comes through a pipe: perf
// wants a file.
func copied(ctx context.Context, r io.Reader, o Options) (*profiles.Set, error) {
	f, err := os.CreateTemp("", "opcost-perf-data-")
	if err != nil {
		return nil, err
	}
	defer os.Remove(f.Name())
	_, err = io.Copy(f, &bounded{r: r, left: maxCopied, most: maxCopied})
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	if err != nil {
		return nil, fmt.Errorf("copy it to %s, for perf: %w", f.Name(), err)
	}
	return perfdata.Read(ctx, f.Name(), o.PerfData)
}

// folder reads the callgrind files of a folder as one profile. Callgrind keeps
// the name of its last dump free by an empty file.
func folder(path string) (*profiles.Set, error) {
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var dumps, other []string
	for _, e := range entries {
		info, err := e.Info()
		switch {
		case err != nil || !info.Mode().IsRegular() || info.Size() == 0:
		case !strings.Contains(e.Name(), "callgrind") || strings.HasSuffix(e.Name(), ".log"):
			other = append(other, e.Name())
		default:
			dumps = append(dumps, filepath.Join(path, e.Name()))
		}
	}
	if dumps == nil {
		hint := "it is empty"
		if other != nil {
			hint = "name one of its files: " + strings.Join(other[:min(len(other), 5)], ", ")
		}
		return nil, fmt.Errorf("%s is a folder without a callgrind file (callgrind.out.PID); %s; %s", path, hint, readable)
	}
	return callgrind.ReadFiles(dumps...)
}

// interruptible fails once its context has ended.
type interruptible struct {
	ctx context.Context
	r   io.Reader
}

func (i interruptible) Read(p []byte) (int, error) {
	if i.ctx.Err() != nil {
		return 0, context.Cause(i.ctx)
	}
	return i.r.Read(p)
}

// bounded fails where more is read.
type bounded struct {
	r          io.Reader
	left, most int64
}

// lower takes the bound down, of what was read already too.
func (b *bounded) lower(most int64) {
	b.left -= b.most - most
	b.most = most
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, fmt.Errorf("it has over %d GiB, unpacked; if that is right, put it, unpacked, into a file and name that", b.most>>30)
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}
