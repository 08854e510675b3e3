package digest

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// window is two edges of which a table and readings are made.
type window struct {
	begin, end edge
	texts      map[string]string
	on         switches
}

// ownStatements is how many of our statements are in the difference of the sums
// by kind: the reading of these at the begin, and what we sent since, but for
// the reading at the end.
func (w window) ownStatements() int64 { return w.end.statements - w.begin.statements }

func (w window) result(keep int) ([]result.Reading, []result.Digest) {
	if u := w.on.noDigests; u != nil {
		rs := w.kindReadings(own{unknown: w.ownStatements()})
		for _, name := range []string{"digest_statements", "digest_cpu_us"} {
			rs = append(rs, result.Lacking(name, unitOf(name), result.SourceServer, "", result.Unsupported, u.Error(), u.Remedy))
		}
		return rs, nil
	}
	if name := w.emptied(); name != "" {
		return w.void(keep, name)
	}
	rows := w.rows()
	rows, o := w.takeOut(rows)
	total := sum(rows)
	rs := append(w.kindReadings(o), w.digestReadings(total, rows, o)...)
	return rs, kept(rows, keep)
}

// emptied names a digest whose counts show that the table was emptied between
// the edges, "" for none.
func (w window) emptied() string {
	for k, b := range w.begin.digests {
		e, there := w.end.digests[k]
		back := !there || e.firstSeen != b.firstSeen
		for i := range b.n {
			back = back || e.n[i] < b.n[i]
		}
		if back {
			return cmp.Or(w.texts[k.hash], "digest "+k.hash)
		}
	}
	return ""
}

// void names what was executed, without numbers.
func (w window) void(keep int, name string) ([]result.Reading, []result.Digest) {
	reason := "performance_schema's table of digests was emptied in the window (TRUNCATE): the counts went back, as those of " + clip(name)
	const remedy = "see that no monitor empties the table"
	var rows []result.Digest
	for _, k := range w.executed() {
		if text := w.texts[k.hash]; !strings.Contains(text, ownMark) {
			rows = append(rows, result.Digest{Schema: k.schema, Digest: k.hash, Text: text, State: result.Failed, Reason: reason})
		}
	}
	rs := w.kindReadings(own{unknown: w.ownStatements()})
	for _, n := range []string{"digest_statements", "digest_cpu_us"} {
		rs = append(rs, result.Lacking(n, unitOf(n), result.SourceServer, "", result.Failed, reason, remedy))
	}
	return rs, rows[:min(len(rows), keep)]
}

// executed in a fixed order.
func (w window) executed() []key {
	keys := executed(w.begin.digests, w.end.digests)
	slices.SortFunc(keys, func(a, b key) int {
		return cmp.Or(cmp.Compare(w.end.digests[b].n[timer], w.end.digests[a].n[timer]), strings.Compare(a.schema, b.schema), strings.Compare(a.hash, b.hash))
	})
	return keys
}

// rows are the differences of what was executed.
func (w window) rows() []result.Digest {
	var rows []result.Digest
	for _, k := range w.executed() {
		b, e := w.begin.digests[k], w.end.digests[k]
		d := func(column int) float64 { return float64(e.n[column] - b.n[column]) }
		row := result.Digest{Schema: k.schema, Digest: k.hash, Text: w.texts[k.hash], Count: int64(e.n[count] - b.n[count]),
			LatencyUS: d(timer) / psPerUS, RowsSent: d(sent), RowsExamined: d(examined), RowsAffected: d(affected),
			TmpTables: d(tmpTables), TmpDiskTables: d(tmpDiskTables), SortRows: d(sortRows), Errors: d(errorCount), State: result.OK}
		if w.on.cpu {
			us := d(cpuTime) / psPerUS
			row.CPUUS = &us
		}
		if k.hash == "" {
			row.Text, row.State = "(statements that found the table of digests full)", result.Partial
			row.Reason = fmt.Sprintf("the table of digests is full (performance_schema_digests_size=%s): what had no row yet is added up here", w.on.size)
		}
		rows = append(rows, row)
	}
	return rows
}

// psPerUS: performance_schema's times are picoseconds.
const psPerUS = 1e6

// sum adds rows up.
func sum(rows []result.Digest) result.Digest {
	s := result.Digest{Others: len(rows), State: result.OK}
	for _, r := range rows {
		s.Count += r.Count
		s.LatencyUS += r.LatencyUS
		s.RowsSent += r.RowsSent
		s.RowsExamined += r.RowsExamined
		s.RowsAffected += r.RowsAffected
		s.TmpTables += r.TmpTables
		s.TmpDiskTables += r.TmpDiskTables
		s.SortRows += r.SortRows
		s.Errors += r.Errors
		if r.CPUUS != nil {
			if s.CPUUS == nil {
				s.CPUUS = new(float64)
			}
			*s.CPUUS += *r.CPUUS
		}
	}
	return s
}

// kept are the first rows and one that adds up the others, so that the table's
// total stays the same. The row of a full table is kept always.
func kept(rows []result.Digest, keep int) []result.Digest {
	slices.SortStableFunc(rows, func(a, b result.Digest) int { return cmp.Compare(b.LatencyUS, a.LatencyUS) })
	if len(rows) <= keep {
		return rows
	}
	out := slices.Clone(rows[:keep])
	rest := slices.Clone(rows[keep:])
	if i := slices.IndexFunc(rest, func(d result.Digest) bool { return d.Digest == "" }); i >= 0 {
		out = append(out, rest[i])
		rest = slices.Delete(rest, i, i+1)
	}
	if len(rest) == 0 {
		return out
	}
	others := sum(rest)
	others.Text = fmt.Sprintf("(%d further digests)", len(rest))
	return append(out, others)
}

func unitOf(name string) string {
	if strings.HasSuffix(name, "_us") {
		return "us"
	}
	return "count"
}

// names of the kinds in both edges, sorted.
func (w window) kindNames() []string {
	all := maps.Clone(w.end.kinds)
	maps.Copy(all, w.begin.kinds)
	return slices.Sorted(maps.Keys(all))
}
