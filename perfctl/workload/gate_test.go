package workload

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"opcost/perfctl/window"
)

func TestQuiesceLetsTransactionsFinishLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 3000, Seed: 7}
	a := load(t, d)
	db := control(t, a)
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "read-only_range=10"), Data: d, Clients: 4, Seed: 1})
	if n := quiesce(t, b); n.End != 0 { // before any phase: nothing is under way
		t.Errorf("%d operations before the first phase", n.End)
	}
	for i := range 5 {
		b.Release(window.Phase{Name: fmt.Sprint(i)})
		time.Sleep(30 * time.Millisecond)
		n := quiesce(t, b)
		if n.End == 0 || n.End != 16*n.Transactions {
			t.Errorf("%d statements in %d transactions of 16", n.End, n.Transactions)
		}
		if open := ask[int64](t, db, "SELECT COUNT(*) FROM information_schema.INNODB_TRX"); open != 0 {
			t.Errorf("%d transactions are open behind the gate", open)
		}
		if again := quiesce(t, b); again != n {
			t.Errorf("closing a closed gate: %+v after %+v", again, n)
		}
	}
}

func TestQuiesceGivesUpWithItsContextLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 10, Seed: 7}
	a := load(t, d)
	tx, err := control(t, a).Begin()
	if err != nil {
		t.Fatal(err)
	}
	defer tx.Rollback() //nolint:errcheck // it has ended by then, or the test has failed
	if _, err := tx.Exec("UPDATE sbtest1 SET k=k+1 WHERE id=1"); err != nil {
		t.Fatal(err)
	}
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "update-one"), Data: d, Clients: 2, Seed: 1})
	done := b.Release(window.Phase{Name: "stuck"})
	time.Sleep(50 * time.Millisecond)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	if err := b.Quiesce(ctx); !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(err.Error(), `"stuck"`) {
		t.Errorf("Quiesce behind a lock: %v", err)
	}
	if n, err := b.Read(context.Background()); err != nil || n.Uncertainty != 2 || b.Latency() != nil {
		t.Errorf("in the phase: %+v, %v, %v", n, err, b.Latency())
	}
	select {
	case <-done:
		t.Error("the phase is done while its statements wait")
	default:
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
	if n := quiesce(t, b); n.End != 2 {
		t.Errorf("%d statements, one a client was under way", n.End)
	}
	<-done
}

func TestStopCutsStuckStatementsLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 10, Seed: 7}
	a := load(t, d)
	tx, err := control(t, a).Begin()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tx.Exec("UPDATE sbtest1 SET k=k+1 WHERE id=1"); err != nil {
		t.Fatal(err)
	}
	b, err := StartBuiltin(context.Background(), BuiltinConfig{Access: a, Test: test(t, "update-one"), Data: d, Clients: 2, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	b.grace = 50 * time.Millisecond
	b.Release(window.Phase{Name: "stuck"})
	time.Sleep(50 * time.Millisecond)
	stopped := make(chan error)
	go func() { stopped <- b.Stop() }()
	select {
	case err := <-stopped:
		if err == nil || !strings.Contains(err.Error(), "2 clients did not finish") {
			t.Errorf("Stop: %v", err)
		}
	case <-time.After(20 * time.Second):
		t.Error("Stop waits for a statement that is stuck")
	}
	if err := tx.Rollback(); err != nil {
		t.Fatal(err)
	}
}

func TestReleaseTwiceIsAnErrorLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 100, Seed: 7}
	b := startLoad(t, BuiltinConfig{Access: load(t, d), Test: test(t, "point-query"), Data: d, Clients: 1, Seed: 1})
	first := b.Release(window.Phase{Name: "a"})
	<-b.Release(window.Phase{Name: "b"})
	<-first
	if err := b.Quiesce(context.Background()); err == nil || !strings.Contains(err.Error(), `phase "b" released while phase "a"`) {
		t.Errorf("%v", err)
	}
	<-b.Release(window.Phase{Name: "c"})
	if err := b.Stop(); err != nil {
		t.Error(err)
	}
	if err := b.Stop(); err != nil {
		t.Error(err)
	}
}

// By Little's law the mean number of statements under way is rate times response
// time. Clients that took turns at Go's processors would show as about 2 here.
func TestClientsAreConcurrentLive(t *testing.T) {
	const clients = 16
	d := Data{Tables: 1, Rows: 3000, Seed: 7}
	b := startLoad(t, BuiltinConfig{Access: load(t, d), Test: test(t, "point-query"), Data: d, Clients: clients, Seed: 1})
	begin := time.Now()
	<-b.Release(window.Phase{Name: "x", Operations: 40000})
	took := time.Since(begin)
	l := b.Latency()
	underWay := float64(l.Count) * l.MeanUS / float64(took.Microseconds())
	if underWay < clients/2 || underWay > clients {
		t.Errorf("%.1f statements of %d clients were under way in the mean", underWay, clients)
	}
}

func TestThreadsLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 3000, Seed: 7}
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		t.Fatal(err)
	}
	cpu := 0
	for !allowed.IsSet(cpu) {
		cpu++
	}
	b := startLoad(t, BuiltinConfig{Access: load(t, d), Test: test(t, "point-query"), Data: d, Clients: 2, Seed: 1, CPUs: []int{cpu}})
	run := func(b *Builtin) (ns int64) { // the first field of schedstat: time on the CPU
		for _, c := range b.clients {
			text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/schedstat", c.thread.tid))
			if err != nil {
				t.Fatal(err)
			}
			var n int64
			fmt.Sscan(string(text), &n)
			ns += n
		}
		return ns
	}
	for _, c := range b.clients {
		text, err := os.ReadFile(fmt.Sprintf("/proc/self/task/%d/status", c.thread.tid))
		if err != nil || !strings.Contains(string(text), fmt.Sprintf("Cpus_allowed_list:\t%d\n", cpu)) {
			t.Errorf("thread %d is not pinned to CPU %d: %v", c.thread.tid, cpu, err)
		}
	}
	before, err := b.CPU()
	if err != nil {
		t.Fatal(err)
	}
	schedBefore := run(b)
	<-b.Release(window.Phase{Name: "x", Operations: 5000})
	quiesce(t, b)
	time.Sleep(20 * time.Millisecond) // the threads are asleep by then
	after, err := b.CPU()
	if err != nil {
		t.Fatal(err)
	}
	got, want := int64(after-before), run(b)-schedBefore
	if got < want*98/100 || got > want*102/100 || got < 5000*1000 {
		t.Errorf("CPU of the threads: %d ns, /proc says %d ns", got, want)
	}
	if err := b.Stop(); err != nil {
		t.Fatal(err)
	}
	if end, err := b.CPU(); err != nil || end < after {
		t.Errorf("after Stop: %v, %v; before %v", end, err, after)
	}
}

func TestConnectionIDsLive(t *testing.T) {
	d := Data{Tables: 1, Rows: 100, Seed: 7}
	a := load(t, d)
	b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "point-query"), Data: d, Clients: 3, Seed: 1})
	ids := b.ConnectionIDs()
	n := ask[int](t, control(t, a), "SELECT COUNT(*) FROM information_schema.PROCESSLIST WHERE ID IN (?, ?, ?) AND DB = ?", ids[0], ids[1], ids[2], a.Database)
	if len(ids) != 3 || n != 3 {
		t.Errorf("connections %v: the server knows %d of them", ids, n)
	}
}
