package threads

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"opcost/collectors/internal/sqltext"
	"opcost/perfctl/result"
)

// window is two edges of which a table is made.
type window struct {
	begin, end edge
	join       joiner
	perf       *counters
	literals   bool
	nstids     map[int]int // where the kernel does not say them
}

// rows are all threads of either edge, most CPU first.
func (w window) rows() []result.Thread {
	rows := make([]result.Thread, 0, len(w.end.threads))
	server := w.serverIDs()
	for tid, e := range w.end.threads {
		b, there := w.begin.threads[tid]
		fresh := !there || reused(b, e)
		if fresh {
			b = thread{}
		}
		row := result.Thread{TID: tid, Name: e.Name, State: result.OK, CPUUS: float64(e.CPUNS-b.CPUNS) / 1e3, RunQueueUS: float64(e.WaitNS-b.WaitNS) / 1e3,
			Voluntary: float64(e.Voluntary - b.Voluntary), Involuntary: float64(e.Involuntary - b.Involuntary)}
		w.count(&row, fresh, b.Schedstat == e.Schedstat)
		w.joined(&row, server(tid, e), !fresh, true)
		rows = append(rows, row)
	}
	for tid, b := range w.begin.threads {
		if e, there := w.end.threads[tid]; !there || reused(b, e) {
			row := result.Thread{TID: tid, Name: b.Name}
			if !there { // its counters live on
				w.count(&row, false, false)
			}
			w.joined(&row, server(tid, b), true, false)
			row.State, row.Reason = result.Failed, "the thread ended in the window and took its counts along"
			rows = append(rows, row)
		}
	}
	slices.SortFunc(rows, func(a, b result.Thread) int {
		return cmp.Or(cmp.Compare(b.CPUUS, a.CPUUS), cmp.Compare(b.Voluntary, a.Voluntary), cmp.Compare(a.TID, b.TID))
	})
	return rows
}

// reused: a counter that went back is another thread's with the same number.
func reused(b, e thread) bool {
	return e.CPUNS < b.CPUNS || e.WaitNS < b.WaitNS || e.Voluntary < b.Voluntary || e.Involuntary < b.Involuntary
}

// serverIDs maps a thread to the number that the server knows it by, which
// differs in a PID namespace.
func (w window) serverIDs() func(tid int, t thread) int {
	there := make(map[int]int, len(w.nstids))
	for server, here := range w.nstids {
		there[here] = server
	}
	return func(tid int, t thread) int { return cmp.Or(t.NSTID, there[tid], tid) }
}

// count fills in what perf counted. A thread that was not on a CPU has 0,
// counted or not.
func (w window) count(row *result.Thread, fresh, idle bool) {
	if w.perf == nil || w.perf.lack != "" {
		return
	}
	row.Scope = w.perf.scope
	b, atBegin := w.begin.perf[row.TID]
	e, atEnd := w.end.perf[row.TID]
	switch counted := atBegin && atEnd && !fresh; {
	case idle && !counted:
		row.Instructions, row.Cycles = new(float64), new(float64)
	case !counted && fresh:
		row.Reason = "instructions: the thread began in the window"
	case !counted:
		row.Reason = "instructions: " + cmp.Or(w.perf.dropped, "the thread began after its counters were opened")
	case e.enabled-b.enabled > 0 && e.running == b.running:
		row.Reason = "instructions: other counters held the PMU all the time"
	default:
		scale := 1.0
		if ran := e.running - b.running; ran > 0 {
			row.RunningFraction = min(float64(ran)/float64(e.enabled-b.enabled), 1)
			scale = 1 / row.RunningFraction
		}
		instructions, cycles := scale*float64(e.values[0]-b.values[0]), scale*float64(e.values[1]-b.values[1])
		row.Instructions, row.Cycles = &instructions, &cycles
	}
}

// joined fills in whom the thread served, at the edges at which it was there.
func (w window) joined(row *result.Thread, id int, thereAtBegin, thereAtEnd bool) {
	b, atBegin := w.begin.conns[id]
	e, atEnd := w.end.conns[id]
	atBegin, atEnd = atBegin && thereAtBegin, atEnd && thereAtEnd
	c := e
	var why string
	switch {
	case !atBegin && !atEnd:
		row.Name = cmp.Or(w.join.names[id], row.Name)
		return
	case !atEnd:
		c = b
		if w.end.noConns == "" {
			why = "its connection ended in the window"
		}
	case atBegin && b.id != e.id:
		row.State = result.Partial
		why = fmt.Sprintf("the thread served the connections %d and %d, perhaps more, one after the other", b.id, e.id)
	}
	if why != "" {
		row.Reason = strings.TrimPrefix(row.Reason+"; "+why, "; ")
	}
	row.Connection, row.User, row.DB, row.Command, row.Own = c.id, clean(c.user), clean(c.db), c.command, c.own
	row.Name = cmp.Or(c.name, w.join.names[id], row.Name)
	text := c.text
	if text == "" && atBegin && b.id == c.id {
		text = b.text
	}
	switch {
	case c.own:
	case w.literals:
		row.Statement = clean(text)
	default:
		row.Statement = sqltext.Normalise(text)
	}
}

// clean makes a text one line that a terminal only prints.
func clean(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	if len(s) > sqltext.MaxBytes {
		s = strings.ToValidUTF8(s[:sqltext.MaxBytes-3], "") + "..."
	}
	return strings.TrimSpace(s)
}
