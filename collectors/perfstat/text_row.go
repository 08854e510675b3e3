package perfstat

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

var (
	varianceMark = regexp.MustCompile(`\(\s*\+-\s*([\d.,]+)%\s*\)`)
	runningMark  = regexp.MustCompile(`\(\s*([\d.,]+)%\s*\)\s*$`)
	timeColumn   = regexp.MustCompile(`^\s*(\d+[.,]\d{9})\s+(\S.*)$`)
	// placeColumn: a socket, die, core or node with how many CPUs are added up.
	placeColumn = regexp.MustCompile(`^\s*((?:[SN]\d+)(?:-[A-Z]+\d+)*|D\d+)\s+(\d+)\s+(\S.*)$`)
	// whereColumn: a CPU of -A, or a thread's name and id of --per-thread.
	whereColumn = regexp.MustCompile(`^\s*(CPU\d+|\S.{0,63}?-\d+)\s{2,}(\S.*)$`)
	valueColumn = regexp.MustCompile(`^\s*(<not counted>|<not supported>|\d[\d.,'\x{2019}]*(?:[ \x{a0}\x{202f}]\d{3}(?:[.,]\d+)?\b)*)\s+(\S.*)$`)
	// eventName is what perf prints as an event; it may end in a kind of core.
	eventName = regexp.MustCompile(`^[A-Za-z_{][^\s#]*$`)
	oldUnit   = regexp.MustCompile(`\s\((\w+)\)\s*$`) // task-clock (msec), before 4.19
	kindName  = regexp.MustCompile(`^\[\w+\]$`)
)

// textRow reads one line. A row of metrics without a count has its group's name
// as event, or none.
func textRow(line string) (Count, []Metric, rowKind) {
	c := Count{RunNS: -1, Running: -1}
	if m := varianceMark.FindStringSubmatch(line); m != nil {
		c.Variance, _ = number(m[1])
		line = varianceMark.ReplaceAllString(line, " ")
	}
	if m := runningMark.FindStringSubmatchIndex(line); m != nil {
		c.Running, _ = number(line[m[2]:m[3]])
		line = line[:m[0]]
	}
	parts := strings.Split(line, "#")
	left, metrics := parts[0], textMetrics(parts[1:])
	if strings.TrimSpace(left) == "" {
		return c, metrics, kindOf(metrics)
	}
	if m := timeColumn.FindStringSubmatch(left); m != nil {
		c.Interval, _ = number(m[1])
		left = m[2]
	}
	if m := placeColumn.FindStringSubmatch(left); m != nil {
		c.Where, left = m[1], m[3]
		_, _ = fmt.Sscan(m[2], &c.CPUs) // digits
	} else if !valueColumn.MatchString(left) {
		if m := whereColumn.FindStringSubmatch(left); m != nil {
			c.Where, left = m[1], m[2]
		}
	}
	m := valueColumn.FindStringSubmatch(left)
	if m == nil {
		c.Event = strings.TrimSpace(left)
		if !eventName.MatchString(c.Event) {
			return c, nil, isNothing
		}
		return c, metrics, kindOf(metrics)
	}
	if !c.named(m[2]) || !c.valued(m[1]) {
		return c, nil, isNothing
	}
	return c, metrics, isCount
}

func kindOf(metrics []Metric) rowKind {
	if len(metrics) == 0 {
		return isNothing
	}
	return isMetric
}

// named reads the columns behind the number: a unit perhaps, the event, perhaps
// a kind of core or a cgroup.
func (c *Count) named(s string) bool {
	if m := oldUnit.FindStringSubmatch(s); m != nil {
		c.Unit = m[1]
		s = strings.TrimSuffix(strings.TrimSpace(s), "("+m[1]+")")
	}
	f := strings.Fields(s)
	if len(f) > 1 && (knownUnits[f[0]] || !eventName.MatchString(f[0])) {
		c.Unit, f = f[0], f[1:]
	}
	if len(f) == 0 || len(f) > 2 || !eventName.MatchString(f[0]) {
		return false
	}
	c.Event = f[0]
	if len(f) == 2 {
		if kindName.MatchString(f[1]) {
			c.Event += " " + f[1]
		} else {
			c.Cgroup = f[1]
		}
	}
	return true
}

func (c *Count) valued(s string) bool {
	var ok bool
	switch s {
	case string(NotCounted), string(NotSupported):
		c.Mark = Mark(s)
		return true
	}
	c.Mark = Counted
	c.Value, ok = grouped(s)
	return ok
}

// grouped reads a number with the marks that locales set between thousands:
// 1,234 1.234 1'234 1 234. A mark before three last digits stands between
// thousands, unless a 0 alone is before it: perf prints two decimals or six.
func grouped(s string) (float64, bool) {
	var digits, marks []rune
	var groups []int // lengths, a mark between each
	n := 0
	for _, r := range s {
		if r >= '0' && r <= '9' {
			digits = append(digits, r)
			n++
			continue
		}
		marks, groups, n = append(marks, r), append(groups, n), 0
	}
	groups = append(groups, n)
	decimals := 0
	if k := len(marks); k > 0 {
		last, differs := groups[k], k > 1 && marks[k-1] != marks[0]
		point := marks[k-1] == '.' || marks[k-1] == ','
		if point && (last != 3 || differs || groups[0] == 1 && s[0] == '0') {
			decimals, marks, groups = last, marks[:k-1], groups[:k]
		}
	}
	for i, g := range groups {
		first := i == 0
		if g == 0 || !first && (g != 3 || groups[0] > 3) || i > 0 && marks[i-1] != marks[0] {
			return 0, false
		}
	}
	text := string(digits[:len(digits)-decimals]) + "." + string(digits[len(digits)-decimals:])
	v, err := strconv.ParseFloat(strings.TrimSuffix(text, "."), 64)
	return v, err == nil
}
