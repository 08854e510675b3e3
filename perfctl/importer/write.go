package importer

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"opcost/perfctl/importer/sysbench"
	"opcost/perfctl/result"
)

// Imported are the runs of one import, with what they were read from.
type Imported struct {
	Runs     []result.Run
	evidence map[string][]evidence // by the run's id
}

// evidence is a file that will stand beside a run.
type evidence struct {
	name string
	text string // "" is the whole of from
	from *source
}

// evidence notes what a piece was read from, and gives the file's name.
func (b *batch) evidence(r *result.Run, p piece) string {
	name := strings.TrimLeft(notInNames.ReplaceAllString(p.from.name, "-"), ".-")
	name = name[:min(len(name), 120)]
	if p.line > 0 {
		name = fmt.Sprintf("%s.line%d", name, p.line)
	}
	if name == "" {
		name = "output"
	}
	if b.kept == nil {
		b.kept = map[*result.Run][]evidence{}
	}
	if !slices.ContainsFunc(b.kept[r], func(e evidence) bool { return e.name == name }) {
		b.kept[r] = append(b.kept[r], evidence{name, p.text, p.from})
	}
	return name
}

// Write puts the runs into a results folder, each with what it was read from,
// without passwords: all of them, or none. Runs that the folder has already are
// an error, before anything is written.
func (im Imported) Write(f *result.Folder) error {
	have, _, err := result.Read(f.Dir())
	if err != nil {
		return err
	}
	ids := map[string]bool{}
	for _, r := range have {
		ids[r.ID] = r.Complete()
	}
	for _, r := range im.Runs {
		if ids[r.ID] {
			return fmt.Errorf("%s has %s, %s with %d clients of %s already; give another --out, or another --version or --host if it is another measurement",
				f.Dir(), r.Version, r.Workload, r.Clients, r.Host)
		}
	}
	return im.writeAll(f)
}

// writers is how many runs are written at a time: each waits for the disk, and
// the disk can take several at once.
const writers = 16

func (im Imported) writeAll(f *result.Folder) error {
	next := make(chan result.Run)
	errs := make(chan error, writers)
	stop := make(chan struct{})
	var once sync.Once
	var begun sync.Map // by the runs' ids: what else is in the folder is not ours to remove
	for range writers {
		go func() {
			for r := range next {
				if err := im.write(f, r, &begun); err != nil {
					once.Do(func() { close(stop) })
					errs <- err
					return
				}
			}
			errs <- nil
		}()
	}
feed:
	for _, r := range im.Runs {
		select {
		case next <- r:
		case <-stop:
			break feed
		}
	}
	close(next)
	var all error
	for range writers {
		all = errors.Join(all, <-errs)
	}
	if all != nil { // what it was read from is there: the same import works once the cause is gone
		begun.Range(func(id, _ any) bool {
			all = errors.Join(all, f.Discard(id.(string)))
			return true
		})
	}
	return first(all)
}

// first is the first of errors that say the same of several runs.
func first(err error) error {
	var no *result.Unwritable
	if errors.As(err, &no) {
		return no
	}
	return err
}

func (im Imported) write(f *result.Folder, r result.Run, begun *sync.Map) error {
	dir, err := f.Begin(r.ID)
	if err != nil {
		return err
	}
	begun.Store(r.ID, nil)
	for _, e := range im.evidence[r.ID] {
		text := e.text
		if text == "" {
			b, err := e.from.text()
			if err != nil {
				return fmt.Errorf("%s cannot be read any more: %w", e.from.path, err)
			}
			text = string(b)
		}
		lines := strings.SplitAfter(text, "\n")
		for i, line := range lines {
			lines[i] = sysbench.WithoutSecrets(line)
		}
		if err := os.WriteFile(filepath.Join(dir, e.name), []byte(strings.Join(lines, "")), 0o600); err != nil {
			return fmt.Errorf("run %s: %w", r.ID, err)
		}
	}
	return f.Write(r)
}
