package smalldatum

import (
	"fmt"
	"regexp"
	"strings"

	"opcost/perfctl/importer/internal/lines"
)

// opcost prints ratios in the published layout. Where it prints several tables, a
// line in front of each says what it is of; workloads have opcost's names, and a
// ratio that there is none of is an empty field.
var (
	measuredOn = regexp.MustCompile(`^Measured on: (.*), (\d{1,7}) clients?$`)
	ratiosOf   = regexp.MustCompile(`^Ratios of: (.+?)\s*$`)
	groupLine  = regexp.MustCompile(`^(?:median|minimum|maximum)_[^\t]+$`)
)

// eachBefore is what stands for a base where each version has another.
const eachBefore = "the version before"

// measured begins a table.
func (p *parser) measured(m []string) error {
	p.Own = true
	p.host, p.clients, p.names = m[1], atoi(m[2]), nil
	if p.clients == 0 {
		return fmt.Errorf("a table of %s clients", m[2])
	}
	return nil
}

func (p *parser) relativeTo(base string) error {
	switch {
	case base == eachBefore:
		return fmt.Errorf("its ratios are to %s, each to another one: print them with --base NAME", eachBefore)
	case p.Own && p.Base != "" && p.Base != base:
		return fmt.Errorf("its tables are relative to %s and to %s", lines.Short(p.Base), lines.Short(base))
	}
	p.Base = base
	return nil
}

// isOwn tells a row of ratios by its tabs: a field for each name of the heading,
// then a workload.
func (p *parser) isOwn(line string) bool {
	fields := strings.Split(line, "\t")
	last := len(fields) - 1
	if p.Base == "" || last < 1 || last != len(p.names) || fields[last] == "" {
		return false
	}
	for _, s := range fields[:last] {
		if _, ok := parseNumber(s); !ok && s != "" {
			return false
		}
	}
	return true
}

func (p *parser) own(n int, line string) error {
	values := strings.Split(line, "\t")
	test := values[len(values)-1]
	values = values[:len(values)-1]
	if groupLine.MatchString(test) {
		return nil // follows from the rows
	}
	p.Own = p.Own || !tableRow.MatchString(test)
	p.Kind = QPSRelative
	if len(test) > 1 && test[0] == '\'' && strings.ContainsRune("=+-@", rune(test[1])) {
		test = test[1:] // put there for spreadsheets
	}
	for i, s := range values {
		if s == "" {
			continue
		}
		c := Cell{Test: test, Server: p.names[i], Column: i, Metric: "qps", Relative: true, Line: n, Host: p.host, Clients: p.clients}
		if err := p.add(c, s); err != nil {
			return err
		}
	}
	return nil
}
