package explain

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// Study is two selections, their cells paired and compared.
type Study struct {
	Base, New string // what the sides are called
	Warnings  []result.Warning
	cells     []*facts // the worst first
}

// New pairs the cells of both selections and compares them. What has no partner
// is warned of.
func New(in Input) (*Study, error) {
	if len(in.Base) == 0 || len(in.New) == 0 {
		return nil, fmt.Errorf("%d runs of the base and %d of the new version: give at least one of each", len(in.Base), len(in.New))
	}
	p, err := pair(in.Base, in.New)
	if err != nil {
		return nil, err
	}
	base, new, runs, err := p.sides(in)
	if err != nil {
		return nil, err
	}
	o := in.Options
	o.Base, o.Order, o.Consume, o.Only = base, []string{base, new}, false, nil
	report := compare.Build(runs, o)
	s := &Study{Base: base, New: new, Warnings: []result.Warning{}}
	for _, w := range report.Warnings {
		if w.Code != "unlike" { // told as Differences
			s.Warnings = append(s.Warnings, w)
		}
	}
	if len(p.lone) > 0 {
		for _, text := range capped(p.lone, 6) {
			s.Warnings = append(s.Warnings, result.Warning{Code: "lone", Text: "not compared, since the other side has no such cell: " + text})
		}
	}
	s.join(in, p, report, slices.Collect(compare.Starts(runs, o)))
	if len(s.cells) == 0 {
		return nil, fmt.Errorf("no cell of %s and %s has a value on both sides", base, new)
	}
	slices.SortStableFunc(s.cells, worse)
	for _, f := range s.cells {
		f.all = s.cells
	}
	return s, nil
}

// join gathers what is known of each pair.
func (s *Study) join(in Input, p pairing, report compare.Report, starts []compare.StartValues) {
	for _, n := range keys(in.New) {
		b, ok := p.of[n]
		if !ok {
			continue
		}
		f := &facts{baseName: s.Base, newName: s.New, free: p.free, baseKey: b, newKey: n}
		for _, row := range report.Rows {
			if rowKey(row) == n {
				if row.Version == s.New {
					f.newRow = row
				} else {
					f.baseRow = row
				}
			}
		}
		for _, v := range starts {
			if (key{v.Host, v.Workload, fmt.Sprint(v.Clients), v.Protocol, v.Driver}) == n {
				if v.Version == s.New {
					f.newStarts = append(f.newStarts, v)
				} else {
					f.baseStarts = append(f.baseStarts, v)
				}
			}
		}
		f.baseRuns, f.newRuns = ofKey(in.Base, b), ofKey(in.New, n)
		if len(f.baseRow.Metrics) > 0 && len(f.newRow.Metrics) > 0 {
			s.cells = append(s.cells, f)
		}
	}
}

func rowKey(r compare.Row) key {
	return key{r.Host, r.Workload, fmt.Sprint(r.Clients), r.Protocol, r.Driver}
}

func ofKey(runs []result.Run, k key) (out []result.Run) {
	for _, r := range runs {
		if keyOf(r) == k {
			out = append(out, r)
		}
	}
	return out
}

// worse orders cells: slower, unsure, none, faster, same; within them the
// larger change first.
func worse(a, b *facts) int {
	rank := map[compare.Verdict]int{compare.Slower: 0, compare.Unsure: 1, compare.None: 2, compare.Faster: 3, compare.Same: 4}
	va, vb := a.verdict(), b.verdict()
	size := func(v Verdict) float64 {
		if v.Ratio == nil {
			return 0
		}
		if gains(v.Metric) {
			return -math.Log(v.Ratio.Ratio)
		}
		return math.Log(v.Ratio.Ratio)
	}
	sa, sb := size(va), size(vb)
	if va.Word == string(compare.Faster) {
		sa, sb = -sa, -sb
	}
	return cmp.Or(rank[compare.Verdict(va.Word)]-rank[compare.Verdict(vb.Word)], cmp.Compare(sb, sa))
}

// gains: more of the metric is faster.
func gains(metric string) bool {
	return slices.ContainsFunc(compare.Metrics, func(m compare.Metric) bool { return m.Name == metric && m.Sense == compare.Gain })
}

// Len is the number of pairs.
func (s *Study) Len() int { return len(s.cells) }

// Runs are those of a pair, the worst pair being number 0.
func (s *Study) Runs(i int) (base, new []result.Run) { return s.cells[i].baseRuns, s.cells[i].newRuns }

// Summaries are all pairs in short, the worst first.
func (s *Study) Summaries() []Summary {
	all := []Summary{}
	for _, f := range s.cells {
		sum := Summary{Place: f.place(), Verdict: f.verdict(), Kinds: []string{}}
		for _, k := range f.findings() {
			sum.Kinds = append(sum.Kinds, k.Kind)
			if !k.Sure {
				sum.NotSure = append(sum.NotSure, k.Kind)
			}
		}
		sum.Response = relative(f.response())
		for _, metric := range []string{cpu, hostCPU} {
			if c, ok := f.of(metric); ok {
				sum.CPU = relative(c.base, c.new, true)
				break
			}
		}
		all = append(all, sum)
	}
	return all
}

func relative(base, new float64, ok bool) *float64 {
	if !ok || base <= 0 {
		return nil
	}
	v := new/base - 1
	return &v
}

// Explain tells all of pair i. The code is from a profile's difference; where
// there is none, lack says why.
func (s *Study) Explain(i int, code *Code, lack string) Explanation {
	f := s.cells[i]
	f.code = code
	e := Explanation{Place: f.place(), Base: s.Base, New: s.New, Verdict: f.verdict(), Differences: f.differences(),
		Equations: []Equation{}, Missing: f.missing(), Code: code, Lack: lack, Kinds: f.findings()}
	if q, ok := f.responseEquation(); ok {
		e.Equations = append(e.Equations, q)
	}
	if q, ok := f.cpu(); ok {
		e.Equations = append(e.Equations, q)
	}
	e.Words = words(e.Equations)
	e.Surer = f.surer(e)
	e.Next = f.next(e)
	return e
}
