package page

import (
	"encoding/json"
	"fmt"
	"slices"
)

// fit makes the page so that it keeps within its limit: the metrics that people
// look at least are left out.
func fit(in Input) ([]byte, Written, error) {
	d, look := newData(in.Report)
	d.Evidence = evidenceOf(in)
	v := newView(in)
	bare, err := render(v, d)
	if err != nil {
		return nil, Written{}, err
	}
	const spare = 20_000 // for the names of what is left out
	room := in.Limit - len(bare) - spare
	names := metricNames(in.Report, in.Metric)
	c := &columns{in: in, look: look}
	for i, name := range names {
		facts, judgements := len(c.facts.all), len(c.judged.all)
		m, shared, size, err := c.encode(name)
		if err != nil {
			return nil, Written{}, err
		}
		if size > room {
			c.facts.cut(facts)
			c.judged.cut(judgements)
			v.LeftOut = names[i:]
			break
		}
		room -= size
		d.Metrics = append(d.Metrics, m)
		d.Facts, d.Judged = append(d.Facts, shared.facts...), append(d.Judged, shared.judged...)
	}
	if len(d.Metrics) == 0 {
		if d.Evidence != nil { // thousands of links
			in.Evidence = nil
			in.Notes = append(slices.Clone(in.Notes), "Evidence is not linked: there was no room for it.")
			return fit(in)
		}
		return nil, Written{}, fmt.Errorf("the page has no room for %s of %d rows in %d bytes: give it fewer folders of results", names[0], len(in.Report.Rows), in.Limit)
	}
	v.Metrics = len(d.Metrics)
	text, err := render(v, d)
	return text, Written{Bytes: len(text), Metrics: len(d.Metrics), LeftOut: v.LeftOut}, err
}

type shared struct{ facts, judged []json.RawMessage }

// encode makes a metric's JSON, with that of what came to the shared lists for it.
func (c *columns) encode(name string) (metric json.RawMessage, s shared, size int, err error) {
	facts, judgements := len(c.facts.all), len(c.judged.all)
	add := func(x any) json.RawMessage {
		text, e := json.Marshal(x)
		if e != nil && err == nil {
			err = fmt.Errorf("the page's data of %s: %w", name, e)
		}
		size += len(text) + 1
		return text
	}
	metric = add(c.metric(name))
	for _, k := range c.facts.all[facts:] {
		s.facts = append(s.facts, add(k.whole()))
	}
	for _, j := range c.judged.all[judgements:] {
		s.judged = append(s.judged, add(j))
	}
	return metric, s, size, err
}
