package report

import (
	"encoding/csv"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/perfctl/doctor"
)

const longRemedy = "sudo setpriv --reuid=$(id -u) --regid=$(id -g) --init-groups --inh-caps=+perfmon --ambient-caps=+perfmon opcost run PLAN"

func someChecks() doctor.Report {
	return doctor.Report{Schema: 1, Checks: []doctor.Check{
		{Group: "counting", Name: "instructions/query", State: doctor.Limited, Found: "callgrind", Cost: "user space only", Remedy: longRemedy},
		{Group: "counting", Name: "cycles/query", State: doctor.Missing, Found: strings.Repeat("no counters and ", 12) + "no more", Cost: "no IPC", Remedy: longRemedy},
		{Group: "counting", Name: "cycles/query", State: doctor.Missing, Found: "x", Cost: "y", Remedy: "other"},
		{Group: "counting", Name: "cycles/query", State: doctor.Missing, Found: "x", Cost: "y", Remedy: "other"},
		{Group: "machine", Name: "boost", State: doctor.Unknown, Found: "no switch | in \x1b[31m/sys\n"},
		{Group: "machine", Name: "SMT", State: doctor.OK, Found: "=off, \"really\""},
	}}
}

func written(t *testing.T, f Format, r doctor.Report, l Layout) string {
	t.Helper()
	var b strings.Builder
	if err := WriteChecks(&b, f, r, l); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestChecksNarrow(t *testing.T) {
	want := `counting
  limited  instructions/query  callgrind
           cost: user space only
           fix:  sudo setpriv --reuid=$(id -u) --regid=$(id -g) --init-groups
                 --inh-caps=+perfmon --ambient-caps=+perfmon opcost run PLAN
  missing  cycles/query        no counters and no counters and no counters and
                               no counters and no counters and no counters and
                               no counters and no counters and no counters and
                               no counters and no counters and no counters and
                               no more
           cost: no IPC
           fix:  as for instructions/query
  missing  cycles/query        x
           cost: y
           fix:  other
  missing  cycles/query        x
           cost: y
           fix:  as above

machine
  unknown  boost               no switch | in �[31m/sys
  ok       SMT                 =off, "really"

1 ok, 1 limited, 3 missing, 1 unknown
`
	if d := cmp.Diff(want, written(t, Table, someChecks(), Layout{})); d != "" {
		t.Error(d)
	}
}

// Whatever the width, no line is longer, and no word of a command is lost.
func TestChecksFit(t *testing.T) {
	r := someChecks()
	path := "/usr/lib/debug/.build-id/" + strings.Repeat("0123456789abcdef", 9)
	r.Checks = append(r.Checks, doctor.Check{Group: "server", Name: "debug", State: doctor.Missing, Found: "looked for " + path + ", in vain", Cost: path, Remedy: "ls " + path})
	for _, width := range []int{60, 80, 120, 149, 150, 200, 260} {
		text := written(t, Table, r, Layout{Width: width})
		for line := range strings.Lines(text) {
			if n := len([]rune(strings.TrimSuffix(line, "\n"))); n > width {
				t.Errorf("%d columns in %d: %s", n, width, line)
			}
		}
		for _, word := range strings.Fields(longRemedy) {
			if !strings.Contains(text, word) {
				t.Errorf("%d columns: %s is missing", width, word)
			}
		}
		if n := strings.Count(text, "ambient-caps"); n != 1 {
			t.Errorf("%d columns: the same remedy stands there %d times", width, n)
		}
	}
}

func TestChecksWide(t *testing.T) {
	text := written(t, Table, someChecks(), Layout{Width: 200})
	if !strings.Contains(text, "what changes it") || !strings.Contains(text, "─") {
		t.Errorf("no header:\n%s", text)
	}
	var at []int
	for line := range strings.Lines(text) {
		for _, cost := range []string{"what it costs", "user space only", "no IPC"} {
			if i := strings.Index(line, cost); i >= 0 {
				at = append(at, i)
			}
		}
	}
	if len(at) != 3 || at[0] != at[1] || at[1] != at[2] {
		t.Errorf("costs begin at %v", at)
	}
}

func TestChecksColor(t *testing.T) {
	for _, width := range []int{80, 200} {
		plainText := written(t, Table, someChecks(), Layout{Width: width})
		colored := written(t, Table, someChecks(), Layout{Width: width, Color: true})
		if strings.Contains(plainText, "\x1b") || !strings.Contains(colored, "\x1b[31mmissing\x1b[0m") {
			t.Errorf("%d columns: %q", width, colored)
		}
		for _, code := range []string{"\x1b[0m", "\x1b[1m", "\x1b[2m", "\x1b[31m", "\x1b[32m", "\x1b[33m"} {
			colored = strings.ReplaceAll(colored, code, "")
		}
		if d := cmp.Diff(plainText, colored); d != "" {
			t.Error(d)
		}
	}
}

func TestChecksForPrograms(t *testing.T) {
	r := someChecks()
	var back doctor.Report
	if err := json.Unmarshal([]byte(written(t, JSON, r, Layout{})), &back); err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(r, back); d != "" {
		t.Error(d)
	}
	for f, comma := range map[Format]rune{CSV: ',', TSV: '\t'} {
		c := csv.NewReader(strings.NewReader(written(t, f, r, Layout{})))
		c.Comma = comma
		lines, err := c.ReadAll()
		if err != nil || len(lines) != 1+len(r.Checks) {
			t.Fatalf("%s: %d lines, %v", f, len(lines), err)
		}
		if lines[0][5] != "remedy" || lines[2][5] != longRemedy || lines[6][3] != "'=off, \"really\"" || lines[5][2] != "unknown" {
			t.Errorf("%s: %q", f, lines)
		}
	}
	md := written(t, Markdown, r, Layout{})
	if !strings.Contains(md, `| unknown | boost | no switch \| in`) || strings.Contains(md, "\x1b") || strings.Count(md, "ambient-caps") != 2 {
		t.Error(md)
	}
	if err := WriteChecks(&strings.Builder{}, "html5", r, Layout{}); err == nil {
		t.Error("no error for a format that is not there")
	}
}
