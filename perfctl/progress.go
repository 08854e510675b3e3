package perfctl

import (
	"fmt"
	"time"

	"opcost/perfctl/plan"
	"opcost/perfctl/result"
)

// Progress is what a run is doing now. Whoever runs it shows it; a run itself
// prints nothing.
type Progress struct {
	Doing   string        // "r00 pfs-on: point-query, 1 client: window 1 of 2"
	Done    int           // server starts finished
	Total   int           // of so many
	Left    time.Duration // an estimate; 0 while there is none
	Warning string        // set: this is not a step but something the user must see
}

// clock knows how long the schedule's starts took and tells what is left.
type clock struct {
	notify func(Progress)
	plan   *plan.Plan
	left   []Start
	done   int
	begun  time.Time
	guess  map[result.PassKind]time.Duration // of one cell in a pass
	seen   map[result.PassKind]took
}

type took struct {
	cells int
	time  time.Duration
}

func newClock(p *plan.Plan, w ways, starts []Start, notify func(Progress)) *clock {
	c := &clock{notify: notify, plan: p, left: starts, guess: map[result.PassKind]time.Duration{}, seen: map[result.PassKind]took{}}
	for _, y := range w {
		c.guess[y.kind] = y.guess(p)
	}
	return c
}

func (c *clock) begin(Start) { c.begun = time.Now() }

func (c *clock) end(s Start) {
	t := c.seen[s.Pass]
	c.seen[s.Pass] = took{t.cells + len(s.Cells), t.time + time.Since(c.begun)}
	c.left = c.left[1:]
	c.done++
}

// estimate is the time the starts that are left need: as long a cell as the
// cells of the same pass took so far.
func (c *clock) estimate() time.Duration {
	var sum time.Duration
	for _, s := range c.left {
		cell := c.guess[s.Pass]
		if t := c.seen[s.Pass]; t.cells > 0 {
			cell = t.time / time.Duration(t.cells)
		}
		sum += cell * time.Duration(len(s.Cells))
	}
	if !c.begun.IsZero() && len(c.left) > 0 && c.done+len(c.left) > 0 {
		sum -= min(time.Since(c.begun), sum)
	}
	return sum
}

func (c *clock) say(p Progress) {
	if c.notify == nil {
		return
	}
	p.Done, p.Total, p.Left = c.done, c.done+len(c.left), c.estimate()
	c.notify(p)
}

func (c *clock) doing(format string, args ...any) {
	c.say(Progress{Doing: fmt.Sprintf(format, args...)})
}
