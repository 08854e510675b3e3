package main

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

// views are the other ways to look at results.
type views struct {
	Relative bool   `help:"Ratios by groups of workloads, in the layout that Small Datum publishes." xor:"view"`
	Sweep    bool   `help:"Ratios by the number of clients: from which on a version stays faster, and odd steps." xor:"view"`
	Series   bool   `help:"Releases in order: ratios to the base and to the release before, and where the metric changed." xor:"view"`
	Costs    string `help:"Costs per operation: host (cpu/o, cs/o, ... of the whole machine) or query (of the server)." placeholder:"UNITS" words:"host,query" xor:"view"`
	Metric   string `help:"The metric of --relative, --sweep and --series, by its name in JSON: qps, response_us, instructions_per_query, ... Default: qps, or qps_relative where published ratios are all there is." placeholder:"NAME"`
}

// previous is what --base names to compare each version with the one before it.
const previous = "previous"

func (v views) any() bool { return v.Relative || v.Sweep || v.Series || v.Costs != "" }

const (
	defaultMetric = "qps"
	onlyPublished = "qps_relative"
)

// named is the view with the metric it shows, where none was asked for.
func (v views) named(runs []result.Run) views {
	if v.Metric != "" {
		return v
	}
	v.Metric = defaultMetric
	published := false
	for _, r := range runs {
		for _, p := range r.Passes {
			for _, w := range p.Windows {
				if w.Ops.N() > 0 {
					return v
				}
				for _, x := range w.Readings {
					if x.Name == defaultMetric {
						return v
					}
					published = published || x.Name == onlyPublished
				}
			}
		}
	}
	if published {
		v.Metric = onlyPublished
	}
	return v
}

// metrics are those that a view, or the table of a format, shows; nil: all.
func (v views) metrics(f report.Format) []string {
	switch {
	case f == report.Bench:
		return nil
	case v.Relative:
		return compare.RelativeMetrics(v.Metric)
	case v.Sweep:
		return compare.SweepMetrics(v.Metric)
	case v.Series:
		return compare.SeriesMetrics(v.Metric)
	case v.Costs != "":
		if costs, err := report.ParseCosts(v.Costs); err == nil {
			return costs.Metrics()
		}
	case f == report.Table, f == report.Markdown:
		return report.TableMetrics()
	}
	return nil
}

// wanted are the readings that have to be read for that; nil: all.
func (v views) wanted(f report.Format) func(reading string) bool {
	asked := v.Metric
	v.Metric = cmp.Or(asked, defaultMetric)
	only := v.metrics(f)
	if only == nil {
		return nil
	}
	if asked == "" {
		only = append(slices.Clone(only), onlyPublished)
	}
	return compare.WantedReadings(only)
}

// write prints one view of the runs.
func (v views) write(con console, f report.Format, base string, runs []result.Run, warnings []result.Warning, s comparing) error {
	o := compare.Options{Base: base, ByNumber: true, NoiseFloor: s.floor(con, runs), Metric: v.Metric, Only: v.metrics(f), Consume: true}
	if base == previous {
		o.Base, o.Previous = "", true
	}
	l := s.layout(con)
	switch {
	case v.Sweep:
		if o.Previous {
			return usageError{errors.New("--sweep: a crossover is against one base: name it with --base")}
		}
		r := compare.Build(runs, o)
		r.Warnings = append(r.Warnings, warnings...)
		sweep, err := compare.SweepOf(r, v.Metric)
		if err != nil {
			return usageError{err}
		}
		if err := mustHave(r, v.Metric); err != nil {
			return err
		}
		return report.WriteSweep(con.out, f, sweep, l)
	case v.Series:
		toBase, toPrevious := compare.BuildBoth(runs, o)
		toBase.Warnings = append(toBase.Warnings, warnings...)
		if err := mustHave(toBase, v.Metric); err != nil {
			return err
		}
		return report.WriteSeries(con.out, f, compare.SeriesOf(toBase, toPrevious, v.Metric), l)
	case v.Costs != "":
		costs, err := report.ParseCosts(v.Costs)
		if err != nil {
			return usageError{err}
		}
		o.Metric = ""
		r := compare.Build(runs, o)
		r.Warnings = append(r.Warnings, warnings...)
		if err := mustHave(r, costs.Metrics()...); err != nil {
			return err
		}
		return report.WriteCosts(con.out, f, r, costs, l)
	}
	r := compare.Build(runs, o)
	r.Warnings = append(r.Warnings, warnings...)
	if err := mustHave(r, o.Only...); err != nil {
		return err
	}
	return report.WriteRelative(con.out, f, compare.RelativeOf(r, v.Metric), l)
}

// mustHave refuses metrics of which no run has a value: a table of dashes says
// less than why.
func mustHave(r compare.Report, metrics ...string) error {
	has, why := "", ""
	for _, row := range r.Rows {
		for _, name := range metrics {
			m, ok := row.Metrics[name]
			if m.Value != nil {
				return nil
			}
			if ok {
				has, why = "a value of ", cmp.Or(why, m.Reason)
			}
		}
	}
	if why != "" {
		why = " (" + why + ")"
	}
	return usageError{errors.New("no run has " + has + strings.Join(metrics, " or ") + why + "; `opcost report DIR --format csv` lists what there is, and --metric chooses")}
}
