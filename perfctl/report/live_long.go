package report

import (
	"encoding/csv"
	"io"
	"maps"
	"slices"
	"strconv"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// liveHeader names the columns of a live window's CSV and TSV.
var liveHeader = []string{
	"table", "version", "item", "schema", "user", "text", "metric", "value", "low", "high", "unit", "per", "source", "scope", "state", "reason",
	"ratio", "ratio_low", "ratio_high",
}

// liveLong writes a line for each number: the table that it is in ("query",
// "mix", "kind", "digest" or "thread"), what it is of, and the number.
type liveLong struct {
	lines [][]string
	// of the lines that follow
	table, version, item, schema, user, text string
	state                                    result.State
	reason                                   string
}

func (l *liveLong) add(metric string, v *float64, unit, per string, source result.Source, scope result.Scope) {
	state, reason := l.state, l.reason
	if v == nil && state.Usable() {
		state = "" // it is the rest of the row that was counted
	}
	l.lines = append(l.lines, []string{
		l.table, guard(l.version), guard(l.item), guard(l.schema), guard(l.user), guard(l.text), metric, digits(v), "", "", unit, guard(per), string(source), string(scope),
		string(state), guard(reason), "", "", ""})
}

func writeLiveLong(w io.Writer, live Live, separator rune) error {
	l := &liveLong{lines: [][]string{liveHeader}}
	for _, row := range live.Report.Rows {
		for _, name := range slices.Sorted(maps.Keys(row.Metrics)) {
			m := row.Metrics[name]
			line := []string{"query", guard(row.Version), "", "", "", "", guard(name), digits(m.Value), digits(m.Low), digits(m.High), guard(m.Unit), guard(m.Per),
				string(m.Source), string(m.Scope), string(m.State), guard(m.Reason), "", "", ""}
			if v, ok := row.VsBase[name]; ok {
				line = append(line[:16], digits(&v.Ratio), digits(v.Low), digits(v.High))
			}
			l.lines = append(l.lines, line)
		}
	}
	l.version = live.Tables.Version
	l.addMix(live.Mix)
	for _, k := range live.Tables.Kinds {
		l.table, l.item, l.text, l.state, l.reason = "kind", k.Name, k.Label, k.State, k.Reason
		l.add("count", k.Count, "count", "", result.SourceServer, "")
		l.add("per_second", k.PerSecond, "count", "second", result.SourceServer, "")
		l.add("share", k.Share, "", "statement", result.SourceServer, "")
	}
	for _, d := range live.Tables.Digests {
		l.addDigest(d)
	}
	for _, t := range live.Tables.Threads {
		l.addThread(t)
	}
	c := csv.NewWriter(w)
	c.Comma = separator
	return c.WriteAll(l.lines)
}

func (l *liveLong) addDigest(d compare.DigestCost) {
	l.table, l.item, l.schema, l.text, l.state, l.reason = "digest", d.Digest, d.Schema, d.Text, d.State, d.Reason
	if d.Others > 0 {
		l.item = strconv.Itoa(d.Others) + " others"
	}
	var count *float64
	if d.Count != nil {
		n := float64(*d.Count)
		count = &n
	}
	l.add("count", count, "count", "", result.SourceServer, "")
	l.add("per_second", d.PerSecond, "count", "second", result.SourceServer, "")
	l.add("latency_share", d.LatencyShare, "", "", result.SourceServer, "")
	for _, m := range []struct {
		name, unit string
		v          *float64
	}{{"latency_us", "us", d.LatencyUS}, {"cpu_us", "us", d.CPUUS}, {"rows_sent", "count", d.RowsSent}, {"rows_examined", "count", d.RowsExamined},
		{"rows_affected", "count", d.RowsAffected}, {"tmp_tables", "count", d.TmpTables}, {"tmp_disk_tables", "count", d.TmpDiskTables},
		{"sort_rows", "count", d.SortRows}, {"errors", "count", d.Errors}} {
		l.add(m.name, m.v, m.unit, "execution", result.SourceServer, "")
	}
}

func (l *liveLong) addThread(t compare.ThreadCost) {
	l.table, l.item, l.schema, l.text, l.state, l.reason = "thread", strconv.Itoa(t.TID), t.DB, firstOf(t.Statement, t.Command, t.Name), t.State, t.Reason
	l.user = t.User
	if t.Others > 0 {
		l.item = strconv.Itoa(t.Others) + " others"
	}
	var connection *float64
	if t.Connection != 0 {
		n := float64(t.Connection)
		connection = &n
	}
	l.add("connection", connection, "", "", result.SourceServer, "")
	for _, m := range []struct {
		name, unit, per string
		v               *float64
	}{{"cpu_us", "us", "", t.CPUUS}, {"cpu_percent", "percent", "", t.CPUPercent}, {"cpu_share", "", "", t.CPUShare}, {"run_queue_us", "us", "", t.RunQueueUS},
		{"context_switches_voluntary", "count", "", t.Voluntary}, {"context_switches_involuntary", "count", "", t.Involuntary}} {
		l.add(m.name, m.v, m.unit, m.per, result.SourceProc, result.UserKernel)
	}
	l.add("instructions", t.Instructions, "count", "", result.SourcePerf, t.Scope)
	l.add("cycles", t.Cycles, "count", "", result.SourcePerf, t.Scope)
}

func (l *liveLong) addMix(m *compare.Mix) {
	if m == nil {
		return
	}
	l.table, l.state = "mix", result.OK
	if m.Lack != nil {
		l.state, l.reason = m.Lack.State, m.Lack.Reason
	}
	split := func(of string, s *compare.Split) {
		if s == nil {
			l.add(of+"_change", nil, "us", "statement", result.SourceServer, "")
			return
		}
		d := s.Delta()
		for _, p := range []struct {
			name string
			v    *float64
		}{{"base", &s.Base}, {"new", &s.New}, {"change", &d}, {"by_mix", &s.Mix}, {"by_cost", &s.Cost}, {"unsplit", &s.Unsplit}} {
			l.add(of+"_"+p.name, p.v, "us", "statement", result.SourceServer, "")
		}
	}
	l.item = "all"
	split("latency", m.Latency)
	split("cpu", m.CPU)
	for _, r := range m.Rows {
		l.item, l.schema, l.text = "", r.Schema, r.Text
		split("latency", &r.Latency)
		if r.CPU != nil {
			split("cpu", r.CPU)
		}
	}
	l.item, l.schema, l.text, l.state, l.reason = "", "", "", "", ""
}
