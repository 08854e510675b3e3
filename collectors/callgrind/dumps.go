package callgrind

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	format "opcost/profiles/callgrind"
)

// dump is one thread's file.
type dump struct {
	path         string
	thread       int // valgrind's number
	instructions uint64
}

// readDumps reads the files that "dump HINT" made callgrind write: one a
// thread that ever ran, named callgrind.out.PID.PART-THREAD.
func readDumps(dir string, pid int, hint string) ([]dump, error) {
	files, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	var dumps []dump
	for _, f := range files {
		// callgrind.out.PID itself only holds the name free, and is empty.
		if !strings.HasPrefix(f.Name(), fmt.Sprintf("%s%d.", dumpName, pid)) {
			continue
		}
		path := filepath.Join(dir, f.Name())
		p, err := format.ParseFile(path)
		if err != nil {
			return nil, err
		}
		for _, part := range p.Parts {
			if part.Trigger != "dump "+hint {
				continue
			}
			n, err := instructions(part)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
			dumps = append(dumps, dump{path: path, thread: part.Thread, instructions: n})
		}
	}
	if dumps == nil {
		return nil, fmt.Errorf("callgrind wrote no dump %q in %s", hint, dir)
	}
	return dumps, nil
}

// instructions is the part's total of the event Ir. The truth is the line
// "totals:" at the end, which a file cut short has not; "summary:" in the
// header is 0 or nonsense for a program that still runs.
func instructions(p format.Part) (uint64, error) {
	i := slices.Index(p.Events, "Ir")
	switch {
	case i < 0:
		return 0, fmt.Errorf("the events %q have no Ir (instructions)", p.Events)
	case p.Totals == nil:
		return 0, fmt.Errorf("part %d of thread %d has no line \"totals:\": the file is cut short (disk full?)", p.Number, p.Thread)
	}
	return p.Totals[i], nil
}

// keep moves the dumps that hold anything into the evidence folder, compressed
// (about a tenth of their size), and removes all of them from where callgrind
// wrote them. Without a folder they are only removed.
func keep(dumps []dump, folder, tag string) error {
	for _, d := range dumps {
		if folder != "" && d.instructions > 0 {
			name := fmt.Sprintf("%s-callgrind-thread-%02d.out.gz", tag, d.thread)
			if err := compress(d.path, filepath.Join(folder, name)); err != nil {
				return fmt.Errorf("keep callgrind's dump as evidence: %w", err)
			}
		}
		if err := os.Remove(d.path); err != nil {
			return err
		}
	}
	return nil
}

func compress(from, to string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
		if err != nil {
			_ = os.Remove(to) // half of it would be taken for all
		}
	}()
	z := gzip.NewWriter(out)
	if _, err := io.Copy(z, in); err != nil {
		return err
	}
	return z.Close()
}
