package explain

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
)

// labels of metrics in sentences.
var labels = map[string]string{
	instructions: "instructions/query", cpu: "CPU/query", throughput: "QPS", responseTime: "response time",
	hostCPU: "CPU/operation of the whole host", cycles: "cycles/query", "rows_read_per_query": "rows read/query",
}

func label(metric string) string {
	if l := labels[metric]; l != "" {
		return l
	}
	return strings.ReplaceAll(strings.TrimSuffix(metric, "_per_query"), "_", " ")
}

// signedPercent of a share: +31%, -0.4%.
func signedPercent(share float64) string {
	p := 100 * share
	switch a := math.Abs(p); {
	case a >= 9.95:
		return fmt.Sprintf("%+.0f%%", p)
	default:
		return fmt.Sprintf("%+.1f%%", p)
	}
}

func percentText(c change) string {
	if c.base <= 0 {
		return fmt.Sprintf("0 → %.4g", c.new)
	}
	if r := c.new / c.base; r >= 3 || r <= 1./3 {
		return fmt.Sprintf("%.3g times", r)
	}
	return signedPercent(c.new/c.base - 1)
}

// verdict of the pair.
func (f *facts) verdict() Verdict {
	v := Verdict{Metric: f.newRow.Primary}
	place := f.newRow.Workload
	if f.newRow.Clients > 0 {
		place += ", " + compare.ClientsText(f.newRow.Clients)
	}
	if v.Metric == "" {
		for _, m := range []string{instructions, cpu, responseTime, throughput} { // a ratio to go by
			if r, ok := f.newRow.VsBase[m]; ok {
				v.Ratio, v.Reason = &r, r.Reason
				v.Metric = m
				break
			}
		}
		v.Text = fmt.Sprintf("%s: no verdict on %s against %s", place, f.newName, f.baseName)
		if v.Reason == "" {
			v.Reason = "neither instructions/query nor CPU/query can be compared"
		}
		return v
	}
	r, ok := f.newRow.VsBase[v.Metric]
	if !ok {
		v.Text, v.Reason = fmt.Sprintf("%s: no verdict on %s against %s", place, f.newName, f.baseName), "no ratio of "+label(v.Metric)+" may be taken"
		return v
	}
	v.Ratio, v.Word, v.Reason = &r, string(r.Verdict), r.Reason
	switch r.Verdict {
	case compare.Slower:
		v.Text = fmt.Sprintf("%s: %s is slower than %s", place, f.newName, f.baseName)
	case compare.Faster:
		v.Text = fmt.Sprintf("%s: %s is faster than %s", place, f.newName, f.baseName)
	case compare.Same:
		v.Text = fmt.Sprintf("%s: %s costs the same as %s", place, f.newName, f.baseName)
	case compare.Unsure:
		v.Text = fmt.Sprintf("%s: no evidence yet that %s is slower or faster than %s", place, f.newName, f.baseName)
	default:
		v.Text = fmt.Sprintf("%s: no verdict on %s against %s", place, f.newName, f.baseName)
	}
	return v
}

// leaves are the parts that have none of their own.
func leaves(p Part) []Part {
	if len(p.Parts) == 0 {
		return []Part{p}
	}
	var all []Part
	for _, x := range p.Parts {
		all = append(all, leaves(x)...)
	}
	return all
}

// words tells an equation in a sentence: of the first that has parts.
func words(es []Equation) string {
	for _, e := range es {
		if len(e.Total.Parts) > 0 {
			return e.words()
		}
	}
	return ""
}

func (e Equation) words() string {
	t := e.Total
	if t.Base <= 0 {
		return ""
	}
	what := strings.ToUpper(t.Label[:1]) + t.Label[1:]
	if t.Low != nil && t.High != nil && *t.Low <= 0 && *t.High >= 0 {
		return fmt.Sprintf("%s moved by %s, which is within its noise: the 95%% interval is %s to %s.", what, signedPercent(t.Delta/t.Base),
			signedPercent(*t.Low/t.Base), signedPercent(*t.High/t.Base))
	}
	ls := leaves(t)
	raw := make([]float64, len(ls))
	for i, l := range ls {
		raw[i] = l.Points
	}
	decimals := 0
	if math.Abs(t.Points) < 5 {
		decimals = 1
	}
	rounded := Round(raw, decimals)
	order := make([]int, len(ls))
	for i := range order {
		order[i] = i
	}
	// What goes the whole's way comes first, then what goes against it.
	slices.SortStableFunc(order, func(a, b int) int {
		if with, other := rounded[a]*t.Points > 0, rounded[b]*t.Points > 0; with != other {
			return sign(rounded[b]*t.Points - rounded[a]*t.Points)
		}
		return -sign(math.Abs(rounded[a]) - math.Abs(rounded[b]))
	})
	points := func(v float64) string { return strconv.FormatFloat(v, 'f', decimals, 64) }
	var says []string
	for _, i := range order {
		if rounded[i] == 0 {
			continue
		}
		name := ls[i].Label
		if len(says) == 0 {
			verb := "makes"
			if strings.HasPrefix(name, "instructions/query") {
				verb = "explain"
			}
			says = append(says, fmt.Sprintf("%s %s %s points", name, verb, points(rounded[i])))
			continue
		}
		says = append(says, name+" "+points(rounded[i]))
	}
	how := "longer"
	switch {
	case e.Name == "cpu":
		how = "more"
	case t.Delta < 0:
		how = "shorter"
	}
	if e.Name == "cpu" && t.Delta < 0 {
		how = "less"
	}
	whole := Round([]float64{t.Points}, decimals)[0]
	if len(says) == 0 {
		return fmt.Sprintf("%s is the same.", what)
	}
	return fmt.Sprintf("%s is %s%% %s: %s.", what, points(math.Abs(whole)), how, strings.Join(says, ", "))
}
