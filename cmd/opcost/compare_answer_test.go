package main

import (
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/explain"
)

// answer is what a comparison says of its worst cell.
type answer struct {
	explain.Explanation
	t *testing.T
}

func compared(t *testing.T, base, new string, more ...string) answer {
	t.Helper()
	o := opcost(t, append([]string{"compare", "--base", base, "--new", new, "--noise", "none", "--format", "json"}, more...)...)
	if o.code != exitDone {
		t.Fatalf("compare %s with %s: exit status %d\n%s", base, new, o.code, o.stderr)
	}
	var c explain.Comparison
	if err := json.Unmarshal([]byte(o.stdout), &c); err != nil {
		t.Fatalf("%v\n%s", err, o.stdout)
	}
	if len(c.Explanations) != 1 {
		t.Fatalf("%d explanations of one pair", len(c.Explanations))
	}
	a := answer{c.Explanations[0], t}
	for _, e := range a.Equations {
		addsUp(t, e.Total)
	}
	return a
}

// addsUp checks that the parts' changes make their whole's, all the way down.
func addsUp(t *testing.T, p explain.Part) {
	t.Helper()
	if len(p.Parts) == 0 {
		return
	}
	sum, size := 0.0, 0.0
	for _, q := range p.Parts {
		sum += q.Delta
		size += math.Abs(q.Delta)
		addsUp(t, q)
	}
	if math.Abs(sum-p.Delta) > 1e-9*(size+math.Abs(p.Base)+math.Abs(p.New)) {
		t.Errorf("%s: the parts' changes add up to %g, the whole is %g", p.Name, sum, p.Delta)
	}
}

func (a answer) kind(kind string) (explain.Finding, bool) {
	i := slices.IndexFunc(a.Kinds, func(f explain.Finding) bool { return f.Kind == kind })
	if i < 0 {
		return explain.Finding{}, false
	}
	return a.Kinds[i], true
}

// is asks for a kind, with one of the metrics among its evidence.
func (a answer) is(kind string, evidence ...string) {
	a.t.Helper()
	f, ok := a.kind(kind)
	if !ok {
		a.t.Errorf("not said to be %s:\n%s", kind, a)
		return
	}
	if len(evidence) > 0 && !slices.ContainsFunc(f.Evidence, func(e explain.Evidence) bool { return slices.Contains(evidence, e.Name) }) {
		a.t.Errorf("%s without evidence of %v:\n%s", kind, evidence, a)
	}
}

func (a answer) isNot(kinds ...string) {
	a.t.Helper()
	for _, k := range kinds {
		if _, ok := a.kind(k); ok {
			a.t.Errorf("said to be %s:\n%s", k, a)
		}
	}
}

// differs asks for a difference, and for what a plan would set to take it away.
func (a answer) differs(name, where, key string) {
	a.t.Helper()
	for _, d := range a.Differences {
		if d.Name == name || strings.HasSuffix(name, "*") && strings.HasPrefix(d.Name, strings.TrimSuffix(name, "*")) {
			if d.Isolate.Where != where || d.Isolate.Key != key {
				a.t.Errorf("%s would be isolated by %q %q, want %q %q", name, d.Isolate.Where, d.Isolate.Key, where, key)
			}
			return
		}
	}
	a.t.Errorf("%s is not among the differences:\n%s", name, a)
}

// like asks for no difference in a class, such as another plan.
func (a answer) like(classes ...explain.Class) {
	a.t.Helper()
	for _, d := range a.Differences {
		if slices.Contains(classes, d.Class) {
			a.t.Errorf("differs in %s, %s: %s, %s", d.Class, d.Name, d.Base, d.New)
		}
	}
}

func (a answer) verdict(words ...string) {
	a.t.Helper()
	if !slices.Contains(words, a.Verdict.Word) {
		a.t.Errorf("the verdict is %q, want one of %v:\n%s", a.Verdict.Word, words, a)
	}
}

func (a answer) String() string {
	text, _ := json.MarshalIndent(struct {
		Verdict     explain.Verdict
		Kinds       []explain.Finding
		Differences []explain.Difference
	}{a.Verdict, a.Kinds, a.Differences}, "", " ")
	return string(text)
}
