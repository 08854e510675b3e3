package report

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/tw"

	"opcost/perfctl/compare"
	"opcost/perfctl/noise"
)

// WriteNoise lays out what server starts differ by, in the formats of [Write].
func WriteNoise(w io.Writer, f Format, entries []noise.Entry) error {
	w = forJSON(w, f)
	switch f {
	case Table:
		return writeNoiseTable(w, entries)
	case Markdown:
		return writeNoiseMarkdown(w, entries)
	case CSV:
		return writeNoiseLong(w, entries, ',')
	case TSV:
		return writeNoiseLong(w, entries, '\t')
	case JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		e.SetEscapeHTML(false)
		return e.Encode(struct {
			Schema  int           `json:"schema"`
			Entries []noise.Entry `json:"entries"`
		}{noise.Schema, entries})
	}
	_, err := ParseFormat(string(f))
	return err
}

var noiseHeader = []string{"metric", "workloads", "SD", "df", "counted by"}

// noiseLine is an entry of a metric that the tables show; others are in csv,
// tsv and json.
func noiseLine(e noise.Entry) ([]string, bool) {
	for _, l := range lines {
		if l.metric != e.Metric || l.part != "" {
			continue
		}
		by := string(e.Source)
		if e.Scope != "" {
			by += ", " + string(e.Scope)
		}
		label := labelOf(e.Metric)
		return []string{label, fmt.Sprintf("%s, %s", plain(e.Group), compare.ClientsText(e.Clients)), fmt.Sprintf("%.2g%%", 100*e.SD), fmt.Sprintf("%g", e.DF), by}, true
	}
	return nil, false
}

func writeNoiseTable(w io.Writer, entries []noise.Entry) error {
	var out strings.Builder
	aligns := []tw.Align{tw.AlignLeft, tw.AlignLeft, tw.AlignRight, tw.AlignRight, tw.AlignLeft}
	t := tablewriter.NewTable(&out, tableOptions(aligns)...)
	t.Header(apart(noiseHeader))
	for _, e := range entries {
		if line, ok := noiseLine(e); ok {
			if err := t.Append(apart(line)); err != nil {
				return err
			}
		}
	}
	if err := t.Render(); err != nil {
		return err
	}
	if len(entries) > 0 {
		fmt.Fprintf(w, "Noise between server starts on %s\n", plain(entries[0].Machine.String()))
	}
	for l := range strings.Lines(out.String()) {
		fmt.Fprintln(w, strings.TrimRight(l, " \n"))
	}
	_, err := fmt.Fprintln(w, "\nSD: standard deviation of the logarithm of a start's value; df: its degrees of freedom")
	return err
}

// apart puts the gap in front of all cells but the first.
func apart(cells []string) []string {
	out := []string{cells[0]}
	for _, c := range cells[1:] {
		out = append(out, spaced(c))
	}
	return out
}

func writeNoiseMarkdown(w io.Writer, entries []noise.Entry) error {
	var b strings.Builder
	if len(entries) > 0 {
		fmt.Fprintf(&b, "### Noise between server starts on %s\n\n", escape(plain(entries[0].Machine.String())))
	}
	fmt.Fprintf(&b, "| %s |\n| --- | --- | ---: | ---: | --- |\n", strings.Join(noiseHeader, " | "))
	for _, e := range entries {
		if line, ok := noiseLine(e); ok {
			for i := range line {
				line[i] = escape(line[i])
			}
			fmt.Fprintf(&b, "| %s |\n", strings.Join(line, " | "))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func writeNoiseLong(w io.Writer, entries []noise.Entry, separator rune) error {
	c := csv.NewWriter(w)
	c.Comma = separator
	all := [][]string{{"host", "cpu_model", "cpus", "kernel", "group", "clients", "metric", "source", "scope", "sd", "df", "cells", "measured", "plan_hash"}}
	for _, e := range entries {
		all = append(all, []string{
			guard(e.Machine.Host), guard(e.Machine.CPUModel), strconv.Itoa(e.Machine.CPUs), guard(e.Machine.Kernel),
			guard(e.Group), strconv.Itoa(e.Clients), guard(e.Metric), string(e.Source), string(e.Scope),
			digits(&e.SD), digits(&e.DF), strconv.Itoa(e.Cells), e.Measured.Format(time.RFC3339), e.PlanHash,
		})
	}
	return c.WriteAll(all)
}
