package perfctl

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/importer/sysbench"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/workload"
)

// debtor is a server that pays a hundred dirty pages with each look, and tells
// the history as MySQL does.
type debtor struct {
	dirty, history int64
	pays           int64
	sets           []string
}

func (d *debtor) Statements() int64 { return 0 }

func (d *debtor) Query(_ context.Context, sql string) ([][]string, error) {
	switch {
	case strings.HasPrefix(sql, "SHOW GLOBAL VARIABLES"):
		return [][]string{{"innodb_max_dirty_pages_pct", "90.5"}, {"innodb_max_dirty_pages_pct_lwm", "10"}}, nil
	case strings.HasPrefix(sql, "SET GLOBAL"):
		d.sets = append(d.sets, strings.TrimPrefix(sql, "SET GLOBAL innodb_max_dirty_pages_pct"))
		return nil, nil
	case strings.HasPrefix(sql, "SHOW GLOBAL STATUS"):
		d.dirty = max(0, d.dirty-d.pays)
		return [][]string{{"Innodb_buffer_pool_pages_dirty", fmt.Sprint(d.dirty)}}, nil
	case strings.Contains(sql, "INNODB_METRICS"):
		return [][]string{{"trx_rseg_history_len", fmt.Sprint(d.history)}}, nil
	}
	return nil, fmt.Errorf("unexpected: %s", sql)
}

func TestSettle(t *testing.T) {
	ctx := context.Background()
	d := &debtor{dirty: 350, pays: 100}
	left, note, err := settle(ctx, d, time.Minute)
	if err != nil || note != "" || left.dirty > 32 {
		t.Errorf("paid: %v, %q, %v", left, note, err)
	}
	// The low mark may never be above the other.
	if got := strings.Join(d.sets, ";"); got != "_lwm = 0; = 0; = 90.5;_lwm = 10" {
		t.Errorf("settings: %s", got)
	}
	d = &debtor{dirty: 350, history: 5000}
	left, note, err = settle(ctx, d, 200*time.Millisecond)
	if err != nil || note != "not settled within 200ms: 350 dirty pages, history list of 5000 are left" {
		t.Errorf("it pays nothing: %v, %q, %v", left, note, err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	d = &debtor{dirty: 350}
	if _, _, err = settle(stopped, d, time.Minute); err == nil || len(d.sets) != 4 {
		t.Errorf("stopped: %v; settings put back: %v", err, d.sets)
	}
}

func TestHitsAndMisses(t *testing.T) {
	remove := workload.Test{ID: "delete", Name: "delete", Write: true}
	of := func(w result.Window, x workload.Test) string {
		s := ""
		for _, g := range hitsAndMisses(w, x) {
			s += fmt.Sprintf("%s=%v ", g.Name, *g.Value)
		}
		return s
	}
	ours := result.Window{Ops: result.OpCount{Source: result.SourceClient, Begin: 100, End: 500, Misses: 30}}
	theirs := result.Window{Ops: result.OpCount{Source: result.SourceServer, End: 400}, Readings: []result.Reading{result.Got("handler_delete", 370, "count", result.SourceServer, "")}}
	for _, c := range []struct{ got, want string }{
		{of(ours, remove), "hits=370 misses=30 "},
		{of(theirs, remove), "hits=370 misses=30 "},
		{of(theirs, update), ""},
		{of(ours, point), ""},
		{of(ours, workload.Test{Write: true, Transactional: true}), ""},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}

// What sysbench reports of its own run is said in the record.
func TestSysbenchReportIsChecked(t *testing.T) {
	check := func(o sysbench.Output) (string, error) {
		d := &driven{r: &runner{plan: &plan.Plan{Tables: 1}}, c: Cell{Clients: 2}, run: &result.Run{}}
		done := &result.Pass{Windows: []result.Window{{ID: "w0-count-0", Gated: true, Ops: result.OpCount{End: 1000}}}}
		err := d.check("count-0", o, done)
		var codes []string
		for _, w := range d.run.Warnings {
			codes = append(codes, w.Code)
		}
		return strings.Join(codes, " "), err
	}
	for _, c := range []struct {
		queries *sysbench.Queries
		codes   string
		err     string
	}{
		{&sysbench.Queries{Total: 995}, "", ""},
		{&sysbench.Queries{Total: 900}, "ops_differ", ""},
		{&sysbench.Queries{Total: 995, Errors: 4}, "driver_errors", ""},
		{&sysbench.Queries{Total: 995, Reconnects: 2}, "", "reconnected 2 times"},
		{nil, "", "no SQL statistics"},
	} {
		codes, err := check(sysbench.Output{Queries: c.queries})
		if codes != c.codes || (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
			t.Errorf("%+v: warnings %q, error %v", c.queries, codes, err)
		}
	}
}

func TestCommandWithoutOperationsIsNotCountedUnderCallgrind(t *testing.T) {
	p := &plan.Plan{Driver: plan.Driver{Name: "command", Command: "x {seconds}"}}
	got := append(ways(nil), both...).countable(p)
	if len(got) != 1 || got[0].kind != result.PassCount || len(got[0].lacking) != 1 || got[0].lacking[0].State != result.NotCounted || got[0].lacking[0].Remedy == "" {
		t.Errorf("%+v", got)
	}
	p.Driver.Command = "x {operations}"
	if got := both.countable(p); len(got) != 2 {
		t.Errorf("with {operations}: %+v", got)
	}
}

// Threads that came inside a window are those of connections or not: nobody knows.
func TestConnectedInside(t *testing.T) {
	for _, connections := range []float64{0, 7} {
		w := result.Window{Readings: []result.Reading{
			result.Got("connections", connections, "count", result.SourceServer, ""),
			result.Got("cpu_us", 10, "us", result.SourceProc, result.UserKernel),
			result.Got("cpu_connection_us", 2, "us", result.SourceProc, result.UserKernel),
			result.Got("cpu_background_us", 8, "us", result.SourceProc, result.UserKernel),
		}}
		connectedInside(&w)
		for _, g := range w.Readings[2:] {
			if known := g.Value != nil; known != (connections == 0) || !known && (g.State != result.NotCounted || g.Remedy == "" || !strings.Contains(g.Reason, "7 new connections")) {
				t.Errorf("%v connections: %+v", connections, g)
			}
		}
		if v, ok := value(w, "cpu_us"); !ok || v != 10 {
			t.Errorf("the whole is known: %v", v)
		}
	}
}

// What processes used that nobody waited for is lost: that is no negative use.
func TestDriverCPUThatIsLost(t *testing.T) {
	for _, c := range []struct {
		begin, end time.Duration
		state      result.State
	}{{time.Second, 3 * time.Second, result.OK}, {3 * time.Second, time.Second, result.Failed}} {
		rs, err := (&driverArmed{begin: c.begin, end: c.end}).Close()
		if err != nil || len(rs) != 1 || rs[0].State != c.state || (rs[0].Value != nil) != (c.state == result.OK) {
			t.Errorf("from %v to %v: %+v, %v", c.begin, c.end, rs, err)
		}
	}
}

// The record says what the driver did with TLS, not what the plan asks for.
func TestDriversTLS(t *testing.T) {
	for _, c := range []struct {
		asked    bool
		accepted int64
		want     bool
		warned   string
	}{
		{false, 0, false, ""}, {true, 3, true, ""},
		{true, 0, false, "asks for connections with TLS, and the driver made its own without TLS"},
		{false, 3, true, "asks for connections without TLS, and the driver made its own with TLS"},
	} {
		run := result.Run{TLS: c.asked}
		withTLS(&run, c.accepted)
		text := ""
		for _, w := range run.Warnings {
			text += w.Text
		}
		if run.TLS != c.want || (text == "") != (c.warned == "") || !strings.Contains(text, c.warned) {
			t.Errorf("%+v: TLS %v, warned %q", c, run.TLS, text)
		}
	}
}
