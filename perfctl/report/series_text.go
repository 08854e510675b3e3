package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
)

// stepText is "8.0.27 → 8.0.28: −5% [−6, −4], instructions/query +6%" without
// its releases.
func stepText(x compare.Step, several bool) string {
	text := change(x.R.Ratio - 1)
	if x.R.Low != nil && x.R.High != nil && !x.Single {
		text += fmt.Sprintf(" [%s, %s]", strings.TrimSuffix(change(*x.R.Low-1), "%"), strings.TrimSuffix(change(*x.R.High-1), "%"))
	} else {
		text += " (single runs)"
	}
	for _, e := range x.Evidence {
		if e.Ratio != nil {
			text += fmt.Sprintf(", %s %s", metricLabel(e.Metric), change(*e.Ratio-1))
		}
	}
	where := fmt.Sprintf("%s, %s", x.Workload, compare.ClientsText(x.Clients))
	if several {
		where += ", " + x.Host
	}
	if x.Odd {
		text += "; the neighbouring release takes it back, at least in part"
	}
	return fmt.Sprintf("%s: %s", where, text)
}

func stepSentences(s compare.Series, several bool) (parts []part) {
	for from := 0; from < len(s.Steps); {
		x := s.Steps[from]
		to := from
		for to < len(s.Steps) && s.Steps[to].From == x.From && s.Steps[to].To == x.To {
			to++
		}
		steps := s.Steps[from:to]
		from = to
		up := 0
		for _, st := range steps {
			if st.R.Ratio > 1 {
				up++
			}
		}
		ss := sentences{title: fmt.Sprintf("%s → %s: %d of %d changed in %s, %d up and %d down", x.From, x.To, len(steps), measuredSteps(s, x.From, x.To),
			metricLabel(s.Metric), up, len(steps)-up)}
		for _, st := range steps[:min(len(steps), mostSteps)] {
			ss.texts = append(ss.texts, stepText(st, several))
		}
		if more := len(steps) - mostSteps; more > 0 {
			ss.texts = append(ss.texts, fmt.Sprintf("and %d more, none of them larger (`--format csv` lists them)", more))
		}
		parts = append(parts, ss)
	}
	if len(parts) == 0 {
		parts = append(parts, sentences{title: "Steps", texts: []string{"no release changed " + metricLabel(s.Metric) + " as far as can be said"}})
	}
	return parts
}

// measuredSteps is in how many rows both releases were measured.
func measuredSteps(s compare.Series, from, to string) (n int) {
	i := slices.Index(s.Versions, to)
	for _, l := range s.Lines {
		if i >= 0 && l.Points[i].VsPrevious != nil && l.Points[i].Previous == from {
			n++
		}
	}
	return n
}

func oddReleaseText(s compare.Series, l compare.SeriesLine, i int, several bool) string {
	text := fmt.Sprintf("%s, %s, %s", s.Versions[i], l.Workload, compare.ClientsText(l.Clients))
	if several {
		text += ", " + l.Host
	}
	text += fmt.Sprintf(": %s beyond both neighbours", change(l.Points[i].Odd))
	var around []string
	for j := i - 1; j >= 0; j-- {
		if v := l.Points[j].Value; v != nil {
			around = append(around, fmt.Sprintf("%s (%s)", number(*v), s.Versions[j]))
			break
		}
	}
	around = append(around, numberOrDash(l.Points[i].Value))
	for j := i + 1; j < len(l.Points); j++ {
		if v := l.Points[j].Value; v != nil {
			around = append(around, fmt.Sprintf("%s (%s)", number(*v), s.Versions[j]))
			break
		}
	}
	return text + ": " + strings.Join(around, " → ")
}

func disagreementText(d compare.Disagreement, base string) string {
	var texts []string
	for _, h := range d.Hosts {
		texts = append(texts, fmt.Sprintf("%s on %s (%s)", ratio(h.R), h.Host, compare.ClientsText(h.Clients)))
	}
	text := fmt.Sprintf("%s, %s / %s: %s", d.Workload, d.Version, base, strings.Join(texts, ", "))
	if d.Single {
		text += "; single runs"
	}
	return text
}

func seriesLines(s compare.Series) [][]string {
	lines := [][]string{{"host", "workload", "group", "clients", "driver", "protocol", "version", "metric", "value", "base", "ratio", "ratio_low", "ratio_high",
		"previous", "step", "step_low", "step_high", "changed", "odd"}}
	for _, l := range s.Lines {
		for i, p := range l.Points {
			if p.Value == nil {
				continue
			}
			line := []string{guard(l.Host), guard(l.Workload), guard(l.Group), strconv.Itoa(l.Clients), guard(l.Driver), guard(l.Protocol), guard(s.Versions[i]),
				guard(s.Metric), digits(p.Value), guard(s.Base)}
			line = append(append(line, ratioFields(p.VsBase)...), guard(p.Previous))
			changed := ""
			if p.Changed {
				changed = "yes"
			}
			lines = append(lines, append(append(line, ratioFields(p.VsPrevious)...), changed, oddDigits(p.Odd)))
		}
	}
	return lines
}

func ratioFields(r *compare.R) []string {
	if r == nil {
		return []string{"", "", ""}
	}
	return []string{digits(&r.Ratio), digits(r.Low), digits(r.High)}
}
