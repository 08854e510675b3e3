package perfctl

import (
	"fmt"
	"time"

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
	costs  costs
	left   []Start // the one under way first
	done   int
	born   time.Time
	begun  time.Time // the start under way
	seen   map[result.PassKind]took
}

// took compares the starts of a pass that are done with what was expected.
type took struct{ real, expected time.Duration }

func newClock(k costs, notify func(Progress)) *clock {
	return &clock{notify: notify, costs: k, born: time.Now(), seen: map[result.PassKind]took{}}
}

// elapsed is the time since the run began.
func (c *clock) elapsed() time.Duration { return time.Since(c.born) }

// begin notes that the first of the starts left is under way.
func (c *clock) begin(left []Start) { c.left, c.begun = left, time.Now() }

func (c *clock) end(s Start) {
	t := c.seen[s.Pass]
	c.seen[s.Pass] = took{t.real + time.Since(c.begun), t.expected + c.expected(s)}
	c.left = c.left[1:]
	c.done++
}

// expected is what a start takes as the plan lets one think.
func (c *clock) expected(s Start) time.Duration {
	if len(s.Past) > 0 && !replays(c.costs.plan) {
		return c.costs.start(s, true) + c.costs.redo(s.Past)
	}
	return c.costs.start(s, s.Restore)
}

// cost is what a start takes after what the starts of its pass took so far.
func (c *clock) cost(s Start) time.Duration {
	d := c.expected(s)
	if t := c.seen[s.Pass]; t.expected > 0 {
		d = time.Duration(float64(d) * float64(t.real) / float64(t.expected))
	}
	return d
}

// estimate is the time the starts that are left need. With a budget, what comes
// after the first screen takes no more than is left of it.
func (c *clock) estimate() time.Duration {
	var screen, rest time.Duration
	for _, s := range c.left {
		if s.Repeat < screenStarts {
			screen += c.cost(s)
		} else {
			rest += c.cost(s)
		}
	}
	if b := c.costs.plan.Budget; b > 0 {
		rest = min(rest, max(0, b-c.elapsed()-screen))
	}
	sum := screen + rest
	if !c.begun.IsZero() {
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
