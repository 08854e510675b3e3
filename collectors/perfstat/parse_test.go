package perfstat

import (
	"fmt"
	"io"
	"math"
	"strings"
	"testing"

	"opcost/perfctl/result"
	"opcost/testbed/casefiles"
)

func TestParseJSONForms(t *testing.T) {
	casefiles.Used(t, casefiles.Compared, "10-problems/rustc-perf-753")
	tests := []struct {
		name, in string
		want     string // rows, as %+v of what matters
		warn     int
		err      string
	}{
		{"newer: numbers and strings change places", `{"cpu" : "3", "counters" : 2, "counter-value" : 7.5, "unit" : "", "event" : "cycles", "event-runtime" : "9", "pcnt-running" : "50.00"}`,
			"cycles 7.5 counted 9 50 CPU3 2", 0, ""},
		{"bare nan, which is no JSON", `{"counter-value" : "1.000000", "event" : "cycles", "event-runtime" : 5, "pcnt-running" : 100.00, "metric-value" : nan, "metric-unit" : "x"}`,
			"cycles 1 counted 5 100  0", 0, ""},
		{"windows line ends", "# started\r\n\r\n{\"counter-value\" : \"1.000000\", \"event\" : \"cycles\"}\r\n", "cycles 1 counted -1 -1  0", 0, ""},
		{"decimal comma", `{"counter-value" : "7", "event" : "cycles", "pcnt-running" : 100,00, "metric-value" : 0,5}`, "", 1, "LC_ALL=C"},
		{"a count without an event", `{"counter-value" : "7"}`, "", 1, "no count"},
		{"a count that is none", `{"counter-value" : "many", "event" : "cycles"}`, "", 1, "no count"},
		{"an object in a number's place", `{"counter-value" : {"a": 1}, "event" : "cycles"}`, "", 1, "number or a text"},
		{"empty", "", "", 0, "no count"},
		{"only the heading", "# started on Mon\n\n", "", 0, "no count"},
		{"one bad line among good ones", "{\"counter-value\" : \"1\", \"event\" : \"a\"}\nperf: oops\n{\"counter-value\" : \"2\", \"event\" : \"b\"}\n", "a 1 counted -1 -1  0\nb 2 counted -1 -1  0", 1, ""},
		{"infinity", `{"counter-value" : "inf", "event" : "cycles"}`, "", 1, "no count"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, warn, err := ParseJSON(strings.NewReader(tt.in))
			checkParsed(t, c, warn, err, tt.want, tt.warn, tt.err)
		})
	}
}

func TestParseCSVForms(t *testing.T) {
	tests := []struct {
		name, sep, in string
		want          string
		warn          int
		err           string
	}{
		{"semicolons, decimal commas", ";", "1795,31;msec;task-clock;1795310712;100,00;;\n", "task-clock 1795.31 counted 1795310712 100  0", 0, ""},
		{"commas, decimal commas: percentage", ",", "5,,cycles,1795310712,85,00,4,8,GHz\n", "", 0, "LC_ALL=C"},
		{"commas, decimal commas: clock", ",", "1795,31,msec,task-clock,1795310712,100.00,,\n", "", 0, "LC_ALL=C"},
		{"per thread", ",", "mysqld-4711,12,,cycles,99,100.00,,\n", "cycles 12 counted 99 100 mysqld-4711 0", 0, ""},
		{"per thread, msec", ",", "my,sqld,12.5,msec,task-clock,99,100.00,,\n", "", 1, "no count"},
		{"per core", ",", "S0-D0-C3,2,12,,cycles,99,100.00,,\n", "cycles 12 counted 99 100 S0-D0-C3 2", 0, ""},
		{"per core, not counted", ",", "S0-D0-C3,2,<not counted>,,cycles,0,0.00,,\n", "cycles 0 <not counted> 0 0 S0-D0-C3 2", 0, ""},
		{"per CPU", ",", "CPU11,12,,cycles,99,100.00,,\n", "cycles 12 counted 99 100 CPU11 0", 0, ""},
		{"interval and core", ",", "     1.000838672,S0-D0-C3,2,12,,cycles,99,100.00,,\n", "cycles 12 counted 99 100 S0-D0-C3 2", 0, ""},
		{"repeated: variance", ",", "12,,cycles,1.25%,99,100.00,,\n", "cycles 12 counted 99 100  0", 0, ""},
		{"a unit nobody knows", ",", "12,furlongs,walk,99,100.00,,\n", "walk 12 counted 99 100  0", 0, ""},
		{"a program's words", ",", "hello, this is, not perf\n", "", 1, "no count"},
		{"empty", ",", "", "", 0, "no count"},
		{"a clock with nine digits is no interval", ",", "0.123456789,,task-clock,123456,100.00\n", "task-clock 0.123456789 counted 123456 100  0", 0, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c, warn, err := ParseCSV(strings.NewReader(tt.in), tt.sep)
			checkParsed(t, c, warn, err, tt.want, tt.warn, tt.err)
		})
	}
}

func checkParsed(t *testing.T, c Counts, warn []result.Warning, err error, want string, warns int, wantErr string) {
	t.Helper()
	var got []string
	for _, r := range c.Rows {
		got = append(got, fmt.Sprintf("%s %v %s %d %v %s %d", r.Event, r.Value, r.Mark, r.RunNS, r.Running, r.Where, r.CPUs))
	}
	if g := strings.Join(got, "\n"); g != want {
		t.Errorf("got\n%s\nwant\n%s", g, want)
	}
	if len(warn) != warns {
		t.Errorf("%d warnings, want %d: %v", len(warn), warns, warn)
	}
	if (err != nil) != (wantErr != "") || (err != nil && !strings.Contains(err.Error(), wantErr)) {
		t.Errorf("error %v, want %q", err, wantErr)
	}
}

// An endless line or an endless list of bad lines costs no memory and little time.
func TestParseLimits(t *testing.T) {
	for name, parse := range map[string]func(io.Reader) (Counts, []result.Warning, error){"json": ParseJSON, "csv": parseAnyCSV} {
		_, _, err := parse(io.LimitReader(endless('x'), 100<<20))
		if err == nil || !strings.Contains(err.Error(), "longer than") {
			t.Errorf("%s: a line of 100 MiB: %v", name, err)
		}
		_, warn, err := parse(strings.NewReader(strings.Repeat("this is,no,count at all\n", 100_000)))
		if err == nil || len(warn) != maxWarnings+1 {
			t.Errorf("%s: %d warnings, %v", name, len(warn), err)
		}
	}
}

type endless byte

func (e endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = byte(e)
	}
	return len(p), nil
}

// fuzzed is what must hold of any input: rows have a name and a finite number,
// an output without a count is an error.
func fuzzed(t *testing.T, c Counts, err error) {
	if err == nil && len(c.Rows) == 0 {
		t.Error("no rows and no error")
	}
	for _, r := range c.Rows {
		if r.Event == "" || math.IsNaN(r.Value) || math.IsInf(r.Value, 0) || (r.Mark != Counted && r.Value != 0) {
			t.Errorf("%+v", r)
		}
	}
	_ = sheet{set: coreSet, counts: c}.readings() // must not panic
}

func FuzzParseJSON(f *testing.F) {
	f.Add(jsonLines(multiplexed...))
	f.Add(software)
	f.Add(`{"interval" : 1.5, "core" : "S0-D0-C1", "aggregate-number" : 2, "counter-value" : "<not counted>", "event" : "x", "metric-value" : nan}`)
	f.Fuzz(func(t *testing.T, s string) {
		c, _, err := ParseJSON(strings.NewReader(s))
		fuzzed(t, c, err)
	})
}

func FuzzParseCSV(f *testing.F) {
	f.Add(csvLines(multiplexed...), ";")
	f.Add("     1.000838672,S0-D0-C3,2,12,,cycles,99,100.00,,\n,,,,,1.2,GHz\n", ",")
	f.Add("12'msec'task-clock'5'100.00'1'CPUs\n", "")
	f.Add("123,cycles,cgroup1\nsummary,1,,x,1,1.0\n", "")
	f.Fuzz(func(t *testing.T, s, sep string) {
		c, _, err := ParseCSV(strings.NewReader(s), sep)
		fuzzed(t, c, err)
	})
}
