// Package importer makes runs of others' results: Small Datum's tables, outputs
// of sysbench, mysqlslap, vmstat, iostat and perf stat. What a file does not say
// is absent from the run, and what must be there (version, clients, workload) is
// asked for. It measures nothing, starts nothing and compares nothing.
//
// Everything imported has the source import, so it is never set beside what was
// measured here. A rate that is printed without its count is a gauge named like
// the metric (qps, cpu/o, ...), since it cannot be divided again.
package importer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// Options say what files do not.
type Options struct {
	// Versions name the servers: one name for all, a name for each column of a
	// table without heading, or RAW=NAME for a server that a file calls RAW.
	Versions []string
	// Clients are the number of clients where no file and no name tells it; for
	// lines with a number by client count, one each.
	Clients  []int
	Host     string // "": from headings, else the folder's name
	Workload string // where no file and no name tells it
}

// Codes of warnings.
const (
	// CodeFailed is a file of a known kind that could not be imported.
	CodeFailed = "import_failed"
	// CodeSkipped is a file that is left out, as it is of no known kind.
	CodeSkipped = "import_skipped"
)

// Import reads files, folders, and folders of folders (a sweep), all as one
// import: a server has one name in it, and the versions one order. Runs are in
// the order in which they are to be shown. A folder's file that cannot be used is a warning (CodeFailed,
// CodeSkipped); that nothing could be used is an error.
func Import(ctx context.Context, paths []string, o Options) (Imported, []result.Warning, error) {
	var (
		all     batch
		sources []source
	)
	all.options = o
	for _, path := range paths {
		found, ws, err := find(path)
		if err != nil {
			return Imported{}, nil, err
		}
		sources, all.warnings = append(sources, found...), append(all.warnings, ws...)
	}
	for i := range sources {
		if err := ctx.Err(); err != nil {
			return Imported{}, nil, err
		}
		all.read(&sources[i])
	}
	runs := all.runs()
	if len(runs.Runs) == 0 {
		return Imported{}, all.warnings, nothing(paths, all.warnings)
	}
	return runs, all.warnings, nil
}

// nothing is why no run came out.
func nothing(paths []string, ws []result.Warning) error {
	path := strings.Join(paths, ", ")
	var failed []string
	for _, w := range ws {
		if w.Code == CodeFailed || w.Code == CodeSkipped {
			failed = append(failed, w.Text)
		}
	}
	switch len(failed) {
	case 0:
		return fmt.Errorf("%s: nothing to import in it", path)
	case 1:
		return errors.New(failed[0])
	}
	slices.SortStableFunc(failed, func(a, b string) int { return strings.Compare(a, b) })
	return fmt.Errorf("nothing could be imported of %s: %s (and %d more files)", path, failed[0], len(failed)-1)
}
