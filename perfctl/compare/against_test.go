package compare

import (
	"strings"
	"testing"

	"opcost/perfctl/result"
)

func TestAgainst(t *testing.T) {
	window := func(us float64) func(*result.Window) {
		return func(w *result.Window) {
			w.Ops.Uncertainty = 10
			w.Readings = []result.Reading{unsure(cpu(us), us/100), status("com_select", 5)}
		}
	}
	base, now := live("statement", window(2000)), live("statement", window(3000))
	base.Host, base.Clients = "old", 3
	base.Server.Variables = map[string]string{"sync_binlog": "0"}
	now.Server.Variables = map[string]string{"sync_binlog": "1"}
	r, m := Against(base, now)

	if r.Base != "10.11.19 saved" || len(r.Versions) != 2 || r.Versions[1] != "10.11.19" {
		t.Fatalf("windows of one server are one row: base %q, %v", r.Base, r.Versions)
	}
	ratio := rowOf(t, r, "10.11.19").VsBase["cpu_us_per_query"]
	if ratio.Ratio != 1.5 || ratio.Verdict != None || ratio.Reason == "" || ratio.Method != "edges" || ratio.Level != 0 {
		t.Errorf("%+v", ratio)
	}
	// (2970/1010) / (2020/990) and (3030/990) / (1980/1010)
	near(t, "low", ratio.Low, 2970.*990/(1010*2020), 1e-12)
	near(t, "high", ratio.High, 3030.*1010/(990*1980), 1e-12)
	if rowOf(t, r, "10.11.19").Primary != "" {
		t.Error("a single window carries a verdict")
	}
	var first []string
	for _, w := range r.Warnings {
		if w.Code == "unlike" {
			first = append(first, w.Text)
		}
	}
	if len(first) != 2 || first[0] != "host: old (saved) → h (now)" || !strings.HasPrefix(first[1], "sync_binlog: 0") {
		t.Errorf("unlike: %q", first)
	}
	if m.Latency != nil || m.Lack == nil || !strings.Contains(m.Lack.Reason, "the saved window has no digests") {
		t.Errorf("mix of no digests: %+v", m)
	}
	if base.Version != "10.11.19" || base.Clients != 3 {
		t.Error("the caller's record was changed")
	}
}

func TestAgainstAnotherUnit(t *testing.T) {
	with := func(w *result.Window) { w.Readings = []result.Reading{cpu(2000)} }
	r, _ := Against(live("transaction", with), live("statement", with))
	if r.Warnings[0].Text != "values are per: transaction (saved) → statement (now)" {
		t.Errorf("first warning %q", r.Warnings[0].Text)
	}
	if v, ok := rowOf(t, r, "10.11.19").VsBase["cpu_us_per_query"]; ok {
		t.Errorf("a ratio of unlike things: %+v", v)
	}
}

func TestAgainstVoidedCounters(t *testing.T) {
	r, _ := Against(
		live("statement", func(w *result.Window) { w.Readings = []result.Reading{status("com_select", 9), cpu(1)} }),
		live("statement", func(w *result.Window) { w.Readings = []result.Reading{wentBack("com_select"), cpu(1)} }))
	if !hasWarning(r, "void", "in this window, com_select is void: the counter went back from 9 to 2") {
		t.Errorf("%v", r.Warnings)
	}
	if _, ok := rowOf(t, r, "10.11.19").VsBase["com_select_per_query"]; ok {
		t.Error("a ratio of a void counter")
	}
}

func TestAgainstNoWindow(t *testing.T) {
	r, m := Against(result.Run{Version: "a"}, live("statement", func(w *result.Window) { w.Readings = []result.Reading{cpu(1)} }))
	if !hasWarning(r, "window", "the saved record has no counting window") || m.Lack == nil {
		t.Errorf("%v %+v", r.Warnings, m.Lack)
	}
}
