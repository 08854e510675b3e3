package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// mixSide is one digest in one window; digests of one text are added up.
type mixSide struct {
	count   int64
	latency float64
	cpu     *float64
}

// mixed digest in both windows.
type mixPair struct {
	schema, text string
	others       bool
	sides        [2]mixSide // base, new
}

// newMix splits the change between two windows.
func newMix(base, now result.Window) Mix {
	m := Mix{BaseStarted: base.Start, NewStarted: now.Start, Rows: []MixRow{}}
	for _, s := range []struct {
		w    result.Window
		what string
	}{{base, "the saved window"}, {now, "this window"}} {
		lack := lackOf(s.w, "digest_statements", "digest")
		switch {
		case m.Lack != nil && !m.Lack.State.Usable():
		case lack != nil:
			m.Lack = &Lack{State: lack.State, Reason: s.what + ": " + lack.Reason, Remedy: lack.Remedy}
		case len(s.w.Digests) == 0:
			m.Lack = &Lack{State: result.NotCounted, Reason: s.what + " has no digests"}
		}
	}
	pairs := m.join(base, now)
	for _, p := range pairs {
		m.Base += p.sides[0].count
		m.New += p.sides[1].count
	}
	if m.Base == 0 || m.New == 0 {
		m.Lack = cmp.Or(m.Lack, &Lack{State: result.NotCounted, Reason: "no statement with a digest ended in one of the windows"})
		return m
	}
	latency, cpu := &Split{}, &Split{}
	for _, p := range pairs {
		row := p.row(m.Base, m.New)
		latency.add(row.Latency)
		if row.CPU == nil {
			cpu = nil // of a part of the statements alone it would be no total
		} else if cpu != nil {
			cpu.add(*row.CPU)
		}
		m.Rows = append(m.Rows, row)
	}
	m.Latency, m.CPU = latency, cpu
	slices.SortStableFunc(m.Rows, func(a, b MixRow) int {
		return cmp.Or(cmp.Compare(math.Abs(b.Latency.Delta()), math.Abs(a.Latency.Delta())), cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Text, b.Text))
	})
	return m
}

// join pairs the windows' digests, and warns of what makes the pairs doubtful.
func (m *Mix) join(base, now result.Window) []*mixPair {
	by := map[string]*mixPair{}
	var pairs []*mixPair
	var void, cut, calls []string
	for side, w := range []result.Window{base, now} {
		for _, d := range w.Digests {
			if !d.State.Usable() {
				void = append(void, fmt.Sprintf("%s (%s)", d.Text, d.Reason))
				continue
			}
			if d.Count == 0 {
				continue
			}
			key := digestKey(d.Schema, d.Text)
			if d.Others > 0 {
				key = "others"
			}
			if isCut(d.Text) {
				cut = append(cut, d.Text)
			}
			if strings.HasPrefix(strings.ToUpper(d.Text), "CALL ") {
				calls = append(calls, d.Text)
			}
			p := by[key]
			if p == nil {
				p = &mixPair{others: d.Others > 0}
				by[key], pairs = p, append(pairs, p)
			}
			p.schema, p.text = d.Schema, d.Text // the new window's is last
			p.sides[side].add(d)
		}
	}
	warn := func(code string, texts []string, format string) {
		if len(texts) > 0 {
			m.Warnings = append(m.Warnings, result.Warning{Code: code, Text: fmt.Sprintf(format, len(texts), texts[0])})
		}
	}
	warn("void", void, "%d digests are left out, since their counters cannot be used: %s")
	warn("cut", cut, "%d digests have texts that are cut off, so statements that begin alike are taken for one: %.60s...")
	warn("calls", calls, "the cost of %d CALLs has in it that of the statements they ran, which are counted by themselves too: %s")
	return pairs
}

func (s *mixSide) add(d result.Digest) {
	switch {
	case d.CPUUS == nil:
		s.cpu = nil
	case s.count == 0:
		cpu := *d.CPUUS
		s.cpu = &cpu
	case s.cpu != nil:
		*s.cpu += *d.CPUUS
	}
	s.count += d.Count
	s.latency += d.LatencyUS
}

// row of a pair, n executions in all in each window.
func (p *mixPair) row(n0, n1 int64) MixRow {
	a, b := p.sides[0], p.sides[1]
	r := MixRow{
		Schema: p.schema, Text: p.text, Others: p.others, BaseCount: a.count, NewCount: b.count,
		BaseLatencyUS: over(a.latency, float64(a.count)), NewLatencyUS: over(b.latency, float64(b.count)),
	}
	s0, s1 := float64(a.count)/float64(n0), float64(b.count)/float64(n1)
	r.BaseShare, r.NewShare = s0, s1
	r.Latency = split(s0, s1, r.BaseLatencyUS, r.NewLatencyUS, p.others)
	if (a.count == 0 || a.cpu != nil) && (b.count == 0 || b.cpu != nil) {
		if a.cpu != nil {
			r.BaseCPUUS = over(*a.cpu, float64(a.count))
		}
		if b.cpu != nil {
			r.NewCPUUS = over(*b.cpu, float64(b.count))
		}
		cpu := split(s0, s1, r.BaseCPUUS, r.NewCPUUS, p.others)
		r.CPU = &cpu
	}
	return r
}

// split one digest's part of the change: see [Mix]. A cost that is nil is the
// other one: the digest did not run there.
func split(s0, s1 float64, c0, c1 *float64, others bool) Split {
	a, b := value(cmp.Or(c0, c1)), value(cmp.Or(c1, c0))
	s := Split{Base: s0 * a, New: s1 * b, Mix: (s1 - s0) * (a + b) / 2}
	if cost := (b - a) * (s0 + s1) / 2; others {
		s.Unsplit = cost
	} else {
		s.Cost = cost
	}
	return s
}

func (s *Split) add(t Split) {
	s.Base += t.Base
	s.New += t.New
	s.Mix += t.Mix
	s.Cost += t.Cost
	s.Unsplit += t.Unsplit
}
