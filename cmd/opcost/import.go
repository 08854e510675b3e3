package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/importer"
	"opcost/perfctl/result"
)

type importCmd struct {
	Paths    []string `arg:"" name:"path" help:"Files, folders, or folders of folders (a sweep)."`
	Out      string   `help:"Folder for the results: new, empty, or one of results to add to." required:"" placeholder:"DIR"`
	Version  []string `help:"Name of the server's version where neither file nor name tells it; RAW=NAME renames a server that a file calls RAW; one a column for a table without heading." placeholder:"NAME" sep:","`
	Clients  []int    `help:"Number of clients where neither file nor name tells it; several for tables with a number by client count." placeholder:"N" sep:","`
	Host     string   `help:"Name of the machine. Default: from headings, else the folder's name without _dopN." placeholder:"NAME"`
	Workload string   `help:"Workload where neither file nor name tells it, as random-points_range=1000." placeholder:"ID"`
}

func (importCmd) Help() string {
	return `Reads Small Datum's tables (qps.abs.*, qps.rel.*, o.met*, sb.met.*), outputs of sysbench
1.0 and 1.1, mysqlslap, perf stat (text, -x, -j), vmstat and iostat, also gzipped, and the
ratios of QPS that report --relative --format tsv prints. Version,
clients, host and workload come from headings and names: x.my8028_... is 8.0.28, a folder
night_dop4 (or night/dop4) is of 4 clients on night. What a file does not say is absent
from the result. Files of one folder that are of the same cell become one run.

Single imported runs get ratios and no verdict. Published ratios (qps.rel) are checked
against the numbers beside them; alone, they are kept as qps_relative, since QPS cannot be made of them.
Links within a folder are not followed. Passwords in command lines are taken out of the copies kept.

Exit status 1: something of a known kind could not be imported, or was of a run that had
failed; the rest is imported.

Examples:
  opcost import mar25.sb.in.c48_dop* --out march
  opcost import sweep --out sweep-results --host c48
  opcost import sb.txt --version 8.0.44 --workload scan --out night
  opcost import qps.csv --version 5.6.51,8.0.28 --clients 1 --out csv
  opcost report march`
}

// Run imports and says what came of it.
func (c *importCmd) Run(ctx context.Context, con console) error {
	private()
	if slices.ContainsFunc(c.Clients, func(n int) bool { return n < 1 || n > 1_000_000 }) {
		return usageError{fmt.Errorf("--clients %v: give 1 or more", c.Clients)}
	}
	im, warnings, err := importer.Import(ctx, c.Paths, importer.Options{Versions: c.Version, Clients: c.Clients, Host: c.Host, Workload: c.Workload})
	failed := printImport(con, warnings, err)
	if err != nil {
		if ctx.Err() != nil {
			return err
		}
		return usageError{err}
	}
	folder, err := result.Create(c.Out)
	if err != nil {
		return usageError{err}
	}
	err = errors.Join(im.Write(folder), folder.Close())
	if err != nil {
		return usageError{err}
	}
	fmt.Fprintf(con.out, "%s: %s\n`opcost report %s` prints them.\n", c.Out, summed(im.Runs), c.Out)
	for _, r := range im.Runs {
		if p := r.Passes[0]; p.State == result.Failed {
			return fmt.Errorf("%s, %s with %d clients: the run that was imported had failed: %s", r.Version, r.Workload, r.Clients, p.Reason)
		}
	}
	if failed > 0 {
		return fmt.Errorf("%d of the files or names could not be used, see above", failed)
	}
	return nil
}

// printImport prints warnings, and counts those about what failed. What an
// error says already is not said twice.
func printImport(con console, warnings []result.Warning, err error) (failed int) {
	for _, w := range warnings {
		if w.Code == importer.CodeFailed {
			failed++
		}
		if err == nil || !strings.Contains(err.Error(), w.Text) {
			fmt.Fprintln(con.err, "warning:", w.Text)
		}
	}
	return failed
}

// summed says of runs: how many, and of what.
func summed(runs []result.Run) string {
	of := map[string]map[string]bool{"host": {}, "version": {}, "workload": {}, "number of clients": {}}
	for _, r := range runs {
		of["host"][r.Host] = true
		of["version"][r.Version] = true
		of["workload"][r.Workload] = true
		of["number of clients"][fmt.Sprint(r.Clients)] = true
	}
	plural := func(n int, one, many string) string {
		if n == 1 {
			return "1 " + one
		}
		return fmt.Sprintf("%d %s", n, many)
	}
	return fmt.Sprintf("%s (%s, %s, %s, %s)", plural(len(runs), "run", "runs"),
		plural(len(of["host"]), "host", "hosts"), plural(len(of["version"]), "version", "versions"),
		plural(len(of["workload"]), "workload", "workloads"), plural(len(of["number of clients"]), "number of clients", "numbers of clients"))
}
