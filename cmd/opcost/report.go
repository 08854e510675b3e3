package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"golang.org/x/term"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

// showing are the flags of every command that prints a table. The variable
// formats says which a command has, so that another is refused before anything is
// measured.
type showing struct {
	Format string `help:"How to print: ${enum}." default:"table" enum:"${formats}"`
	Width  int    `help:"Columns of the table. Default: the terminal's, or 80." placeholder:"N"`
}

// comparing are the flags of the commands that compare.
type comparing struct {
	showing `embed:""`
	Noise   string `help:"File of stored noise floors (see run --noise-floor), or none. Default: opcost/noise.json in $$XDG_STATE_HOME or ~/.local/state." placeholder:"FILE"`
}

type reportCmd struct {
	Dirs      []string `arg:"" name:"dir" help:"Folders of results."`
	Base      string   `help:"The version that ratios are taken to, or previous: each to the version before. Default: the plan's base." placeholder:"NAME"`
	Flames    bool     `help:"With --format html and --out: write the flame graphs of the runs' profiles beside the page, and link them."`
	views     `embed:""`
	writing   `embed:""`
	comparing `embed:"" set:"formats=table, markdown, csv, tsv, json, benchfmt, html"`
}

func (reportCmd) Help() string {
	return `Records that are damaged, changed after they were written, or of a newer opcost are
named on stderr and left out.

The noise floor that was stored for the machine the results are of is used for their
intervals, where it is more than what the results themselves show.

--format benchfmt prints Go benchmarks, a line for each server start; html makes one
page with charts, to look at offline.

Examples:
  opcost report opcost-results-two-versions
  opcost report night-16 night-17 --base 8.0.28 --format csv > n.csv
  opcost report night-17 --relative --format markdown
  opcost report releases --series --metric instructions_per_query
  opcost report clients-1-to-40 --sweep --base 5.6.51
  opcost report night-17 --format benchfmt | benchstat -col version -
  opcost report night-17 --format html --out night-17/index.html`
}

// Run prints the tables of results on disk.
func (c *reportCmd) Run(ctx context.Context, con console) error {
	format, err := c.parseAny(con, c.writing)
	if err == nil {
		err = c.check(format)
	}
	if err != nil {
		return err
	}
	var whole func(result.Run) result.Run
	var runs []result.Run
	var warnings []result.Warning
	if wanted := c.wanted(format); wanted != nil || format == report.HTML {
		runs, warnings, err = readOnly(con, c.Dirs, wanted)
	} else {
		runs, whole, warnings, err = readPacked(con, c.Dirs)
	}
	if err != nil {
		return err
	}
	if err := has(runs, c.Base); err != nil && c.Base != previous {
		return usageError{err}
	}
	c.views = c.named(runs)
	if format == report.HTML {
		return c.page(ctx, con, runs, warnings)
	}
	print := func(con console) error {
		if c.any() && format != report.Bench {
			return c.views.write(con, format, c.Base, runs, warnings, c.comparing)
		}
		return c.show(con, format, c.Base, nil, runs, whole, warnings)
	}
	if c.Out == "" {
		return print(con)
	}
	return c.writing.write(con, func(w io.Writer) error { return print(console{w, con.err}) })
}

// has finds a base that was asked for among the versions. One that a plan names
// may lack runs, because they failed; that costs no more than the ratios.
func has(runs []result.Run, base string) error {
	var names []string
	for _, r := range runs {
		if base == "" || r.Version == base {
			return nil
		}
		if !slices.Contains(names, r.Version) {
			names = append(names, r.Version)
		}
	}
	return fmt.Errorf("--base: no run is of version %q; there are: %s", base, strings.Join(names, ", "))
}

// parse is for commands that have no page.
func (s showing) parse() (report.Format, error) {
	f, err := report.ParseFormat(s.Format)
	if err != nil {
		return f, usageError{err}
	}
	return f, nil
}

// print reads results and prints their comparison.
func (s comparing) print(con console, f report.Format, base string, order, dirs []string) error {
	runs, warnings, err := read(con, dirs)
	if err != nil {
		return err
	}
	if f == report.HTML {
		p := paged{comparing: s, dirs: dirs, base: base, order: order}
		return p.write(con, writing{Out: "-"}, runs, warnings)
	}
	return s.show(con, f, base, order, runs, nil, warnings)
}

// read gives the runs in folders, at least one.
func read(con console, dirs []string) ([]result.Run, []result.Warning, error) {
	return readOnly(con, dirs, nil)
}

// readOnly is read without the readings that no one will look at.
func readOnly(con console, dirs []string, wanted func(reading string) bool) ([]result.Run, []result.Warning, error) {
	runs, warnings, err := result.ReadOnly(wanted, dirs...)
	return runs, warnings, usable(con, runs, warnings, err)
}

// readPacked is read for a report of everything, of which memory does not hold
// all at once: whole gives a run its readings.
func readPacked(con console, dirs []string) (runs []result.Run, whole func(result.Run) result.Run, warnings []result.Warning, err error) {
	runs, packed, warnings, err := result.ReadPacked(dirs...)
	return runs, packed.Whole, warnings, usable(con, runs, warnings, err)
}

// usable is the error of a reading that gave no run, and says what it warned of.
func usable(con console, runs []result.Run, warnings []result.Warning, err error) error {
	if err != nil {
		return usageError{err}
	}
	for _, w := range warnings {
		fmt.Fprintln(con.err, "warning:", w.Text)
	}
	switch damaged := slices.DeleteFunc(slices.Clone(warnings), func(w result.Warning) bool { return w.Code == result.CodeUnfinished }); {
	case len(runs) > 0:
	case len(damaged) > 0:
		return fmt.Errorf("none of the records can be used (%d are damaged or not for this opcost, see above), so there is no table", len(damaged))
	default:
		return errors.New("no run has been measured yet, so there is no table")
	}
	return nil
}

// show prints the comparison of runs. Whole gives those their readings that come
// without; nil: they have them.
func (s comparing) show(con console, f report.Format, base string, order []string, runs []result.Run, whole func(result.Run) result.Run, warnings []result.Warning) error {
	o := compare.Options{Base: base, Order: order, NoiseFloor: s.floor(con, runs), Whole: whole}
	if f == report.Bench {
		return report.WriteBench(con.out, compare.Starts(runs, o))
	}
	o.Consume = true
	if f == report.Table || f == report.Markdown {
		o.Only = report.TableMetrics()
	}
	if base == previous && has(runs, base) != nil {
		o.Base, o.Previous, o.ByNumber = "", true, true
	}
	if f != report.Table && f != report.Markdown {
		return report.WriteRows(con.out, f, compare.Open(runs, o), warnings)
	}
	r := compare.Build(runs, o)
	r.Warnings = append(r.Warnings, warnings...)
	return report.Write(con.out, f, r, s.layout(con))
}

func (s showing) layout(con console) report.Layout {
	l := report.Layout{Width: s.Width}
	if f, ok := con.out.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		l.Color = os.Getenv("NO_COLOR") == ""
		if w, _, err := term.GetSize(int(f.Fd())); err == nil && l.Width == 0 {
			l.Width = w
		}
	}
	return l
}
