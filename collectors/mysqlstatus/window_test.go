package mysqlstatus

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
	"opcost/testbed/casefiles"
)

// server answers SHOW GLOBAL STATUS and counts what that itself adds.
type server struct {
	status map[string]any
	n      int64
	err    error
	rows   [][]string // instead of the status
}

func (s *server) Query(context.Context, string) ([][]string, error) {
	s.n++
	s.add("Questions", 1)
	s.add("Com_show_status", 1)
	var rows [][]string
	for k, v := range s.status {
		rows = append(rows, []string{k, fmt.Sprint(v)})
	}
	s.add("Handler_read_rnd_next", 11)
	s.add("Bytes_sent", 500)
	if s.rows != nil {
		rows = s.rows
	}
	return rows, s.err
}

func (s *server) Statements() int64 { return s.n }

func (s *server) add(name string, n int) { s.status[name] = s.status[name].(int) + n }

func newServer() *server {
	return &server{status: map[string]any{
		"Questions": 1000, "Com_show_status": 1, "Com_select": 500, "Com_insert": 3, "Com_flush": 2, "Bytes_sent": 7,
		"Handler_read_rnd_next": 0, "Handler_read_key": 40, "Handler_write": 1, "Handler_update": 2, "Handler_delete": 3,
		"Rows_read": 9, "Threads_running": 2, "Uptime": 100, "Uptime_since_flush_status": 100,
		"Compression": "OFF", "Innodb_lsn_current": "18446744073709550000", "Query_time": "0.250000", "Brand_new_counter": 5,
		"Innodb_buffer_pool_load_status": "Buffer pool(s) load completed at 230101", "Key_blocks_used": 4,
	}}
}

func measure(t *testing.T, s *server, quiet bool, load func()) map[string]result.Reading {
	t.Helper()
	a, err := New(Options{Quiet: quiet}).Arm(t.Context(), collectors.Target{SQL: s}, probe.Caps{})
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
	return byName(t, rs)
}

func byName(t *testing.T, rs []result.Reading) map[string]result.Reading {
	t.Helper()
	out := map[string]result.Reading{}
	for _, r := range rs {
		if _, twice := out[r.Name]; twice {
			t.Errorf("%s: given twice", r.Name)
		}
		if (r.Value != nil) != r.State.Usable() || r.State != result.OK && r.Reason == "" {
			t.Errorf("state, value and reason do not fit: %+v", r)
		}
		out[r.Name] = r
	}
	return out
}

func want(t *testing.T, got map[string]result.Reading, values map[string]float64) {
	t.Helper()
	have := map[string]float64{}
	for name := range values {
		if r := got[name]; r.Value != nil {
			have[name] = *r.Value
		} else {
			t.Errorf("%s: no value: %+v", name, r)
		}
	}
	if d := cmp.Diff(values, have); d != "" {
		t.Errorf("values (-want +got):\n%s", d)
	}
}

func load(s *server) func() {
	return func() {
		s.add("Questions", 20)
		s.add("Com_select", 20)
		s.add("Handler_read_key", 20)
		s.add("Handler_read_rnd_next", 100)
		s.add("Handler_update", 5)
		s.add("Rows_read", 120)
		s.add("Brand_new_counter", 2)
		s.add("Threads_running", -1)
		s.add("Uptime", 3)
		s.add("Uptime_since_flush_status", 3)
		s.status["Innodb_lsn_current"] = "18446744073709551000"
		s.status["Query_time"] = "0.500000"
	}
}

func TestQuietWindow(t *testing.T) {
	s := newServer()
	got := measure(t, s, true, load(s))
	want(t, got, map[string]float64{
		"questions": 20, "com_select": 20, "com_insert": 0, "handler_read_key": 20, "handler_read_rnd_next": 100,
		"handler_write": 0, "handler_update": 5, "rows_read": 120, "rows_changed": 5, "status_rows_read": 120, "bytes_sent": 0,
		"threads_running_begin": 2, "threads_running_end": 1, "uptime_end": 103, "brand_new_counter": 2,
		"innodb_lsn_current": 1000, "query_time": 0.25,
	})
	for _, name := range []string{"compression", "innodb_buffer_pool_load_status", "com_show_status", "com_flush", "threads_running", "key_blocks_used", "key_blocks_used_begin"} {
		if r, there := got[name]; there {
			t.Errorf("%+v: want no such reading", r)
		}
	}
	if !got["threads_running_end"].Gauge || got["questions"].Gauge {
		t.Error("levels are gauges, counters are none")
	}
	if u := got["handler_read_rnd_next"].Uncertainty; u != 0 {
		t.Errorf("uncertainty %g in a quiet window", u)
	}
	for name, unit := range map[string]string{"bytes_sent": "bytes", "query_time": "s", "questions": "count"} {
		if got[name].Unit != unit {
			t.Errorf("%s is in %s, want %s", name, got[name].Unit, unit)
		}
	}
}

func TestLiveLoadWindow(t *testing.T) {
	s := newServer()
	got := measure(t, s, false, func() {
		load(s)()
		// Another collector asks something on our connection.
		s.n++
		s.add("Questions", 1)
		s.add("Com_select", 1)
	})
	want(t, got, map[string]float64{"questions": 20, "com_select": 20, "handler_read_rnd_next": 111, "rows_read": 131})
	if u := got["rows_read"].Uncertainty; u != 11 {
		t.Errorf("rows_read has uncertainty %g, want the 11 rows of SHOW GLOBAL STATUS", u)
	}
	var rs []result.Reading
	for _, r := range got {
		rs = append(rs, r)
	}
	if n, ok := Statements(rs); n != 20 || !ok {
		t.Errorf("Statements %d, %v; want 20", n, ok)
	}
	if n, ok := Statements(nil); ok {
		t.Errorf("Statements %d of no readings", n)
	}
}

// The largest number of a server is one; what would be infinite is none.
func TestNumber(t *testing.T) {
	for text, is := range map[string]bool{"18446744073709551615": true, "-9223372036854775808": true, "0.5": true, "nan": false, "inf": false, "1e308": false, "": false, "ON": false} {
		if _, err := number(text); (err == nil) != is {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func TestOddWindows(t *testing.T) {
	casefiles.Used(t, casefiles.Compared, "10-problems/telegraf-12112")
	for _, c := range []struct {
		name, reading string
		change        func(*server)
		state         result.State
		word          string
	}{
		{"counter went back", "com_flush", func(s *server) { s.status["Com_flush"] = 1 }, result.Failed, "from 2 to 1"},
		{"counter printed in 32 bits", "com_flush", func(s *server) { s.status["Com_flush"] = "-2049562273" }, result.Failed, "to -2049562273"},
		{"part of a sum went back", "rows_changed", func(s *server) { s.status["Handler_delete"] = 0 }, result.Failed, "handler_delete"},
		{"restarted", "questions", func(s *server) { s.status["Uptime"] = 2 }, result.Failed, "restarted"},
		{"flushed", "questions", func(s *server) {
			s.add("Uptime", 10)
			s.status["Uptime_since_flush_status"] = 4
		}, result.Partial, "FLUSH STATUS"},
		{"flushed long after the last flush", "rows_read", func(s *server) {
			s.add("Uptime", 200)
			s.add("Uptime_since_flush_status", 50)
		}, result.Partial, "FLUSH STATUS"},
		{"variable gone", "brand_new_counter", func(s *server) { delete(s.status, "Brand_new_counter") }, result.Failed, "one edge"},
		{"level is no number", "threads_running_end", func(s *server) { s.status["Threads_running"] = "many" }, result.Failed, "many"},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := newServer()
			got := measure(t, s, true, func() { c.change(s) })
			if r := got[c.reading]; r.State != c.state || !strings.Contains(r.Reason, c.word) {
				t.Errorf("%+v, want %s because of %q", r, c.state, c.word)
			}
			var rs []result.Reading
			for _, r := range got {
				rs = append(rs, r)
			}
			if _, ok := Statements(rs); c.reading == "questions" && ok {
				t.Error("Statements gives a number that is not whole")
			}
		})
	}
}

func TestArm(t *testing.T) {
	arm := func(sql collectors.Querier) error {
		_, err := New(Options{}).Arm(t.Context(), collectors.Target{SQL: sql}, probe.Caps{})
		return err
	}
	var un *collectors.Unsupported
	if err := arm(nil); !errors.As(err, &un) || un.Remedy == "" {
		t.Errorf("without a login: %v", err)
	}
	s := newServer()
	s.err = errors.New("Error 1227: Access denied")
	if err := arm(s); err == nil || !strings.Contains(err.Error(), "1227") {
		t.Errorf("refused: %v", err)
	}
	s = newServer()
	s.rows = [][]string{}
	if err := arm(s); err == nil || !strings.Contains(err.Error(), "no rows") {
		t.Errorf("empty: %v", err)
	}
	s.rows = [][]string{{"one"}}
	if err := arm(s); err == nil || !strings.Contains(err.Error(), "1 columns") {
		t.Errorf("one column: %v", err)
	}
}

func TestEndFails(t *testing.T) {
	s := newServer()
	a, err := New(Options{}).Arm(t.Context(), collectors.Target{SQL: s}, probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.err = errors.New("server has gone away")
	if err := a.End(t.Context()); err == nil {
		t.Error("End is content")
	}
	if rs, err := a.Close(); err == nil || rs != nil {
		t.Errorf("Close gives %v, %v; want an error alone", rs, err)
	}
}
