package sysbench

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

const summary10 = `sysbench 1.0.20 (using system LuaJIT 2.1.0-beta3)

Running the test with following options:
Number of threads: 4
Report intermediate results every 1 second(s)

Threads started!

[ 1s ] thds: 4 tps: 10.00 qps: 203.98 (r/w/o: 140.99/40.00/22.99) lat (ms,99%): 12.30 err/s: 1.50 reconn/s: 0.25
SQL statistics:
    queries performed:
        read:                            140
        write:                           40
        other:                           20
        total:                           200
    transactions:                        10     (5.00 per sec.)
    queries:                             200    (100.00 per sec.)
    ignored errors:                      3      (1.50 per sec.)
    reconnects:                          2      (1.00 per sec.)

General statistics:
    total time:                          2.0000s
    total number of events:              10

Latency (ms):
         min:                                  150.00
         avg:                                  780.00
         max:                                 1900.00
         99th percentile:                     1800.00
         sum:                                 7800.00
`

const summary05 = `sysbench 0.5:  multi-threaded system evaluation benchmark

Number of threads: 2
[   1s] threads: 2, tps: 100.00, reads: 1400.00, writes: 400.00, response time: 5.50ms (95%), errors: 2.00, reconnects:  0.00
OLTP test statistics:
    queries performed:
        read:                            1400
        write:                           400
        other:                           200
        total:                           2000
    transactions:                        100    (100.00 per sec.)
    deadlocks:                           7      (7.00 per sec.)
    read/write requests:                 1800   (1800.00 per sec.)

General statistics:
    total time:                          1.0000s
    total number of events:              100
    response time:
         min:                                  1.10ms
         avg:                                  2.20ms
         max:                                  9.90ms
         approx.  95 percentile:               5.50ms
`

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, in, want string
	}{
		{"1.0", summary10, "1.0.20 threads 4 read 140 write 40 other 20 total 200 trx 10 qps 100 tps 5 errors 3 reconnects 2 events 10 in 2s latency 150 780 1900 99%=1800 sum 7800 " +
			"[1s 4 tps 10 qps 203.98 140.99/40/22.99 12.3 err 1.5 reconn 0.25]"},
		{"0.5", summary05, "0.5 threads 2 read 1400 write 400 other 200 total 2000 trx 100 qps nil tps 100 errors 7 reconnects 0 events 100 in 1s latency 1.1 2.2 9.9 95%=5.5 sum nil " +
			"[1s 2 tps 100 qps 1800 1400/400/0 5.5 err 2 reconn 0]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			os, ws, err := Parse(strings.NewReader(tt.in))
			if err != nil || len(os) != 1 || len(ws) > 0 {
				t.Fatalf("%d outputs, %v, %v", len(os), ws, err)
			}
			if got := text(os[0]); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

func number(v *float64) string {
	if v == nil {
		return "nil"
	}
	return fmt.Sprint(*v)
}

func text(o Output) string {
	q, l := o.Queries, o.Latency
	s := fmt.Sprintf("%s threads %d read %d write %d other %d total %d trx %d qps %s tps %s errors %d reconnects %d events %d in %v latency %v %v %v %d%%=%s sum %s",
		o.Program, o.Threads, q.Read, q.Write, q.Other, q.Total, q.Transactions, number(q.QueriesPerSecond), number(q.TransactionsPerSecond), q.Errors, q.Reconnects,
		*o.Events, o.Elapsed, l.Min, l.Avg, l.Max, l.Percent, number(l.Percentile), number(l.Sum))
	for _, r := range o.Reports {
		s += fmt.Sprintf(" [%v %d tps %v qps %v %v/%v/%v %v err %v reconn %v]", r.At, r.Threads, r.TPS, r.QPS, r.Read, r.Write, r.Other, r.Percentile, r.ErrorsPerSecond, r.Reconnects)
	}
	return s
}

func TestParseOdd(t *testing.T) {
	for _, tt := range []struct {
		name, in, err, warning string
		outputs                int
	}{
		{"two in one file", summary10 + summary10, "", "", 2},
		{"words of a script between", "for points\ntable 1 : explain SELECT c: x\n" + summary10, "", "", 1},
		{"a number that has wrapped", strings.Replace(summary10, "total:                           200", "total:                           -2094967296", 1), "total is no count", "", 0},
		{"parts that do not add up", strings.Replace(summary10, "write:                           40", "write:                           4", 1), "", "not the sum of its parts", 1},
		{"a rate that does not fit", strings.Replace(summary10, "(100.00 per sec.)", "(300.00 per sec.)", 1), "", "sysbench prints 300.00", 1},
		{"an interval cut off", "[ 1s ] thds: 4 tps: 1.00 qps: 20.00\n[ 2s ] thds: 4 t", "", "is not understood", 1},
		{"nothing of sysbench", "hello: world\n", "no summary", "", 0},
		{"empty", "", "no summary", "", 0},
		{"binary", "sysbench 1.0\x00", "no text", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			os, ws, err := Parse(strings.NewReader(tt.in))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want %q", err, tt.err)
			}
			if tt.warning != "" && !strings.Contains(fmt.Sprint(ws), tt.warning) || tt.warning == "" && len(ws) > 0 {
				t.Errorf("warnings %v, want %q", ws, tt.warning)
			}
			if len(os) != tt.outputs {
				t.Errorf("%d outputs, want %d", len(os), tt.outputs)
			}
		})
	}
}

func TestWithoutSecrets(t *testing.T) {
	for in, want := range map[string]string{
		"sysbench --mysql-password=s3cret --time=5":          "sysbench --mysql-password=*** --time=5",
		"sysbench --pgsql-password s3cret run":               "sysbench --pgsql-password *** run",
		"mysqlslap -uroot -ps3cret --concurrency=4":          "mysqlslap -uroot -p*** --concurrency=4",
		"perf stat -p 4711":                                  "perf stat -p 4711",
		"sysbench --tables=1 --threads=4 oltp_read_only run": "sysbench --tables=1 --threads=4 oltp_read_only run",
	} {
		if got := WithoutSecrets(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
	os, _, err := Parse(strings.NewReader("LUA_PATH=x sysbench --mysql-password=s3cret --tables=8\n" + summary10))
	if err != nil || strings.Contains(os[0].Command, "s3cret") || !strings.Contains(os[0].Command, "--tables=8") {
		t.Errorf("%q, %v", os[0].Command, err)
	}
}

// What the sysbench of this machine prints.
func TestParseLive(t *testing.T) {
	program, err := exec.LookPath("sysbench")
	if err != nil {
		if os.Getenv("OPCOST_TEST_ALL") == "1" {
			t.Fatal(err)
		}
		t.Skipf("no sysbench here: %v", err)
	}
	out, err := exec.Command(program, "cpu", "--cpu-max-prime=200", "--threads=2", "--time=2", "--report-interval=1", "--histogram", "--percentile=99", "run").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	os, ws, err := Parse(strings.NewReader(string(out)))
	if err != nil || len(ws) > 0 || len(os) != 1 {
		t.Fatalf("%d outputs, %v, %v of\n%s", len(os), ws, err, out)
	}
	o, sum := os[0], int64(0)
	for _, b := range o.Histogram {
		sum += b.Count
	}
	if o.Threads != 2 || o.Events == nil || sum != *o.Events || o.Elapsed < time.Second || o.Latency.Percent != 99 || o.Queries != nil || len(o.Reports) == 0 || o.Reports[0].QPS <= 0 {
		t.Errorf("%+v, histogram of %d, of\n%s", o, sum, out)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(summary10)
	f.Add(summary05)
	f.Add("FATAL: x\n       0.619 |**** 60564\n4 CPUs\n")
	f.Fuzz(func(t *testing.T, in string) {
		os, _, err := Parse(strings.NewReader(in))
		if (err == nil) != (len(os) > 0) {
			t.Errorf("%d outputs, %v", len(os), err)
		}
		for _, o := range os {
			if q := o.Queries; q != nil && (q.Total < 0 || q.Transactions < 0 || q.Errors < 0) || o.Elapsed < 0 || o.Threads < 0 {
				t.Errorf("%+v", o)
			}
		}
	})
}
