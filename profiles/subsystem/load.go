package subsystem

import (
	"bufio"
	_ "embed" // places.txt
	"fmt"
	"io"
	"maps"
	"strings"
)

// The places of what no rule places.
const (
	ServerOther = "server other" // named code outside the kernel
	KernelOther = "kernel other"
	Unresolved  = "unresolved" // no name, and no caller with one
)

// caller is no place: what a rule puts there belongs to its nearest caller that
// has one.
const caller = "caller"

//go:embed places.txt
var builtIn string

// Table tells places. It is read-only once made.
type Table struct {
	user, kernel, object rules
	kernelPlaces         map[string]bool
	order                []string
	noted                map[string]bool // what is in order
}

// Default is opcost's own table. Its format is described at the head of
// places.txt.
func Default() *Table {
	t, err := Load(strings.NewReader(builtIn), nil)
	if err != nil {
		panic("places.txt: " + err.Error()) // a test reads it
	}
	return t
}

// Load reads a table on top of another (nil: of nothing), which stays as it is.
// A pattern that both have is the new one's. An error names the line.
func Load(r io.Reader, base *Table) (*Table, error) {
	t := &Table{kernelPlaces: map[string]bool{KernelOther: true}, noted: map[string]bool{}}
	if base != nil {
		t.user, t.kernel, t.object = base.user.clone(), base.kernel.clone(), base.object.clone()
		t.kernelPlaces, t.order = maps.Clone(base.kernelPlaces), append([]string(nil), base.order...)
		maps.Copy(t.noted, base.noted)
	}
	place := ""
	seen := map[string]int{}
	scan := bufio.NewScanner(r)
	n := 1
	for ; scan.Scan(); n++ {
		line, _, _ := strings.Cut(scan.Text(), "#")
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if name, ok := strings.CutPrefix(line, "["); ok {
			name, ok = strings.CutSuffix(name, "]")
			if place = strings.TrimSpace(name); !ok || place == "" {
				return nil, fmt.Errorf("line %d: %q: a place is written as [name]", n, line)
			}
			continue
		}
		kind, patterns, _ := strings.Cut(line, " ")
		if place == "" {
			return nil, fmt.Errorf("line %d: a rule before the first [place]", n)
		}
		rs := t.kind(kind)
		if rs == nil {
			return nil, fmt.Errorf("line %d: %q: a rule begins with user, kernel or object", n, kind)
		}
		ps := split(patterns)
		if len(ps) == 0 {
			return nil, fmt.Errorf("line %d: %q without a pattern", n, kind)
		}
		for _, p := range ps {
			if strings.Trim(p, "*") == "" {
				return nil, fmt.Errorf("line %d: the pattern %q would match everything", n, p)
			}
			key := kind + " " + p
			if first, twice := seen[key]; twice {
				return nil, fmt.Errorf("line %d: the pattern %q was given in line %d", n, p, first)
			}
			seen[key] = n
			rs.set(p, place)
		}
		if place != caller {
			t.note(place, kind == "kernel")
		}
	}
	if err := scan.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", n, err)
	}
	return t, nil
}

func (t *Table) kind(word string) *rules {
	switch word {
	case "user":
		return &t.user
	case "kernel":
		return &t.kernel
	case "object":
		return &t.object
	}
	return nil
}

func (t *Table) note(place string, kernel bool) {
	if kernel {
		t.kernelPlaces[place] = true
	}
	if !t.noted[place] {
		t.noted[place] = true
		t.order = append(t.order, place)
	}
}

// Places are all places that rules give, in the order of the tables.
func (t *Table) Places() []string { return append([]string(nil), t.order...) }

// split separates patterns at spaces; one with spaces in it is put in quotes.
func split(s string) []string {
	var ps []string
	for s = strings.TrimSpace(s); s != ""; s = strings.TrimSpace(s) {
		var p string
		if rest, ok := strings.CutPrefix(s, `"`); ok {
			p, s, _ = strings.Cut(rest, `"`)
		} else {
			p, s, _ = strings.Cut(s, " ")
		}
		ps = append(ps, p)
	}
	return ps
}
