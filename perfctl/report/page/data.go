package page

import (
	"encoding/json"
	"math"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
)

// data is what the page's script reads. Rows and metrics refer to versions,
// places and workloads by their numbers in these lists.
type data struct {
	Base      string            `json:"base"` // "": each to the version before
	Versions  []string          `json:"versions"`
	Places    [][3]string       `json:"places"` // host, driver, protocol
	Groups    []string          `json:"groups"` // titles
	Workloads []dataWorkload    `json:"workloads"`
	Rows      []int             `json:"rows"`    // six a row: place, workload, clients, version, runs, against (-1: the base)
	Metrics   []json.RawMessage `json:"metrics"` // see dataMetric; the first is shown first
	Facts     []json.RawMessage `json:"facts"`   // see fact
	Judged    []json.RawMessage `json:"judged"`  // see judged
	Evidence  *dataEvidence     `json:"evidence"`
}

type dataWorkload struct {
	Name  string `json:"name"`
	Group int    `json:"group"`
}

// dataMetric is a column of the report. Its arrays have a place for each row
// that has the metric.
type dataMetric struct {
	Name  string `json:"name"`
	Label string `json:"label"`
	Part  bool   `json:"part"`
	Sense int    `json:"sense"` // -1: less is better; 1: more is; 0: neither

	At     []int   `json:"at"` // the rows; null: all of them
	Value  numbers `json:"value"`
	Low    numbers `json:"low"`
	High   numbers `json:"high"`
	Fact   []int   `json:"fact"`
	Ratio  numbers `json:"ratio"`
	RLow   numbers `json:"rlow"`
	RHigh  numbers `json:"rhigh"`
	Judged []int   `json:"judged"` // -1: no ratio

	// Medians of the groups' ratios, eight numbers each: place, clients, group,
	// version, workloads with a ratio, median, minimum, maximum.
	Medians []numbers   `json:"medians"`
	Sweep   *dataSweep  `json:"sweep"`
	Series  *dataSeries `json:"series"`
}

// fact is all else that a metric's value has; many values share one.
type fact struct {
	N        int      `json:"n"`
	Unit     string   `json:"unit"`
	Per      string   `json:"per"`
	Source   string   `json:"source"`
	Scope    string   `json:"scope"`
	State    string   `json:"state"`
	Reason   string   `json:"reason"`
	Remedy   string   `json:"remedy"`
	Method   string   `json:"method"`
	Fraction *float64 `json:"fraction"`
}

// judged is all else that a ratio has.
type judged struct {
	Verdict   string  `json:"verdict"`
	Method    string  `json:"method"`
	Threshold float64 `json:"threshold"`
	Level     float64 `json:"level"`
	More      int     `json:"more"`
	Reason    string  `json:"reason"`
}

// numbers are written with six significant digits; what is no number is null.
type numbers []*float64

func (ns numbers) MarshalJSON() ([]byte, error) {
	if !slices.ContainsFunc(ns, func(p *float64) bool { return p != nil }) {
		return []byte("null"), nil
	}
	text := []byte{'['}
	for i, p := range ns {
		if i > 0 {
			text = append(text, ',')
		}
		text = appendNumber(text, p)
	}
	return append(text, ']'), nil
}

func appendNumber(text []byte, p *float64) []byte {
	if p == nil || math.IsNaN(*p) || math.IsInf(*p, 0) {
		return append(text, "null"...)
	}
	format := byte('g')
	if a := math.Abs(*p); a >= 1e-4 && a < 1e15 {
		format = 'f'
		digits := max(0, 5-int(math.Floor(math.Log10(a))))
		return append(text, trimmed(strconv.FormatFloat(*p, 'f', digits, 64))...)
	}
	return strconv.AppendFloat(text, *p, format, 6, 64)
}

func trimmed(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}

// list numbers things as they come.
type list[T comparable] struct {
	at  map[T]int
	all []T
}

func (l *list[T]) of(x T) int {
	if l.at == nil {
		l.at = map[T]int{}
	}
	i, ok := l.at[x]
	if !ok {
		i = len(l.all)
		l.at[x], l.all = i, append(l.all, x)
	}
	return i
}

// cut takes the list back to so many.
func (l *list[T]) cut(n int) {
	for _, x := range l.all[n:] {
		delete(l.at, x)
	}
	l.all = l.all[:n]
}

// lookup finds the numbers of names.
type lookup struct {
	versions  list[string]
	places    list[[3]string]
	groups    list[string] // as in rows
	workloads list[workload]
}

type workload struct{ name, group string }

func place(host, driver, protocol string) [3]string { return [3]string{host, driver, protocol} }

// newData is the report without its metrics.
func newData(r compare.Report) (*data, *lookup) {
	d, look := &data{Base: r.Base}, &lookup{}
	for _, v := range r.Versions {
		look.versions.of(v)
	}
	for _, g := range []string{"point", "range", "range-agg", "write"} { // the order in which they are published
		if slices.ContainsFunc(r.Rows, func(row compare.Row) bool { return row.Group == g }) {
			look.groups.of(g)
		}
	}
	for _, row := range r.Rows {
		against := -1
		if row.Against != "" {
			against = look.versions.of(row.Against)
		}
		look.groups.of(row.Group)
		d.Rows = append(d.Rows, look.places.of(place(row.Host, row.Driver, row.Protocol)), look.workloads.of(workload{row.Workload, row.Group}),
			row.Clients, look.versions.of(row.Version), row.Runs, against)
	}
	d.Versions, d.Places = look.versions.all, look.places.all
	for _, w := range look.workloads.all {
		d.Workloads = append(d.Workloads, dataWorkload{w.name, look.groups.of(w.group)})
	}
	for _, g := range look.groups.all {
		d.Groups = append(d.Groups, report.GroupTitle(g))
	}
	return d, look
}
