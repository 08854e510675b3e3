package compare

import (
	"encoding/json"
	"math/rand/v2"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

func TestUnlikeThingsComeFirst(t *testing.T) {
	set := func(pfs, charset string) func(*result.Run) {
		return func(r *result.Run) {
			r.Charset, r.TLS = charset, charset != "latin1"
			r.Server = result.Server{Flavor: "mariadb", Number: "10.11.6", Binary: "/opt/db", Variables: map[string]string{
				"performance_schema": pfs, "datadir": "/tmp/" + pfs, "pid_file": pfs, "sort_buffer_size": "2097152"}}
			r.Warnings = []result.Warning{{Code: "server", Text: "aio is off"}}
		}
	}
	r := Build(join(with(series("old", quiet(1000)...), set("OFF", "latin1")), with(series("new", quiet(1000)...), set("ON", "utf8mb4"))), Options{Base: "old"})
	want := []string{
		"TLS: off (old) → on (new)",
		"charset: latin1 (old) → utf8mb4 (new)",
		"performance_schema: OFF (old) → ON (new)",
	}
	for i, text := range want {
		if i >= len(r.Warnings) || r.Warnings[i].Code != "unlike" || r.Warnings[i].Text != text {
			t.Fatalf("warnings %q, want first %q", r.Warnings, want)
		}
	}
	if len(r.Warnings) != 4 || r.Warnings[3].Code != "server" || !strings.HasSuffix(r.Warnings[3].Text, ", point-query, 1 client, and 1 more)") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestMixedRunsOfOneVersion(t *testing.T) {
	runs := series("v", 100, 100)
	runs[1].Charset = "utf8mb4"
	if r := Build(runs, Options{}); !hasWarning(r, "mixed", "v: charset differs among its runs: latin1 / utf8mb4") {
		t.Errorf("warnings %q", r.Warnings)
	}
}

func TestWhatHasNoRatio(t *testing.T) {
	for _, c := range []struct {
		name, code string
		new        []result.Run
	}{
		{"another size", "size", with(series("new", quiet(1000)...), func(r *result.Run) { r.Rows = 5 })},
		{"another scope", "source", with(series("new", quiet(1000)...), func(r *result.Run) { r.Passes[0].Windows[0].Readings[0].Scope = result.User })},
		{"another source", "source", []result.Run{underCallgrind(run("new", 0), 1000, callgrind("instructions_user", 1e6))}},
		{"another unit of work", "source", with(series("new", quiet(1000)...), func(r *result.Run) { r.Passes[0].Windows[0].Ops.Per = "transaction" })},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := Build(join(series("old", quiet(1000)...), c.new), Options{Base: "old"})
			if v, ok := rowOf(t, r, "new").VsBase[instructions]; ok {
				t.Errorf("a ratio: %+v", v)
			}
			if !hasWarning(r, c.code, "") {
				t.Errorf("no warning %q among %q", c.code, r.Warnings)
			}
		})
	}
	t.Run("another driver, host or client count", func(t *testing.T) {
		for _, change := range []func(*result.Run){
			func(r *result.Run) { r.Driver = "sysbench" }, func(r *result.Run) { r.Host = "g" }, func(r *result.Run) { r.Clients = 4 },
		} {
			r := Build(join(series("old", quiet(1000)...), with(series("new", quiet(1000)...), change)), Options{Base: "old"})
			if row := rowOf(t, r, "new"); len(row.VsBase) != 0 {
				t.Errorf("a ratio across unlike rows: %+v", row)
			}
		}
	})
}

// A version's own session may be by text where the base's is prepared: that is
// compared, and said.
func TestProtocolsAreComparedAloud(t *testing.T) {
	text := with(series("text", quiet(1500)...), func(r *result.Run) { r.Protocol = "text" })
	r := Build(join(series("old", quiet(1000)...), text), Options{Base: "old"})
	row := rowOf(t, r, "text")
	if row.Protocol != "text" || row.VsBase[instructions].Verdict != Slower || !hasWarning(r, "unlike", "protocol: prepared (old) → text (text)") {
		t.Errorf("%+v, warnings %q", row.VsBase[instructions], r.Warnings)
	}
}

// perf wins over callgrind, and the two are not mixed.
func TestBetterSourceIsKept(t *testing.T) {
	runs := append(series("v", 100, 100), underCallgrind(run("v", 2), 1000, callgrind("instructions_user", 90_000)))
	r := Build(runs, Options{})
	m := r.Rows[0].Metrics[instructions]
	if m.Source != result.SourcePerf || *m.Value != 100 || m.N != 2 || !hasWarning(r, "source", "") {
		t.Errorf("%+v, warnings %q", m, r.Warnings)
	}
}

func TestBaseAndOrder(t *testing.T) {
	runs := join(series("c", 1), series("b", 2), series("a", 3))
	for i := range runs {
		runs[i].Started = runs[i].Started.AddDate(0, 0, i)
	}
	for _, c := range []struct {
		o        Options
		base     string
		versions string
	}{
		{Options{}, "c", "c b a"},
		{Options{Order: []string{"a", "gone", "c"}}, "a", "a c b"},
		{Options{Base: "b", Order: []string{"a"}}, "b", "a c b"},
	} {
		r := Build(runs, c.o)
		if r.Base != c.base || strings.Join(r.Versions, " ") != c.versions {
			t.Errorf("%+v: base %q, versions %q", c.o, r.Base, r.Versions)
		}
		for _, row := range r.Rows {
			if (row.Version == c.base) != (len(row.VsBase) == 0) {
				t.Errorf("%+v: %s has ratios %v", c.o, row.Version, row.VsBase)
			}
		}
	}
	if r := Build(runs, Options{Base: "x"}); !hasWarning(r, "base", "") || len(r.Rows[0].VsBase) != 0 {
		t.Errorf("an unknown base: %q", r.Warnings)
	}
	if r := Build(nil, Options{}); r.Rows == nil || r.Warnings == nil || r.Versions == nil || r.Schema != 1 {
		t.Errorf("of nothing: %+v", r)
	}
}

// A check that fails in many windows is said once, with the worst of them.
func TestChecksAreSummedUp(t *testing.T) {
	runs := series("v", 100, 100, 100)
	for i := range runs {
		q := result.Quality{Name: "steal", Value: float64(i), Limit: 0.5, OK: i == 0, Text: "stolen: " + string(rune('0'+i))}
		runs[i].Passes[0].Windows[0].Quality = []result.Quality{q}
		runs[i].Warnings = []result.Warning{{Code: "steal", Text: "window w0: " + q.Text}}
	}
	r := Build(runs, Options{})
	if len(r.Warnings) != 1 || r.Warnings[0].Text != "stolen: 2 (2 of 3 windows; the worst: v, point-query, 1 client)" {
		t.Errorf("warnings %q", r.Warnings)
	}
}

// The same runs give the same bytes.
func TestBuildIsRepeatable(t *testing.T) {
	runs := experiment{workloads: 12, starts: 4, sd: between(0.0005, 0.05)}.runs(rand.New(rand.NewPCG(1, 1)))
	var first string
	for range 30 {
		text, err := json.Marshal(Build(runs, Options{}))
		if err != nil {
			t.Fatal(err)
		}
		if first == "" {
			first = string(text)
		} else if string(text) != first {
			t.Fatal("two comparisons of the same runs differ")
		}
	}
}
