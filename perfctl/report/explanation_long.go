package report

import (
	"opcost/perfctl/compare"
	"opcost/perfctl/explain"
)

// explanationHeader names the columns of CSV and TSV. What a line is of stands
// in "table": cell, difference, part, missing, function, subsystem, kind,
// evidence. Depth tells parts of parts apart.
var explanationHeader = []string{
	"base", "new", "host", "workload", "clients", "protocol", "driver",
	"table", "depth", "name", "label", "base_value", "new_value", "unit", "delta", "low", "high", "points", "share",
	"ratio", "ratio_low", "ratio_high", "verdict", "sure", "text",
}

// line is one record, by the names of the header.
type explanationLine map[string]string

func (l explanationLine) fields(of func(name string) string) (out []string) {
	for _, h := range explanationHeader {
		if v, ok := l[h]; ok {
			out = append(out, guard(v))
		} else {
			out = append(out, of(h))
		}
	}
	return out
}

func explanationLines(c explain.Comparison) [][]string {
	all := [][]string{explanationHeader}
	add := func(p explain.Place, l explanationLine) {
		place := map[string]string{"base": c.Base, "new": c.New, "host": p.Host, "workload": p.Workload, "clients": digits(ptrTo(float64(p.Clients))), "protocol": p.Protocol, "driver": p.Driver}
		all = append(all, l.fields(func(name string) string { return guard(place[name]) }))
	}
	for _, s := range c.Cells {
		l := explanationLine{"table": "cell", "name": s.Verdict.Metric, "verdict": s.Verdict.Word, "text": s.Verdict.Text}
		l.ratio(s.Verdict.Ratio)
		for _, k := range s.Kinds {
			if l["label"] != "" {
				l["label"] += " "
			}
			l["label"] += k
		}
		add(s.Place, l)
	}
	for _, e := range c.Explanations {
		for _, d := range e.Differences {
			add(e.Place, explanationLine{"table": "difference", "name": d.Name, "label": string(d.Class), "base_value": d.Base, "new_value": d.New, "text": d.Why})
		}
		for _, q := range e.Equations {
			var part func(p explain.Part, depth int)
			part = func(p explain.Part, depth int) {
				l := explanationLine{"table": "part", "depth": digits(ptrTo(float64(depth))), "name": p.Name, "label": q.Name + ": " + p.Label, "unit": p.Unit}
				l.numbers(&p.Base, &p.New, &p.Delta)
				l["low"], l["high"], l["points"] = digits(p.Low), digits(p.High), digits(&p.Points)
				add(e.Place, l)
				for _, x := range p.Parts {
					part(x, depth+1)
				}
			}
			part(q.Total, 0)
		}
		for _, m := range e.Missing {
			add(e.Place, explanationLine{"table": "missing", "name": m.Name, "text": m.Reason})
		}
		if e.Code != nil {
			for _, r := range e.Code.Rows {
				add(e.Place, codeLine("function", r.Function, *e.Code, r))
			}
			for _, r := range e.Code.Subsystems {
				add(e.Place, codeLine("subsystem", r.Subsystem, *e.Code, r))
			}
		}
		for _, k := range e.Kinds {
			sure := "no"
			if k.Sure {
				sure = "yes"
			}
			add(e.Place, explanationLine{"table": "kind", "name": k.Kind, "label": k.Title, "sure": sure, "text": k.Text})
			for _, ev := range k.Evidence {
				l := explanationLine{"table": "evidence", "name": ev.Name, "label": k.Kind, "unit": ev.Unit, "text": ev.Text}
				l["base_value"], l["new_value"] = digits(ev.Base), digits(ev.New)
				l.ratio(ev.Ratio)
				add(e.Place, l)
			}
		}
	}
	return all
}

func codeLine(table, name string, c explain.Code, r explain.CodeRow) explanationLine {
	l := explanationLine{"table": table, "name": name, "label": r.State, "unit": c.Unit, "share": digits(r.Share), "text": r.CallsText()}
	l.numbers(&r.Base, &r.New, &r.Delta)
	return l
}

func (l explanationLine) numbers(base, new, delta *float64) {
	l["base_value"], l["new_value"], l["delta"] = digits(base), digits(new), digits(delta)
}

func (l explanationLine) ratio(r *compare.R) {
	if r != nil {
		l["ratio"], l["ratio_low"], l["ratio_high"] = digits(&r.Ratio), digits(r.Low), digits(r.High)
	}
}

func ptrTo(v float64) *float64 { return &v }
