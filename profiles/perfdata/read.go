// Package perfdata reads perf.data files through perf itself: what `perf
// script` prints, as a stream, and what `perf report --stats`, `--header-only`
// and `perf buildid-list` say of the file.
//
// It must not record, nor read the file's records itself: their layout is perf's own.
package perfdata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"opcost/profiles"
	"opcost/profiles/perfscript"
)

// Options say how a file is read. The zero value is right for a file that was
// recorded on this machine.
type Options struct {
	Perf string // the perf program; "": perf on PATH
	// SymFS is the root that objects' paths are under: that of a container, or
	// of a server's own tree. The kernel's names are this machine's even then,
	// if the file was recorded on this kernel. "": this machine's root.
	SymFS   string
	Inline  bool // inlined functions as frames of their own: perf then takes a hundred times as long
	Threads perfscript.Threads
}

// Read reads a perf.data file: a profile an event that has samples.
//
// What perf says of the file, and samples that it could not read, are in the
// warnings. The error says what perf said, and what to do.
func Read(ctx context.Context, path string, o Options) (*profiles.Set, error) {
	if o.Perf == "" {
		o.Perf = "perf"
	}
	if err := check(path); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	tool, err := exec.LookPath(o.Perf)
	if err != nil {
		return nil, fmt.Errorf("%s: reading it needs perf: %w; install linux-perf (Debian), linux-tools (Ubuntu) or perf (Fedora), or give the output of `perf script` from where it is", path, err)
	}
	o.Perf = tool
	about := ask(ctx, path, o)
	set, err := script(ctx, path, o, about)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	about.fill(set)
	return set, nil
}

// check names what perf would only call incompatible.
func check(path string) error {
	f, err := os.Open(path)
	if err != nil {
		return errors.Unwrap(err)
	}
	defer f.Close()
	st, err := f.Stat()
	switch {
	case err != nil:
		return err
	case st.IsDir():
		return nil // perf record --dir
	case st.Size() == 0 && st.Mode().IsRegular():
		return errors.New("the file is empty: perf record was ended before it wrote anything, or could not attach")
	case !st.Mode().IsRegular():
		return errors.New("this is no regular file; perf must be able to read it twice")
	}
	magic := make([]byte, 8)
	if _, err := io.ReadFull(f, magic); err != nil {
		return fmt.Errorf("of %d bytes, this is no perf.data file", st.Size())
	}
	switch m := string(magic); {
	case m == "PERFILE2", m == "2ELIFREP": // the other byte order; perf swaps it
		return nil
	case m == "PERFFILE":
		return errors.New("a perf.data file in the format of before Linux 3.0 (PERFFILE), which perf no longer reads fully; record anew")
	case strings.HasPrefix(m, "\x1f\x8b"):
		return errors.New("this is compressed (gzip): unpack it first")
	case strings.HasPrefix(m, "\x28\xb5\x2f\xfd"):
		return errors.New("this is compressed (zstd): unpack it first")
	}
	return fmt.Errorf("this is no perf.data file: it begins with %q, not PERFILE2", magic)
}
