package perfctl

import (
	"context"
	"errors"
	"strings"
	"testing"

	"opcost/collectors"
	"opcost/perfctl/result"
)

// status answers SHOW GLOBAL STATUS from a list, one answer a question.
type status struct {
	answers [][][]string
	asked   []string
	sent    int64
}

func (s *status) Query(_ context.Context, sql string) ([][]string, error) {
	s.asked = append(s.asked, sql)
	s.sent++
	if len(s.answers) == 0 {
		return nil, errors.New("server has gone away")
	}
	a := s.answers[0]
	s.answers = s.answers[1:]
	return a, nil
}
func (s *status) Statements() int64 { return s.sent }

func TestOpsBy(t *testing.T) {
	for _, c := range []struct {
		per    string
		first  [][]string
		second [][]string
		want   int64
		err    string
	}{
		// Two of the 102 statements are ours: the readings themselves count.
		{"statement", [][]string{{"Questions", "1000"}}, [][]string{{"Questions", "1102"}}, 101, ""},
		{"transaction", [][]string{{"Com_commit", "5"}, {"Com_rollback", "1"}}, [][]string{{"Com_commit", "15"}, {"Com_rollback", "2"}}, 11, ""},
		{"Com_call_procedure", [][]string{{"Com_call_procedure", "7"}}, [][]string{{"Com_call_procedure", "9"}}, 2, ""},
		{"row", nil, nil, 0, "the server has no counter"},
		{"querys", nil, nil, 0, "give one of statement, transaction"},
		{"x_' OR 1=1 --", nil, nil, 0, "give one of statement, transaction"},
	} {
		sql := &status{answers: [][][]string{c.first, c.second}}
		ops, err := OpsBy(c.per, sql)
		var a, b result.OpCount
		if err == nil {
			a, err = ops.Read(context.Background())
		}
		if err == nil {
			b, err = ops.Read(context.Background())
		}
		switch {
		case c.err != "":
			if err == nil || !strings.Contains(err.Error(), c.err) {
				t.Errorf("%s: %v, want %q", c.per, err, c.err)
			}
		case err != nil || b.End-a.End != c.want || b.Per != strings.ToLower(c.per) || b.Uncertainty <= 0:
			t.Errorf("%s: %+v to %+v, %v; want %d", c.per, a, b, err, c.want)
		}
	}
	ops, _ := OpsBy("statement", &status{})
	if _, err := ops.Read(context.Background()); err == nil || !strings.Contains(err.Error(), "gone away") {
		t.Errorf("a lost connection: %v", err)
	}
}

func TestByThread(t *testing.T) {
	window := func(cpu float64, threads ...result.Thread) result.Window {
		return result.Window{Threads: threads, Readings: []result.Reading{
			result.Got("cpu_us", cpu, "us", result.SourceProc, result.UserKernel),
			result.Lacking("cpu_connection_us", "us", result.SourceProc, result.UserKernel, result.Unsupported, "not known", ""),
			result.Lacking("cpu_background_us", "us", result.SourceProc, result.UserKernel, result.Unsupported, "not known", ""),
		}}
	}
	ok := func(conn uint64, cpu float64) result.Thread {
		return result.Thread{Connection: conn, CPUUS: cpu, State: result.OK}
	}
	w := window(1000, ok(7, 600), ok(8, 300), ok(0, 95))
	byThread(&w)
	conn, _ := value(w, "cpu_connection_us")
	rest, _ := value(w, "cpu_background_us")
	if conn != 900 || rest != 100 || w.Readings[1].Uncertainty != 5 {
		t.Errorf("connections %v, background %v, uncertainty %v; want 900, 100, 5", conn, rest, w.Readings[1].Uncertainty)
	}
	others := ok(0, 95)
	others.Others = 3
	for name, w := range map[string]result.Window{
		"rows added up":          window(1000, ok(7, 900), others),
		"threads that are lost":  window(1000, ok(7, 600)),
		"no table":               window(1000),
		"a thread not read well": window(1000, ok(7, 1000), result.Thread{State: result.Partial, Reason: "ended"}),
	} {
		byThread(&w)
		if v, known := value(w, "cpu_connection_us"); known {
			t.Errorf("%s: connections %v", name, v)
		}
	}
}

// TestAttachedOrder: slow readers stand outside, and what cannot be read of a
// server on another machine is not asked.
func TestAttachedOrder(t *testing.T) {
	names := func(o AttachOptions) string {
		cs, _ := attached(o)
		var ns []string
		for _, c := range cs {
			ns = append(ns, c.Name())
		}
		return strings.Join(ns, " ")
	}
	here := collectors.Target{PID: 1, SQL: &status{}}
	for want, o := range map[string]AttachOptions{
		"digest threads host proc mysqlstatus":          {Target: here, Detail: true},
		"host proc mysqlstatus":                         {Target: here},
		"host proc":                                     {Target: collectors.Target{PID: 1}},
		"digest mysqlstatus":                            {Target: collectors.Target{SQL: &status{}}, Detail: true},
		"digest threads host proc perfstat mysqlstatus": {Target: here, Detail: true, Syscalls: true},
	} {
		if got := names(o); got != want {
			t.Errorf("%+v: %q, want %q", o, got, want)
		}
	}
}
