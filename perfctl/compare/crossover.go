package compare

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Crossover is the number of clients from which on, for all greater ones that
// were measured, a version stays faster than the base.
type Crossover struct {
	Kind CrossoverKind `json:"kind"`
	From int           `json:"from,omitempty"` // clients, for "from" and "always"
	// Unsure are the numbers of clients at which it cannot be said who is faster.
	Unsure []int `json:"unsure,omitempty"`
	// Single: by single runs, which have no interval.
	Single bool `json:"single,omitempty"`
	// Sentence says all this for a release note.
	Sentence string `json:"sentence"`
}

// CrossoverKind is how a version stands to the base over the numbers of clients.
type CrossoverKind string

const (
	CrossoverAlways CrossoverKind = "always" // faster at every number of clients
	CrossoverFrom   CrossoverKind = "from"   // faster from some number on
	CrossoverNever  CrossoverKind = "never"  // not faster at the greatest number
	CrossoverUnsure CrossoverKind = "unsure" // it cannot be said at the greatest number
)

// standing is whether a version is faster at one point.
type standing int

const (
	standsUnsure standing = iota
	standsFaster
	standsSlower
)

// stand judges a point by its whole interval against 1; a single run's ratio by
// the metric's threshold.
func stand(p SweepPoint, m Metric) standing {
	below, above := p.Ratio, p.Ratio
	if p.Workloads > 0 {
		below, above = p.middle[0], p.middle[1]
	}
	lo, hi := below/(1+m.Threshold), above/(1-m.Threshold)
	if p.Low != nil && p.High != nil {
		lo, hi = *p.Low, *p.High
	}
	up, down := standsFaster, standsSlower
	if m.Sense == Cost {
		up, down = down, up
	}
	switch {
	case lo > 1:
		return up
	case hi < 1:
		return down
	}
	return standsUnsure
}

// crossover finds from which number of clients on a line stays faster.
func crossover(l SweepLine, base, metric string) Crossover {
	var c Crossover
	n := len(l.Points)
	if n == 0 {
		return c
	}
	c.Single = slices.ContainsFunc(l.Points, func(p SweepPoint) bool { return p.Low == nil || p.High == nil })
	from := n // index of the first point of the end where all are faster
	for from > 0 && l.Points[from-1].standing == standsFaster {
		from--
	}
	var faster, slower []int
	for _, p := range l.Points {
		switch p.standing {
		case standsFaster:
			faster = append(faster, p.Clients)
		case standsSlower:
			slower = append(slower, p.Clients)
		default:
			c.Unsure = append(c.Unsure, p.Clients)
		}
	}
	last := l.Points[n-1]
	who, slow := l.subject()
	var says string
	switch {
	case from == 0 && n == 1:
		c.Kind, c.From = CrossoverAlways, last.Clients
		says = fmt.Sprintf("%s faster than %s at %s, the only number measured", who, base, ClientsText(last.Clients))
	case from == 0:
		c.Kind, c.From = CrossoverAlways, l.Points[0].Clients
		says = fmt.Sprintf("%s faster than %s at every number of clients measured (%s)", who, base, span(l.Points))
	case from < n:
		c.Kind, c.From = CrossoverFrom, l.Points[from].Clients
		says = fmt.Sprintf("%s faster than %s from %s on", who, base, ClientsText(c.From))
		if before := slices.DeleteFunc(slices.Clone(faster), func(x int) bool { return x >= c.From }); len(before) > 0 {
			says += ", and at " + counts(before)
		}
	case last.standing == standsSlower && len(faster) > 0:
		c.Kind = CrossoverNever
		says = fmt.Sprintf("%s faster than %s at %s only", who, base, counts(faster))
	case last.standing == standsSlower:
		c.Kind = CrossoverNever
		shown := ""
		if len(c.Unsure) > 0 {
			shown = "shown to be "
		}
		says = fmt.Sprintf("In %s, at no number of clients measured (%s) %s %sfaster than %s", l.Version, span(l.Points), l.inverted(), shown, base)
	case len(c.Unsure) == n && n > 1:
		c.Kind = CrossoverUnsure
		says = fmt.Sprintf("In %s, it is unsure at every number of clients measured (%s) whether %s faster than %s", l.Version, span(l.Points), strings.TrimPrefix(who, fmt.Sprintf("In %s, ", l.Version)), base)
	default:
		c.Kind = CrossoverUnsure
		says = fmt.Sprintf("In %s, it is unsure whether %s faster than %s at %s, the most measured", l.Version, strings.TrimPrefix(who, fmt.Sprintf("In %s, ", l.Version)), base, ClientsText(last.Clients))
		if len(faster) > 0 {
			says += "; faster at " + counts(faster)
		}
	}
	if len(slower) > 0 && len(slower) < n {
		says += "; " + slow + " at " + counts(slower)
	}
	if others := slices.DeleteFunc(slices.Clone(c.Unsure), func(x int) bool { return c.Kind == CrossoverUnsure && (x == last.Clients || len(c.Unsure) == n) }); len(others) > 0 {
		says += "; unsure at " + counts(others)
	}
	if slices.ContainsFunc(l.Points, func(p SweepPoint) bool { return p.Workloads != last.Workloads }) {
		says += "; some of them were not measured at every number"
	}
	var by []string
	switch metric {
	case throughput, responseTime, "tps", "o/s", "qps_relative":
	default: // few instructions are not the same as being fast
		by = append(by, "by "+strings.ReplaceAll(strings.ReplaceAll(metric, "_per_query", "/query"), "_", " "))
	}
	if c.Single {
		by = append(by, "by single runs, no interval")
	}
	if len(by) > 0 {
		says += " (" + strings.Join(by, "; ") + ")"
	}
	c.Sentence = says
	return c
}

// subject begins the sentence about a line, up to its verb, and says what is
// so where the line is not faster.
func (l SweepLine) subject() (who, slow string) {
	switch l.Stat {
	case OfMost:
		return fmt.Sprintf("In %s, most %s are", l.Version, GroupText(l.Group)), "most are slower"
	case OfAll:
		return fmt.Sprintf("In %s, all %s are", l.Version, GroupText(l.Group)), "some are slower"
	}
	return fmt.Sprintf("In %s, %s is", l.Version, l.Workload), "slower"
}

// inverted is the subject behind its verb.
func (l SweepLine) inverted() string {
	switch l.Stat {
	case OfMost:
		return "are most " + GroupText(l.Group)
	case OfAll:
		return "are all " + GroupText(l.Group)
	}
	return "is " + l.Workload
}

// GroupText names a group's workloads in a sentence.
func GroupText(group string) string {
	switch group {
	case "point":
		return "point queries"
	case "range":
		return "range queries without aggregation"
	case "range-agg":
		return "range queries with aggregation"
	case "write":
		return "writes"
	case "":
		return "other workloads"
	}
	return group + " workloads"
}

func span(ps []SweepPoint) string {
	if len(ps) == 1 {
		return strconv.Itoa(ps[0].Clients)
	}
	return fmt.Sprintf("%d to %d", ps[0].Clients, ps[len(ps)-1].Clients)
}

// counts lists numbers of clients: "1, 4 and 10 clients".
func counts(ns []int) string {
	if len(ns) == 1 {
		return ClientsText(ns[0])
	}
	texts := make([]string, len(ns))
	for i, n := range ns {
		texts[i] = strconv.Itoa(n)
	}
	return strings.Join(texts[:len(texts)-1], ", ") + " and " + texts[len(texts)-1] + " clients"
}
