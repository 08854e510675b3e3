package quality

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/testbed/casefiles"
)

// sampled is a profile of 10,000 samples of 1 ms: named, with some of it changed.
func sampled(t *testing.T, change func(b *profiles.Builder, p *profiles.Profile)) *profiles.Profile {
	t.Helper()
	b := profiles.NewBuilder(profiles.Event{Name: "cpu-clock", Unit: profiles.Nanoseconds})
	p := &profiles.Profile{}
	change(b, p)
	_, n := b.Profile().Total()
	add(t, b, profiles.Frame{Function: "f", Object: "/usr/sbin/mariadbd", Space: profiles.User}, 10_000-n)
	made := b.Profile()
	made.About, made.Problems = p.About, p.Problems
	if p.Event.Name != "" {
		made.Event = p.Event
	}
	return made
}

func add(t *testing.T, b *profiles.Builder, f profiles.Frame, samples int64) {
	t.Helper()
	var frames []int32
	if f != (profiles.Frame{}) {
		frames = []int32{b.Frame(f)}
	}
	if err := b.Add("", frames, samples*1_000_000, samples); err != nil {
		t.Fatal(err)
	}
}

// TestCheck: each rule within its limit and beyond it; the values were reckoned by hand.
func TestCheck(t *testing.T) {
	casefiles.Used(t, casefiles.Compared, "10-problems/flamegraph-92")
	unnamed := func(object string, space profiles.Space) profiles.Frame {
		return profiles.Frame{Object: object, Address: 1, Space: space}
	}
	problems := func(pr profiles.Problems) *profiles.Profile {
		return sampled(t, func(_ *profiles.Builder, p *profiles.Profile) { p.Problems = pr })
	}
	about := func(a profiles.About, e profiles.Event) *profiles.Profile {
		return sampled(t, func(_ *profiles.Builder, p *profiles.Profile) { p.About, p.Event = a, e })
	}
	with := func(f profiles.Frame, n int64) *profiles.Profile {
		return sampled(t, func(b *profiles.Builder, _ *profiles.Profile) { add(t, b, f, n) })
	}
	cycles := profiles.Event{Name: "cycles", Unit: profiles.Cycles}
	few := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
	add(t, few, profiles.Frame{Function: "f"}, 100)
	for _, c := range []struct {
		rule string
		p    *profiles.Profile
		want float64
		ok   bool
	}{
		{"unresolved", with(unnamed("/usr/sbin/mariadbd", profiles.User), 500), 0.05, true},
		{"unresolved", with(unnamed("/usr/sbin/mariadbd", profiles.User), 3000), 0.3, false},
		{"unresolved_kernel", with(unnamed("[kernel.kallsyms]", profiles.Kernel), 500), 0.05, true},
		{"unresolved_kernel", with(unnamed("[kernel.kallsyms]", profiles.Kernel), 2000), 0.2, false},
		{"unresolved", with(unnamed("[kernel.kallsyms]", profiles.Kernel), 2000), 0, true},
		{"broken_stacks", problems(profiles.Problems{Broken: 2000}), 0.2, true},
		{"broken_stacks", problems(profiles.Problems{Broken: 3500}), 0.35, false},
		{"no_stack", problems(profiles.Problems{NoStack: 100}), 0.01, true},
		{"no_stack", with(profiles.Frame{}, 400), 0.04, false},
		{"lost", problems(profiles.Problems{}), 0, true},
		{"lost", problems(profiles.Problems{Lost: 2500}), 0.2, false},
		{"throttled", problems(profiles.Problems{}), 0, true},
		{"throttled", problems(profiles.Problems{Throttled: 3}), 3, false},
		{"without_period", problems(profiles.Problems{}), 0, true},
		{"without_period", problems(profiles.Problems{Periods: 10_000}), 1, false},
		{"cpu_differs", about(profiles.About{CPUUS: 10e6}, profiles.Event{}), 0, true},
		{"cpu_differs", about(profiles.About{CPUUS: 12.5e6}, profiles.Event{}), 0.18, false}, // 20% less, 2% of it chance
		{"cpu_differs", about(profiles.About{CPUUS: 8e6}, profiles.Event{}), 0.23, false},
		{"rate_differs", about(profiles.About{CPUUS: 10e6, Hz: 1000}, cycles), 0, true},
		{"rate_differs", about(profiles.About{CPUUS: 20e6, Hz: 1000}, cycles), 0.48, false},
		{"few_samples", problems(profiles.Problems{}), 1.96 * math.Sqrt(0.9/1000), true},
		{"few_samples", few.Profile(), 0.588, false},
	} {
		q, found := find(Check(c.p, Options{}), c.rule)
		if !found || math.Abs(q.Value-c.want) > 1e-9 || q.OK != c.ok || (q.Text == "") != c.ok {
			t.Errorf("%s: %+v (made: %v), want %v, ok %v", c.rule, q, found, c.want, c.ok)
		}
	}
}

func find(qs []result.Quality, name string) (result.Quality, bool) {
	for _, q := range qs {
		if q.Name == name {
			return q, true
		}
	}
	return result.Quality{}, false
}

// TestCounted: what is about samples is not asked of what was counted.
func TestCounted(t *testing.T) {
	b := profiles.NewBuilder(profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true})
	add(t, b, profiles.Frame{Function: "f"}, 1)
	p := b.Profile()
	p.About.CPUUS, p.About.Hz = 1e6, 100
	p.Stacks[0].Samples = 0
	for _, q := range Check(p, Options{}) {
		if q.Name != "unresolved" && q.Name != "unresolved_kernel" {
			t.Errorf("%+v", q)
		}
	}
	if qs := Check(&profiles.Profile{}, Options{}); len(qs) != 0 {
		t.Errorf("an empty profile has checks: %+v", qs)
	}
}

// TestUnresolvedText: the text names the files, largest first, and the packages.
func TestUnresolvedText(t *testing.T) {
	p := sampled(t, func(b *profiles.Builder, _ *profiles.Profile) {
		add(t, b, profiles.Frame{Object: "/usr/sbin/mariadbd", Address: 1, Space: profiles.User}, 1600)
		add(t, b, profiles.Frame{Object: "/usr/sbin/mariadbd", Address: 2, Space: profiles.User}, 200)
		add(t, b, profiles.Frame{Object: "/usr/lib/x86_64-linux-gnu/libc.so.6", Address: 3, Space: profiles.User}, 400)
		add(t, b, profiles.Frame{Object: "/opt/own.so", Address: 4, Space: profiles.User}, 300)
	})
	owner := map[string]string{"/usr/sbin/mariadbd": "mariadb-server-core-10.11", "/usr/lib/x86_64-linux-gnu/libc.so.6": "libc6:amd64"}
	q, _ := find(Check(p, Options{SymbolPackage: func(object, _ string) string { return DebugPackage("dpkg", owner[object]) }}), "unresolved")
	for _, part := range []string{"25.0%", "(mariadbd 18.0%, libc.so.6 4.0%, own.so 3.0%)", "install mariadb-server-core-10.11-dbgsym, libc6-dbg", "not stripped"} {
		if !strings.Contains(q.Text, part) {
			t.Errorf("%q lacks %q", q.Text, part)
		}
	}
	q, _ = find(Check(p, Options{}), "unresolved")
	if strings.Contains(q.Text, "install") || !strings.Contains(q.Text, "debug symbols") {
		t.Errorf("without a package known: %q", q.Text)
	}
}

func TestDebugPackage(t *testing.T) {
	for _, c := range [][3]string{{"dpkg", "mariadb-server-core", "mariadb-server-core-dbgsym"}, {"dpkg", "libssl3:amd64", "libssl3-dbgsym"},
		{"dpkg", "libc6:amd64", "libc6-dbg"}, {"rpm", "mysql-server", "mysql-server-debuginfo"}, {"dpkg", "", ""}, {"brew", "mysql", ""}} {
		if got := DebugPackage(c[0], c[1]); got != c[2] {
			t.Errorf("%s %s: %q, want %q", c[0], c[1], got, c[2])
		}
	}
}

func TestWorst(t *testing.T) {
	a := []result.Quality{{Name: "unresolved", Value: 0.1}, {Name: "lost", Value: 0.4}}
	b := []result.Quality{{Name: "lost", Value: 0.2}, {Name: "unresolved", Value: 0.3, Text: "x"}}
	got := Worst(a, b)
	if len(got) != 2 || got[0] != b[1] || got[1] != a[1] {
		t.Errorf("%+v", got)
	}
}

// TestDocumented: each rule has its section, with its limit and what it is.
func TestDocumented(t *testing.T) {
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", "profiles.md"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, r := range Rules {
		if seen[r.Name] {
			t.Errorf("%s is twice in the table", r.Name)
		}
		seen[r.Name] = true
		limit := fmt.Sprintf("%v", r.Limit)
		if r.percent {
			limit = fmt.Sprintf("%.0f%%", r.Limit*100)
		}
		_, section, found := strings.Cut(string(text), "### `"+r.Name+"`\n")
		section, _, _ = strings.Cut(section, "\n#")
		if !found || !strings.Contains(strings.Join(strings.Fields(section), " "), r.Meaning) || !strings.Contains(section, "Limit: "+limit+".") {
			t.Errorf("docs/profiles.md: the section ### `%s` lacks %q or \"Limit: %s.\"", r.Name, r.Meaning, limit)
		}
	}
}
