package diff

import (
	"fmt"
	"slices"
	"strings"

	"opcost/profiles"
)

// alike is an error where profiles must not be compared.
func alike(base, new []Side) error {
	if len(base) == 0 || len(new) == 0 {
		return fmt.Errorf("%d profiles of the base and %d of the new version: give at least one of each", len(base), len(new))
	}
	first := base[0].Profile
	for i, s := range slices.Concat(base, new) {
		where := fmt.Sprintf("base profile %d", i+1)
		if i >= len(base) {
			where = fmt.Sprintf("new profile %d", i-len(base)+1)
		}
		p := s.Profile
		switch {
		case p == nil:
			return fmt.Errorf("%s is missing", where)
		case s.operations() <= 0:
			return fmt.Errorf("%s does not say how many operations it is of, so nothing can be told per query; give their number", where)
		case p.Event.Counts() != first.Event.Counts():
			return fmt.Errorf("%s is of the event %s, the first of %s: unlike events are not compared; give profiles of one event", where, p.Event.Name, first.Event.Name)
		case p.Event.Unit != first.Event.Unit, p.Event.Counted != first.Event.Counted:
			return fmt.Errorf("%s is in %s (%s), the first in %s (%s): give profiles of one kind", where,
				p.Event.Unit, counted(p), first.Event.Unit, counted(first))
		case per(p) != per(first):
			return fmt.Errorf("%s is per %s, the first per %s: give profiles of one kind of operation", where, per(p), per(first))
		}
	}
	return nil
}

func (s Side) operations() float64 {
	if s.Operations > 0 {
		return s.Operations
	}
	return s.Profile.About.Operations
}

func counted(p *profiles.Profile) string {
	if p.Event.Counted {
		return "counted"
	}
	return "sampled"
}

func per(p *profiles.Profile) string {
	if p.About.Per == "" {
		return "statement"
	}
	return p.About.Per
}

// unlike are the differences that do not forbid to compare, but may be the reason
// for a change.
func unlike(base, new []Side) []string {
	warnings := []string{}
	for _, c := range []struct {
		what string
		of   func(a profiles.About) string
		why  string
	}{
		{"workload", func(a profiles.About) string { return a.Workload }, ""},
		{"clients", func(a profiles.About) string { return number(a.Clients) }, ""},
		{"protocol", func(a profiles.About) string { return a.Protocol }, ""},
		{"call graph", func(a profiles.About) string { return a.CallGraph }, "; places that are inherited from callers may differ for that reason"},
		{"sampling rate", func(a profiles.About) string { return number(a.Hz) }, ""},
	} {
		a, b := values(base, c.of), values(new, c.of)
		if a != b && a != "" && b != "" {
			warnings = append(warnings, fmt.Sprintf("unlike %s: %s in the base, %s in the new version%s", c.what, a, b, c.why))
		}
	}
	return warnings
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return fmt.Sprint(n)
}

func values(sides []Side, of func(profiles.About) string) string {
	var vs []string
	for _, s := range sides {
		if v := of(s.Profile.About); v != "" && !slices.Contains(vs, v) {
			vs = append(vs, v)
		}
	}
	slices.Sort(vs)
	return strings.Join(vs, ", ")
}
