package digest

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// server is a performance_schema of our own making. What it is asked is not in
// its tables, unless a test puts it there.
type server struct {
	on        string
	consumers map[string]string
	kinds     map[string][2]uint64
	digests   map[key]counts
	texts     map[string]string
	disabled  int // instruments
	hidden    int // connections
	fail      map[string]error
	sent      []string
}

func newServer() *server {
	return &server{on: "1",
		consumers: map[string]string{"global_instrumentation": "YES", "thread_instrumentation": "YES", "statements_digest": "YES", "events_statements_cpu": "YES"},
		kinds: map[string][2]uint64{"statement/sql/select": {100, 5_000_000_000}, "statement/sp/stmt": {7, 1_000_000},
			"statement/com/Binlog Dump": {1, 9e15}},
		digests: map[key]counts{
			{"d", "aa"}: {"1", [columns]uint64{count: 90, timer: 1_000_000, cpuTime: 500}},
			{"d", "bb"}: {"1", [columns]uint64{count: 10, timer: 2_000_000}},
		},
		texts: map[string]string{"aa": "SELECT `k` FROM `t` WHERE `id` = ? ", "bb": "UPDATE `t` SET `k` = ? "},
		fail:  map[string]error{}}
}

func (s *server) Statements() int64 { return int64(len(s.sent)) }

func (s *server) Query(_ context.Context, q string) ([][]string, error) {
	s.sent = append(s.sent, q)
	for part, err := range s.fail {
		if strings.Contains(q, part) {
			return nil, err
		}
	}
	var rows [][]string
	switch {
	case strings.Contains(q, "@@global.performance_schema"):
		rows = [][]string{{s.on, "10000", ""}}
	case strings.Contains(q, "setup_consumers"):
		for n, v := range s.consumers {
			rows = append(rows, []string{n, v})
		}
	case strings.Contains(q, "setup_instruments"):
		rows = [][]string{{"200", fmt.Sprint(s.disabled), fmt.Sprint(s.disabled)}}
	case strings.Contains(q, "performance_schema.threads"):
		rows = [][]string{{"12", fmt.Sprint(s.hidden)}}
	case strings.Contains(q, markKinds):
		for n, v := range s.kinds {
			rows = append(rows, []string{n, fmt.Sprint(v[0]), fmt.Sprint(v[1])})
		}
	case strings.Contains(q, markDigests):
		for k, c := range s.digests {
			row := []string{k.schema, k.hash, c.firstSeen}
			for i, n := range c.n {
				if i != cpuTime || strings.Contains(q, "SUM_CPU_TIME") {
					row = append(row, fmt.Sprint(n))
				}
			}
			rows = append(rows, row)
		}
	case strings.Contains(q, markTexts):
		for hash, text := range s.texts {
			if strings.Contains(q, "'"+hash+"'") || !strings.Contains(q, "WHERE") {
				rows = append(rows, []string{hash, text})
			}
		}
	default:
		return nil, errors.New("not a statement of the collector: " + q)
	}
	return rows, nil
}

func (s *server) add(k key, with [columns]uint64) {
	c := s.digests[k]
	for i, n := range with {
		c.n[i] += n
	}
	s.digests[k] = c
}

func (s *server) kind(name string, n, ps uint64) {
	v := s.kinds[name]
	s.kinds[name] = [2]uint64{v[0] + n, v[1] + ps}
}

func measure(t *testing.T, sql collectors.Querier, o Options, load func()) (map[string]result.Reading, []result.Digest) {
	t.Helper()
	a, err := New(o).Arm(t.Context(), collectors.Target{SQL: sql}, probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	load()
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]result.Reading{}
	for _, r := range rs {
		if _, twice := out[r.Name]; twice || (r.Value != nil) != r.State.Usable() || r.State != result.OK && r.Reason == "" {
			t.Errorf("given twice, or state, value and reason do not fit: %+v", r)
		}
		out[r.Name] = r
	}
	rows := a.(collectors.WithDigests).Digests()
	for _, d := range rows {
		if d.State == "" || d.State != result.OK && d.Reason == "" {
			t.Errorf("state and reason do not fit: %+v", d)
		}
	}
	return out, rows
}

// is checks a reading's state, and its value where it has one.
func is(t *testing.T, rs map[string]result.Reading, name string, st result.State, value float64, words ...string) {
	t.Helper()
	r, there := rs[name]
	if !there || r.State != st || r.Value != nil && (*r.Value < value-1e-6 || *r.Value > value+1e-6) {
		t.Errorf("%s: %s, want %s %g", name, show(r), st, value)
	}
	for _, w := range words {
		if !strings.Contains(r.Reason+" "+r.Remedy, w) {
			t.Errorf("%s: reason %q, remedy %q; want a word on %q", name, r.Reason, r.Remedy, w)
		}
	}
}

func show(r result.Reading) string {
	v := "without a value"
	if r.Value != nil {
		v = fmt.Sprint(*r.Value)
	}
	return fmt.Sprintf("%s %s %s (±%g, %s)", r.Name, r.State, v, r.Uncertainty, r.Reason)
}
