package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
)

func fasterFrom(c compare.Crossover) string {
	switch c.Kind {
	case compare.CrossoverAlways, compare.CrossoverFrom:
		return strconv.Itoa(c.From)
	}
	return string(c.Kind)
}

// oddText says an odd point with what it cost there.
func oddText(l compare.SweepLine, i int) string {
	p, before, after := l.Points[i], l.Points[i-1], l.Points[i+1]
	text := fmt.Sprintf("%s, %s at %s: %s, %s beyond its neighbours (%s at %d, %s at %d)", l.Workload, l.Version, compare.ClientsText(p.Clients),
		twoDecimals(p.Ratio), change(p.Odd), twoDecimals(before.Ratio), before.Clients, twoDecimals(after.Ratio), after.Clients)
	if costs := besideText(p.Beside); costs != "" {
		return text + "; " + costs
	}
	return text + "; no CPU/query or context switches/query are known there"
}

// besideText lists the costs at one place with those of the base.
func besideText(bs []compare.Beside) string {
	var texts []string
	for _, b := range bs {
		text := metricLabel(b.Metric) + " "
		switch {
		case b.Base != nil && b.Value != nil:
			text += fmt.Sprintf("%s → %s", number(*b.Base), number(*b.Value))
		case b.Value != nil:
			text += number(*b.Value)
		}
		if b.Ratio != nil {
			text += " (" + change(*b.Ratio-1) + ")"
		}
		texts = append(texts, text)
	}
	return strings.Join(texts, ", ")
}

func sweepLines(s compare.Sweep) [][]string {
	lines := [][]string{{"host", "group", "workload", "stat", "driver", "protocol", "version", "base", "metric", "clients", "ratio", "ratio_low", "ratio_high",
		"odd", "cpu_us_per_query", "context_switches_per_query", "cpu/o", "cs/o", "crossover", "faster_from"}}
	for _, l := range s.Lines {
		from := ""
		if l.Crossover.From > 0 {
			from = strconv.Itoa(l.Crossover.From)
		}
		for _, p := range l.Points {
			line := []string{guard(l.Host), guard(l.Group), guard(l.Workload), l.Stat, guard(l.Driver), guard(l.Protocol), guard(l.Version), guard(s.Base), guard(s.Metric),
				strconv.Itoa(p.Clients), digits(&p.Ratio), digits(p.Low), digits(p.High), oddDigits(p.Odd)}
			for _, name := range []string{"cpu_us_per_query", "context_switches_per_query", "cpu/o", "cs/o"} {
				i := slices.IndexFunc(p.Beside, func(b compare.Beside) bool { return b.Metric == name })
				if i < 0 {
					line = append(line, "")
				} else {
					line = append(line, digits(p.Beside[i].Value))
				}
			}
			lines = append(lines, append(line, string(l.Crossover.Kind), from))
		}
	}
	return lines
}

func oddDigits(odd float64) string {
	if odd == 0 {
		return ""
	}
	return digits(&odd)
}
