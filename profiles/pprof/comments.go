package pprof

import (
	"fmt"
	"strconv"
	"strings"

	"opcost/profiles"
)

const (
	prefix     = "opcost."
	keyFormat  = prefix + "format"
	keyWarning = prefix + "warning"
)

// The kinds of numbers of an event, in its comment "columns".
const (
	columnWeight    = "weight"
	columnSamples   = "samples"
	columnCalls     = "calls"
	columnInclusive = "inclusive"
)

// field is one value that is kept in a comment, by its key.
type field struct {
	key string
	get func() string
	set func(string) error
}

func text(key string, v *string) field {
	return field{key, func() string { return *v }, func(s string) error { *v = s; return nil }}
}

func whole[T int | int64](key string, v *T) field {
	return field{key,
		func() string { return nonzero(strconv.FormatInt(int64(*v), 10)) },
		func(s string) error {
			n, err := strconv.ParseInt("0"+s, 10, 64) // "" is 0
			*v = T(n)
			return err
		}}
}

func real(key string, v *float64) field {
	return field{key,
		func() string { return nonzero(strconv.FormatFloat(*v, 'g', -1, 64)) },
		func(s string) (err error) {
			if *v = 0; s != "" {
				*v, err = strconv.ParseFloat(s, 64)
			}
			return err
		}}
}

// nonzero leaves unknown values out.
func nonzero(s string) string {
	if s == "0" {
		return ""
	}
	return s
}

func aboutFields(a *profiles.About) []field {
	return []field{
		text("version", &a.Version), text("workload", &a.Workload), whole("clients", &a.Clients), text("protocol", &a.Protocol),
		whole("repeat", &a.Repeat), real("operations", &a.Operations), text("per", &a.Per), real("seconds", &a.Seconds),
		real("cpu_us", &a.CPUUS), text("binary", &a.Binary), text("server", &a.Server), text("call_graph", &a.CallGraph), whole("hz", &a.Hz),
	}
}

func problemFields(p *profiles.Problems) []field {
	return []field{
		whole("lost", &p.Lost), whole("throttled", &p.Throttled), whole("no_stack", &p.NoStack),
		whole("broken", &p.Broken), whole("periods", &p.Periods),
	}
}

func eventKey(i int, key string) string { return fmt.Sprintf("%sevent.%d.%s", prefix, i, key) }

func (e *encoder) comment(key, value string) {
	e.p.Comments = append(e.p.Comments, key+"="+value)
}

func (e *encoder) aboutEvent(i int, p *profiles.Profile, columns []string) {
	e.comment(eventKey(i, "name"), p.Event.Name)
	e.comment(eventKey(i, "unit"), p.Event.Unit)
	e.comment(eventKey(i, "counted"), strconv.FormatBool(p.Event.Counted))
	e.comment(eventKey(i, "columns"), strings.Join(columns, ","))
	problems := p.Problems
	for _, f := range problemFields(&problems) {
		if v := f.get(); v != "" {
			e.comment(eventKey(i, f.key), v)
		}
	}
}

// about writes what the first event has, and of the others what differs.
func (e *encoder) about(i int, a, common profiles.About) {
	of, first := aboutFields(&a), aboutFields(&common)
	for j, f := range of {
		switch v := f.get(); {
		case i == 0 && v != "":
			e.comment(prefix+f.key, v)
		case i > 0 && v != first[j].get():
			e.comment(eventKey(i, f.key), v)
		}
	}
}

// comments is what a file of ours says about itself.
type comments struct {
	values   map[string]string
	mixed    map[string]bool // values that differ, as pprof keeps both when it merges files
	warnings []string
}

func readComments(lines []string) comments {
	c := comments{values: map[string]string{}, mixed: map[string]bool{}}
	for _, l := range lines {
		key, value, ok := strings.Cut(l, "=")
		switch {
		case !ok || !strings.HasPrefix(key, prefix):
		case key == keyWarning:
			c.warnings = append(c.warnings, value)
		default:
			if before, ok := c.values[key]; ok && before != value && !c.mixed[key] {
				c.mixed[key] = true
				c.warnings = append(c.warnings, fmt.Sprintf("made of profiles with different %s (%q, %q): it is not known", strings.TrimPrefix(key, prefix), before, value))
			}
			c.values[key] = value
		}
	}
	for key := range c.mixed {
		c.values[key] = ""
	}
	return c
}

func (c comments) about(i int) (profiles.About, error) {
	var a profiles.About
	for _, f := range aboutFields(&a) {
		v, ok := c.values[eventKey(i, f.key)]
		if !ok {
			v = c.values[prefix+f.key]
		}
		if err := f.set(v); err != nil {
			return a, fmt.Errorf("the comment %s%s: %w", prefix, f.key, err)
		}
	}
	return a, nil
}

func (c comments) problems(i int) (profiles.Problems, error) {
	var p profiles.Problems
	for _, f := range problemFields(&p) {
		if err := f.set(c.values[eventKey(i, f.key)]); err != nil {
			return p, fmt.Errorf("the comment %s: %w", eventKey(i, f.key), err)
		}
	}
	return p, nil
}
