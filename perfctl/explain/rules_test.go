package explain_test

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/explain"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

var update = flag.Bool("update", false, "write the examples of docs/compare.md anew")

// example is made records of which a rule holds, and which rules may hold beside it.
type example struct {
	base, new []result.Run
	also      []string
	verdict   compare.Verdict
}

func old(costs map[string]float64) []result.Run {
	return made{version: "old", costs: costs, response: 100}.runs()
}

// examples are one of each kind, and a counterexample's counterpart: all sides
// are as usual but for what the rule is about.
func examples() map[string]example {
	n := func(response float64, costs map[string]float64) []result.Run {
		return made{version: "new", costs: costs, response: response}.runs()
	}
	burner := broken("others", 0.48, 0.1, "other programs used 48% of the machine's CPU time, and cache with it: QPS, response times and CPU/query are not the version's alone")
	writes := but(usual(), "innodb_os_log_written", 400, "innodb_log_writes", 1, "innodb_data_fsyncs", 0.02, "write_kb", 4)
	planned := func(version, plan string, rows float64) []result.Run {
		return made{version: version, response: 100 + rows/10, costs: but(usual(), "rows_read", rows, "instructions", 400_000+600*rows, "cycles", 320_000+480*rows, "cpu_us", 80+rows/10, "cpu_connection_us", 79+rows/10),
			change: func(r *result.Run) {
				r.Server.Plans = map[string]string{"SELECT c FROM sbtest1 WHERE k=?": plan}
			}}.runs()
	}
	return map[string]example{
		explain.MoreCode: {base: old(usual()), verdict: compare.Slower,
			new: n(124, but(usual(), "instructions", 520_000, "cycles", 416_000, "cpu_us", 104, "cpu_connection_us", 102.7))},
		explain.LessCode: {base: old(usual()), verdict: compare.Faster,
			new: n(84, but(usual(), "instructions", 320_000, "cycles", 256_000, "cpu_us", 64, "cpu_connection_us", 63.2))},
		explain.SlowerMemory: {base: old(usual()), verdict: compare.Same,
			new: n(116, but(usual(), "cycles", 384_000, "cpu_us", 96, "cpu_connection_us", 94.8))},
		explain.Contention: {base: made{version: "old", clients: 8, response: 100, costs: but(usual(), "innodb_row_lock_waits", 0, "innodb_row_lock_time", 0)}.runs(), verdict: compare.Same,
			new: made{version: "new", clients: 8, response: 700, costs: but(usual(), "innodb_row_lock_waits", 0.7, "innodb_row_lock_time", 1.9, "context_switches_voluntary", 2.1)}.runs()},
		explain.NoisyMachine: {base: old(usual()), verdict: compare.Same,
			new: made{version: "new", costs: but(usual(), "run_queue_connection_us", 31), response: 130, quality: []result.Quality{burner}}.runs(), also: []string{explain.NothingChanged}},
		explain.MoreIO: {base: old(writes), verdict: compare.Same,
			new: n(900, but(writes, "innodb_data_fsyncs", 1.02, "write_kb", 12, "context_switches_voluntary", 3))},
		explain.AnotherPlan: {base: planned("old", "sbtest1 ref k_1(4) Using index", 10), new: planned("new", "sbtest1 ALL", 1000), verdict: compare.Slower,
			also: []string{explain.MoreCode}},
		explain.ClientBound: {base: old(usual()), verdict: compare.Same,
			new: n(150, but(usual(), "client_cpu_us", 60))},
		explain.Decaying: {base: old(usual()), verdict: compare.Same,
			new: made{version: "new", costs: usual(), response: 100, thirds: []int64{4000, 3400, 2600}}.runs(), also: []string{explain.NothingChanged}},
		explain.DeferredWork: {base: old(usual()), verdict: compare.Same, also: []string{explain.NothingChanged},
			new: made{version: "new", costs: usual(), response: 100, quality: []result.Quality{broken("history_growth", 0.9, 0.1, "0.90 transactions a query were left to purge: part of the work is deferred, and later queries pay for it")}}.runs()},
		explain.NothingChanged: {base: old(usual()), verdict: compare.Same,
			new: n(100, usual())},
	}
}

// TestRules: each rule holds where it should, is sure of it, has evidence, and no
// other rule holds.
func TestRules(t *testing.T) {
	all := examples()
	for _, r := range explain.Rules() {
		x, ok := all[r.Kind]
		if !ok {
			t.Errorf("no example of %s", r.Kind)
			continue
		}
		e := explained(t, x.base, x.new)
		want := append([]string{r.Kind}, x.also...)
		got := kindsOf(e)
		slices.Sort(want)
		slices.Sort(got)
		if !slices.Equal(got, want) {
			t.Errorf("%s: rules that hold are %v, want %v", r.Kind, got, want)
			continue
		}
		k := finding(t, e, r.Kind)
		if !k.Sure || len(k.Evidence) == 0 || k.Text == "" || k.Title != r.Title {
			t.Errorf("%s: %+v", r.Kind, k)
		}
		if e.Verdict.Word != string(x.verdict) {
			t.Errorf("%s: the verdict is %q, want %q (%+v)", r.Kind, e.Verdict.Word, x.verdict, e.Verdict.Ratio)
		}
	}
}

// TestNoRuleIsForced: where starts scatter, or a change is below what matters,
// no rule about a change holds.
func TestNoRuleIsForced(t *testing.T) {
	noisy := func(version string, f float64) []result.Run {
		c := usual()
		for name := range c {
			c[name] *= f
		}
		return made{version: version, costs: c, response: 100, noise: 0.08, starts: 4}.runs()
	}
	e := explained(t, noisy("old", 1), noisy("new-", 1.01))
	if len(e.Kinds) != 0 || e.Verdict.Word != string(compare.Unsure) {
		t.Errorf("%v, %s", kindsOf(e), e.Verdict.Word)
	}
	if len(e.Surer) == 0 || !strings.Contains(e.Surer[0], "more server starts a side would tell") {
		t.Errorf("%v", e.Surer)
	}
	one := func(version string, instructions float64) []result.Run {
		return made{version: version, starts: 1, costs: but(usual(), "instructions", instructions), response: 100}.runs()
	}
	e = explained(t, one("old", 400_000), one("new", 520_000)) // single starts: a ratio, and no interval
	if k := finding(t, e, explain.MoreCode); k.Sure {
		t.Errorf("%+v", k)
	}
	if !strings.Contains(strings.Join(e.Surer, "\n"), "set repeats to 4 and more") && e.Verdict.Word == "" {
		t.Errorf("%v", e.Surer)
	}
}

// TestScaling: switches that rise with the clients are contention, even where
// more is written too.
func TestScaling(t *testing.T) {
	writes := but(usual(), "innodb_log_writes", 1)
	more := func(switches float64) map[string]float64 {
		return but(writes, "innodb_log_writes", 1.3, "context_switches_voluntary", switches)
	}
	var base, new []result.Run
	for _, clients := range []int{1, 8} {
		base = append(base, made{version: "old", costs: writes, response: 100, clients: clients}.runs()...)
	}
	new = append(new, made{version: "new", costs: more(1.02), response: 110, clients: 1}.runs()...)
	new = append(new, made{version: "new", costs: more(3), response: 300, clients: 8}.runs()...)
	s := study(t, base, new)
	for i := range s.Len() {
		e := s.Explain(i, nil, "")
		if got, want := slices.Contains(kindsOf(e), explain.Contention), e.Clients == 8; got != want {
			t.Errorf("%d clients: %v", e.Clients, kindsOf(e))
		}
		if e.Clients == 8 && !strings.Contains(finding(t, e, explain.Contention).Text, "grows with the clients") {
			t.Errorf("%+v", finding(t, e, explain.Contention))
		}
	}
}

// TestDocumented: docs/compare.md has each rule with its meaning, and below it
// what opcost prints of the example. Run with -update to write the examples.
func TestDocumented(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "compare.md")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	all := examples()
	doc := string(text)
	for _, r := range explain.Rules() {
		x := all[r.Kind]
		e := explained(t, x.base, x.new)
		printed := strings.TrimSpace(kindPrinted(t, finding(t, e, r.Kind)))
		section := "### `" + r.Kind + "`: " + r.Title + "\n\n" + r.Meaning + "\n\n```\n" + printed + "\n```\n"
		if *update {
			doc = replaced(doc, "### `"+r.Kind+"`", section)
		} else if !strings.Contains(doc, section) {
			t.Errorf("docs/compare.md lacks (go test ./perfctl/explain -run Documented -update writes it):\n%s", section)
		}
	}
	x := all[explain.MoreCode]
	whole := "## An answer\n\n```\n" + strings.TrimRight(printed(t, report.Table, explained(t, x.base, x.new), 100), "\n") + "\n```\n"
	if *update {
		doc = replaced(doc, "## An answer", whole)
		if err := os.WriteFile(path, []byte(doc), 0o600); err != nil {
			t.Fatal(err)
		}
	} else if !strings.Contains(doc, whole) {
		t.Errorf("docs/compare.md lacks\n%s", whole)
	}
}

// replaced puts a section in place of the one that begins so, up to the next
// heading, or at the end.
func replaced(doc, heading, section string) string {
	i := strings.Index(doc, heading)
	if i < 0 {
		return doc + "\n" + section
	}
	rest := doc[i+len(heading):]
	end := strings.Index(rest, "\n#")
	if end < 0 {
		return doc[:i] + section
	}
	return doc[:i] + section + rest[end:]
}

// printed lays one explanation out.
func printed(t *testing.T, f report.Format, e explain.Explanation, width int) string {
	t.Helper()
	var b bytes.Buffer
	c := explain.Comparison{Schema: explain.Schema, Base: e.Base, New: e.New, Explanations: []explain.Explanation{e}}
	if err := report.WriteExplanation(&b, f, c, report.Layout{Width: width}); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// kindPrinted is what the terminal shows of a finding alone.
func kindPrinted(t *testing.T, k explain.Finding) string {
	t.Helper()
	text := printed(t, report.Table, explain.Explanation{Kinds: []explain.Finding{k}}, 100)
	_, text, ok := strings.Cut(text, "Of what kind\n")
	if !ok {
		t.Fatalf("no kinds in %q", text)
	}
	var lines []string
	for l := range strings.Lines(text) {
		lines = append(lines, strings.TrimPrefix(strings.TrimRight(l, "\n"), "  "))
	}
	return strings.Join(lines, "\n")
}
