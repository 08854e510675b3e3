package report

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// nothing stands for a value that is not there.
const nothing = "-"

// grids are the tables below the costs per query.
func (l Live) grids() []grid {
	var gs []grid
	if l.Mix != nil {
		gs = append(gs, mixGrid(*l.Mix))
	}
	for _, g := range []grid{kindGrid(l.Tables), digestGrid(l.Tables), threadGrid(l.Tables)} {
		if len(g.rows) > 0 || len(g.notes) > 0 { // else nobody asked
			gs = append(gs, g)
		}
	}
	return gs
}

func kindGrid(t compare.LiveTables) grid {
	g := grid{title: "By kind of statement", columns: []gridColumn{{name: "/s"}, {name: "% of statements"}, {name: "count", from: 60}, {name: "kind"}}}
	for _, k := range t.Kinds {
		label := k.Label
		if k.Count == nil {
			label += ": " + stateText(k.State) + ": " + k.Reason
		}
		g.rows = append(g.rows, []string{mark(k.State) + figure(k.PerSecond), share(k.Share), whole(k.Count), label})
	}
	return g.noted("", t.KindsLack).without("", nothing)
}

func digestGrid(t compare.LiveTables) grid {
	g := grid{title: "By digest: statements that differ in literals only", columns: []gridColumn{
		{name: "time %"}, {name: "/s"}, {name: "µs each"}, {name: "CPU µs"}, {name: "examined"}, {name: "sent", from: 100},
		{name: "affected", from: 120}, {name: "sorted", from: 160}, {name: "tmp tables", from: 160}, {name: "on disk", from: 160}, {name: "errors", from: 100},
		{name: "schema", left: true, from: 100, most: 12}, {name: "statement"}}}
	for _, d := range t.Digests {
		text := d.Text
		switch {
		case d.Others > 0:
			text = strings.TrimSpace(fmt.Sprintf("(%d others) %s", d.Others, d.Text))
		case text == "":
			text = "(no text)"
		}
		if d.Count == nil {
			text += " (" + stateText(d.State) + ": " + d.Reason + ")"
		}
		g.rows = append(g.rows, []string{
			mark(d.State) + share(d.LatencyShare), figure(d.PerSecond), figure(d.LatencyUS), figure(d.CPUUS), figure(d.RowsExamined), figure(d.RowsSent),
			figure(d.RowsAffected), figure(d.SortRows), figure(d.TmpTables), figure(d.TmpDiskTables), figure(d.Errors), d.Schema, text})
	}
	if len(t.Digests) > 0 {
		g.notes = append(g.notes, "time %: of the response time of all digests, inside the server; CPU µs, rows examined, sent, ...: an execution")
	}
	return g.noted("", t.DigestsLack).noted("CPU: ", t.CPULack).without("", "0", nothing)
}

func threadGrid(t compare.LiveTables) grid {
	g := grid{title: "By thread", columns: []gridColumn{
		{name: "CPU %"}, {name: "wait %"}, {name: "vol./s"}, {name: "invol./s"}, {name: "instr./s"}, {name: "cycles/s", from: 120}, {name: "IPC", from: 100},
		{name: "thread", from: 120}, {name: "conn."}, {name: "user", left: true, most: 12}, {name: "db", left: true, from: 100, most: 12}, {name: "doing"}}}
	reasons := map[string]int{}
	var order []string
	for _, c := range t.Threads {
		doing := firstOf(c.Statement, c.Command, c.Name)
		switch {
		case c.Others > 0:
			doing = fmt.Sprintf("(%d others)", c.Others)
		case c.Own:
			doing = "(opcost's own) " + doing
		}
		if c.CPUUS == nil {
			doing = strings.TrimSpace(doing + " (" + stateText(c.State) + ": " + c.Reason + ")")
		} else if c.Reason != "" {
			if reasons[c.Reason] == 0 {
				order = append(order, c.Reason)
			}
			reasons[c.Reason]++
		}
		g.rows = append(g.rows, []string{
			mark(c.State) + percent(c.CPUPercent), percent(c.RunQueuePercent), figure(c.VoluntaryPerSecond), figure(c.InvoluntaryPerSecond),
			mark(scaled(c)) + figure(c.InstructionsPerSecond), figure(c.CyclesPerSecond), figure(c.IPC),
			id(uint64(max(0, c.TID))), id(c.Connection), c.User, c.DB, doing})
	}
	if len(t.Threads) > 0 {
		g.notes = append(g.notes, "CPU %: of one CPU; wait %: runnable, waiting for a CPU; vol., invol.: context switches")
	}
	for _, r := range order[:min(3, len(order))] {
		g.notes = append(g.notes, fmt.Sprintf("%d threads: %s", reasons[r], r))
	}
	return g.noted("", t.ThreadsLack).without("", nothing)
}

func mixGrid(m compare.Mix) grid {
	g := grid{title: "Why the latency of a statement changed", columns: []gridColumn{
		{name: "change, µs"}, {name: "by mix"}, {name: "by cost"}, {name: "unsplit"}, {name: "CPU change"}, {name: "CPU by mix", from: 120}, {name: "CPU by cost", from: 120},
		{name: "in 1,000 was", from: 120}, {name: "is", from: 120}, {name: "µs was"}, {name: "µs is"}, {name: "schema", left: true, from: 120}, {name: "statement"}}}
	unsplit := func(compare.Split) string { return nothing }
	if m.Latency != nil && m.Latency.Unsplit != 0 {
		unsplit = func(s compare.Split) string { return signed(s.Unsplit) }
	}
	add := func(latency compare.Split, cpu *compare.Split, more ...string) {
		c := []string{nothing, nothing, nothing}
		if cpu != nil {
			c = []string{signed(cpu.Delta()), signed(cpu.Mix), signed(cpu.Cost)}
		}
		g.rows = append(g.rows, append(append([]string{signed(latency.Delta()), signed(latency.Mix), signed(latency.Cost), unsplit(latency)}, c...), more...))
	}
	if m.Latency != nil {
		add(*m.Latency, m.CPU, "1,000", "1,000", number(m.Latency.Base), number(m.Latency.New), "", "all")
	}
	for _, r := range m.Rows {
		text := r.Text
		if r.Others && text == "" {
			text = "(others)"
		}
		add(r.Latency, r.CPU, number(1000*r.BaseShare), number(1000*r.NewShare), figure(r.BaseLatencyUS), figure(r.NewLatencyUS), r.Schema, text)
	}
	if m.Latency != nil {
		g.notes = append(g.notes, "µs a statement. By mix: other statements ran; by cost: the same statement costs more or less, at the mean of both windows' shares. Rows add up to the first.")
		if m.Latency.Unsplit != 0 {
			g.notes = append(g.notes, "unsplit: within a row of other digests, mix and cost cannot be told apart")
		}
	}
	for _, w := range m.Warnings {
		g.notes = append(g.notes, w.Text)
	}
	return g.noted("", m.Lack).without("", nothing)
}

// noted adds why the table, or what of it is named, is empty or not whole.
func (g grid) noted(what string, l *compare.Lack) grid {
	if l == nil {
		return g
	}
	text := l.Reason
	if l.State != result.OK {
		text = stateText(l.State) + ": " + text
	}
	if l.Remedy != "" {
		text += ". Remedy: " + l.Remedy
	}
	g.notes = append(g.notes, what+text)
	return g
}

func mark(s result.State) string {
	switch s {
	case result.Partial:
		return "~"
	case result.Scaled:
		return "≈"
	}
	return ""
}

// scaled is the state of a thread's instructions.
func scaled(c compare.ThreadCost) result.State {
	if c.Instructions != nil && c.RunningFraction != nil && *c.RunningFraction < 1 {
		return result.Scaled
	}
	return result.OK
}

func figure(v *float64) string {
	if v == nil {
		return nothing
	}
	return number(*v)
}

// whole writes a count.
func whole(v *float64) string {
	if v == nil || math.Abs(*v) >= 999_999.5 {
		return figure(v)
	}
	return thousands(strconv.FormatFloat(*v, 'f', 0, 64))
}

func percent(v *float64) string {
	if v == nil {
		return nothing
	}
	return strconv.FormatFloat(*v, 'f', 1, 64)
}

// share writes a share, 0 to 1, in percent.
func share(v *float64) string {
	if v == nil {
		return nothing
	}
	return strconv.FormatFloat(100**v, 'f', 1, 64)
}

// signed writes a change; 0 where it is nothing but rounding.
func signed(v float64) string {
	if math.Abs(v) < 5e-7 {
		return "0"
	}
	if v > 0 {
		return "+" + number(v)
	}
	return number(v)
}

func id(n uint64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatUint(n, 10)
}

func firstOf(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}
