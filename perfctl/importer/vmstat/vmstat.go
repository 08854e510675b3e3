// Package vmstat reads what vmstat of procps prints at intervals, any version:
// columns are found by their names. It knows nothing of records on disk.
package vmstat

import (
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"opcost/perfctl/importer/internal/lines"
	"opcost/perfctl/result"
)

// Output is what one output of vmstat says.
type Output struct {
	Columns []string // as in the heading: r b swpd free ... us sy id wa st
	Rows    []Row
}

// Row is one line of numbers.
type Row struct {
	Values map[string]float64 // by column
	Time   string             // of -t, else ""
	// SinceBoot: the first line, whose rates and percentages are means since the
	// machine was booted, and which says nothing of the interval. (-y leaves it
	// out; then the first interval is taken for it, as nothing tells the two
	// apart.)
	SinceBoot bool
}

const maxRows = 1_000_000 // 11 days at a line a second

// Parse reads vmstat's intervals. The heading repeats, and is no row. Another
// output of vmstat (-d, -s, -m, -p) is an error that says so.
func Parse(r io.Reader) (Output, []result.Warning, error) {
	var (
		o      Output
		w      lines.Warnings
		prefix int // words in front of each line, as of a program that prints such lines
	)
	err := lines.Each(r, func(n int, line string) error {
		f := strings.Fields(line)
		switch {
		case len(f) == 0, strings.HasPrefix(f[0], "procs"), strings.HasPrefix(f[0], "--procs"):
			return nil
		case strings.HasPrefix(f[0], "disk-"), strings.HasPrefix(f[0], "Cache"):
			return errors.New("this is the output of vmstat -d or -m, which are not read; record `vmstat 1`")
		}
		if at := heading(f); at >= 0 {
			columns := names(f[at:])
			if o.Columns != nil && !slices.Equal(columns, o.Columns) {
				return fmt.Errorf("the columns change from %v to %v: these are two outputs, split them", o.Columns, columns)
			}
			o.Columns, prefix = columns, at
			return nil
		}
		if o.Columns == nil {
			return nil // what a script printed in front
		}
		row, ok := o.row(f, prefix)
		if !ok {
			w.Add("import_line", "line %d is no row of vmstat: %s", n, lines.Short(line))
			return nil
		}
		if sum, ok := row.cpu(); ok && math.Abs(sum-100) > 5 {
			w.Add("import_sample", "line %d is left out, since its CPU percentages add up to %.0f", n, sum)
			return nil
		}
		if len(o.Rows) >= maxRows {
			return fmt.Errorf("more than %d rows", maxRows)
		}
		row.SinceBoot = len(o.Rows) == 0 && prefix == 0
		o.Rows = append(o.Rows, row)
		return nil
	})
	switch {
	case err != nil:
		return Output{}, nil, err
	case o.Columns == nil:
		return Output{}, nil, errors.New("no heading of vmstat (r b swpd free ...)")
	case len(o.Rows) == 0:
		return Output{}, nil, errors.New("a heading of vmstat, and no row below it")
	}
	return o, w.All(), nil
}

// heading finds where vmstat's second line of headings begins; -1: it is none.
func heading(f []string) int {
	for i := 0; i+2 < len(f) && i < 8; i++ {
		if f[i] == "r" && f[i+1] == "b" && f[i+2] == "swpd" {
			return i
		}
	}
	return -1
}

// names are the columns without -t's, which is named by the time zone.
func names(f []string) []string {
	last := f[len(f)-1]
	if last == strings.ToUpper(last) && !slices.Contains(cpuColumns, last) {
		f = f[:len(f)-1]
	}
	return slices.Clone(f)
}

func (o Output) row(f []string, prefix int) (Row, bool) {
	if len(f) < prefix+len(o.Columns) {
		return Row{}, false
	}
	f = f[prefix:]
	vs, ok := lines.Numbers(f[:len(o.Columns)])
	if !ok || len(f) > len(o.Columns)+2 {
		return Row{}, false
	}
	row := Row{Values: make(map[string]float64, len(vs)), Time: strings.Join(f[len(o.Columns):], " ")}
	for i, v := range vs {
		if v < 0 {
			return Row{}, false
		}
		row.Values[o.Columns[i]] = v
	}
	return row, true
}

// cpuColumns are shares of all CPUs; gu (guests) is counted in us as well in
// some versions, and apart in others.
var cpuColumns = []string{"us", "sy", "id", "wa", "st"}

func (r Row) cpu() (sum float64, ok bool) {
	for _, c := range cpuColumns {
		if v, has := r.Values[c]; has {
			sum, ok = sum+v, true
		}
	}
	return sum + r.Values["gu"], ok
}

// Means gives the mean of each column over the intervals, and how many they
// are. The row since boot is no interval.
func (o Output) Means() (means map[string]float64, n int) {
	means = map[string]float64{}
	for _, r := range o.Rows {
		if r.SinceBoot {
			continue
		}
		n++
		for c, v := range r.Values {
			means[c] += v
		}
	}
	for c := range means {
		means[c] /= float64(n)
	}
	return means, n
}
