package importer

import (
	"bytes"
	"fmt"
	"math"
	"regexp"
	"strings"
	"testing"

	"opcost/perfctl/importer/mysqlslap"
	"opcost/perfctl/importer/smalldatum"
	"opcost/perfctl/importer/sysbench"
	"opcost/perfctl/result"
	"opcost/testbed/casefiles"
)

// one tells whether the import of a single file gave a run, named by hand.
func one(t *testing.T, path string) (Imported, []result.Warning, error) {
	t.Helper()
	return Import(t.Context(), []string{path}, Options{Versions: []string{"v"}, Clients: []int{1}, Workload: "w"})
}

// refused is the check of a file outside of what is claimed: an error that says
// what it is.
func refused(want string) func(*testing.T, casefiles.Case) {
	return func(t *testing.T, c casefiles.Case) {
		casefiles.Used(t, casefiles.Refused, c.Path)
		if _, _, err := one(t, c.Path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want one with %q", err, want)
		}
	}
}

// corpus runs a check for each case of a folder and prints the share that passes.
func corpus(t *testing.T, folder string, check func(c casefiles.Case) func(*testing.T, casefiles.Case)) {
	passed, n, without := 0, 0, 0
	for _, c := range casefiles.Index(t, folder) {
		if c.Path == "" {
			without++ // a fact without a file
			continue
		}
		n++
		if t.Run(c.File, func(t *testing.T) {
			f := check(c)
			if f == nil {
				t.Fatalf("no check for this case, which expects: %s", c.Expected)
			}
			casefiles.Used(t, casefiles.Compared, c.Path)
			f(t, c)
		}) {
			passed++
		}
	}
	t.Logf("%s: %d of %d pass (%d are facts without a file)", folder, passed, n, without)
}

func TestCorpusLoadTools(t *testing.T) {
	corpus(t, "04-load-tools", func(c casefiles.Case) func(*testing.T, casefiles.Case) {
		switch {
		case strings.HasSuffix(c.File, ".sysbench.txt"):
			return sysbenchSummary
		case strings.HasSuffix(c.File, ".met"):
			return oneMet
		}
		return loadChecks[c.File]
	})
}

// The sysbench outputs that lie beside perf's.
func TestCorpusSysbenchBesidePerf(t *testing.T) {
	n := 0
	for _, c := range casefiles.Index(t, "01-perf-stat") {
		if strings.HasSuffix(c.File, ".sysbench.txt") {
			n++
			casefiles.Used(t, casefiles.Compared, c.Path)
			o := sysbenchOf(t, c)[0]
			if o.Threads != 40 || o.Queries == nil || o.Queries.Total <= 0 || math.Abs(float64(o.Queries.Total)/o.Elapsed.Seconds() / *o.Queries.QueriesPerSecond - 1) > 1e-3 {
				t.Errorf("%s: %+v", c.File, o)
			}
		}
	}
	t.Logf("01-perf-stat: %d outputs of sysbench pass", n)
}

func sysbenchOf(t *testing.T, c casefiles.Case) []sysbench.Output {
	t.Helper()
	text, err := source{path: c.Path}.text()
	if err != nil {
		t.Fatal(err)
	}
	o, _, err := sysbench.Parse(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return o
}

var summaryWords = regexp.MustCompile(`read (\d+), write (\d+), other (\d+), total (\d+), transactions (\d+) \(([\d.]+)/s\), queries (\d+) \(([\d.]+)/s\), ignored errors (\d+) .*reconnects (\d+) .*time elapsed ([\d.]+), total number of events (\d+), min ([\d.]+), avg ([\d.]+), max ([\d.]+), sum ([\d.]+), 95th percentile ([\d.]+)`)

// sysbenchSummary compares with what the index has typed out.
func sysbenchSummary(t *testing.T, c casefiles.Case) {
	m := summaryWords.FindStringSubmatch(c.Expected)
	if m == nil {
		t.Fatalf("the index says something else: %s", c.Expected)
	}
	outputs := sysbenchOf(t, c)
	if len(outputs) != 1 {
		t.Fatalf("%d outputs", len(outputs))
	}
	o := outputs[0]
	q, l := o.Queries, o.Latency
	got := fmt.Sprintf("%d %d %d %d %d %.2f %d %.2f %d %d %.4f %d %.2f %.2f %.2f %.2f %.2f", q.Read, q.Write, q.Other, q.Total, q.Transactions, *q.TransactionsPerSecond,
		q.Total, *q.QueriesPerSecond, q.Errors, q.Reconnects, o.Elapsed.Seconds(), *o.Events, l.Min, l.Avg, l.Max, *l.Sum, *l.Percentile)
	if want := strings.Join(m[1:], " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if strings.Contains(o.Command, "pw") {
		t.Errorf("a password is in %s", o.Command)
	}
	if !strings.Contains(c.File, "dop40") {
		return
	}
	if o.Threads != 40 || o.CPUs != 48 || o.Warmup.Seconds() != 5 || o.Program != "1.1.0-9072687" {
		t.Errorf("%+v", o)
	}
}

// oneMet: the author's rates over his queries a second are his costs, and the
// queries a second are those of the output beside it.
func oneMet(t *testing.T, c casefiles.Case) {
	v := map[string]smalldatum.Cell{}
	for _, cell := range readTable(t, c.Path).Cells {
		v[cell.Metric] = cell
	}
	beside := casefiles.Case{Path: strings.TrimSuffix(c.Path, ".met") + ".sysbench.txt"}
	if qps := *sysbenchOf(t, beside)[0].Queries.QueriesPerSecond; v["o/s"].Value != qps {
		t.Errorf("o/s %v, sysbench says %v", v["o/s"].Value, qps)
	}
	for cost, rate := range map[string]string{"cpu/o": "cpu/s", "cs/o": "cs/s"} {
		if !smalldatum.Agrees(v[cost], v[rate], v["o/s"]) {
			t.Errorf("%s is %v, and %s/%s is %v/%v", cost, v[cost].Text, rate, "o/s", v[rate].Text, v["o/s"].Text)
		}
	}
}

// queriesOf checks a gzipped output.
func queriesOf(threads int, total int64, elapsed float64) func(*testing.T, casefiles.Case) {
	return func(t *testing.T, c casefiles.Case) {
		outputs := sysbenchOf(t, c)
		if len(outputs) != 1 {
			t.Errorf("%d outputs, want 1", len(outputs))
		}
		for _, o := range outputs {
			if o.Threads != threads || o.Queries.Total != total || o.Elapsed.Seconds() != elapsed {
				t.Errorf("%d threads, %d queries, %v", o.Threads, o.Queries.Total, o.Elapsed)
			}
		}
		im, ws, err := Import(t.Context(), []string{c.Path}, Options{Versions: []string{"v"}})
		if err != nil || len(im.Runs) != 1 || im.Runs[0].Workload != "delete" || im.Runs[0].Clients != threads || len(ws) > 0 {
			t.Errorf("%d runs, %v, %v; want one", len(im.Runs), ws, err)
		}
	}
}

// slap checks queries a second of each block, as the index has them.
func slap(want ...string) func(*testing.T, casefiles.Case) {
	return func(t *testing.T, c casefiles.Case) {
		blocks, _, err := mysqlslap.Parse(strings.NewReader(c.Read(t)))
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, b := range blocks {
			n, ok := b.Queries()
			if !ok {
				got = append(got, "unknown")
				continue
			}
			got = append(got, fmt.Sprintf("%d of %.2f/s", n*int64(max(1, b.Iterations)), float64(n)/b.Avg))
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

var loadChecks = map[string]func(*testing.T, casefiles.Case){
	"mytools/dec2020.sb.o.delete.range100.pk1.dop1.gz": queriesOf(1, 764719, 90.0004),
	"mytools/dec2020.sb.o.delete.range100.pk1.dop2.gz": queriesOf(2, 1411844, 90.0004),
	"mytools/dec2020.sb.o.delete.range100.pk1.dop3.gz": queriesOf(3, 2114705, 90.0004),
	"mytools/dec2020.sb.o.delete.range100.pk1.dop4.gz": queriesOf(4, 2673139, 90.0006),
	"sysbench/cpu-histogram-8-threads.txt": func(t *testing.T, c casefiles.Case) {
		o := sysbenchOf(t, c)[0]
		sum := int64(0)
		for _, b := range o.Histogram {
			sum += b.Count
		}
		if *o.Events != 64822 || sum != 64822 || o.Queries != nil || *o.Latency.Percentile != 49.21 || o.Latency.Percent != 99 || o.Threads != 8 {
			t.Errorf("%+v, histogram of %d", o, sum)
		}
		im, _, err := one(t, c.Path)
		if err != nil {
			t.Fatal(err)
		}
		if r := readingOf(&im.Runs[0], "events_per_second"); r == nil || math.Abs(*r.Value-6481.1) > 0.05 {
			t.Errorf("%+v", r)
		}
		if has(&im.Runs[0], "qps") {
			t.Error("queries were made up")
		}
	},
	"sysbench/pxc-err-per-sec-fatal.txt": func(t *testing.T, c casefiles.Case) {
		o := sysbenchOf(t, c)[0]
		if len(o.Reports) != 3 || o.Reports[0].QPS != 8059.91 || o.Reports[1].QPS != 8214.73 || o.Reports[2].QPS != 8002.03 || o.Queries != nil || o.Threads != 24 {
			t.Fatalf("%+v", o)
		}
		if r := o.Reports[0]; math.Abs(r.ErrorsPerSecond/(r.TPS+r.ErrorsPerSecond)-0.1066) > 5e-5 || r.Percentile != 106.75 || r.Other != 785.06 {
			t.Errorf("%+v", r)
		}
		im, _, err := one(t, c.Path)
		if err != nil {
			t.Fatal(err)
		}
		r := readingOf(&im.Runs[0], "qps")
		w := im.Runs[0].Passes[0].Windows[0]
		if math.Abs(*r.Value-(8059.91+8214.73+8002.03)/3) > 1e-9 || w.State != result.Partial || !strings.Contains(w.Reason, "no summary") || w.Ops.N() != 0 || im.Runs[0].Clients != 24 {
			t.Errorf("%+v, %+v", r, w)
		}
	},
	"sysbench/fatal-1317-lines.txt": func(t *testing.T, c casefiles.Case) {
		im, _, err := one(t, c.Path)
		if err != nil {
			t.Fatal(err)
		}
		r := im.Runs[0]
		if r.Complete() || r.Passes[0].State != result.Failed || !strings.Contains(r.Passes[0].Reason, "1317") || readingOf(&r, "qps").Value != nil {
			t.Errorf("%+v", r.Passes)
		}
	},
	"sysbench/tail-after-time-limit.txt": func(t *testing.T, c casefiles.Case) {
		o := sysbenchOf(t, c)[0]
		if r := o.Reports[0]; len(o.Reports) != 5 || r.QPS != 3000.09 || r.Read != 2423.06 || r.Write != 836.02 || r.Other != 366.01 || r.Threads != 512 {
			t.Errorf("%+v", o.Reports)
		}
		im, _, err := one(t, c.Path)
		if err != nil {
			t.Fatal(err)
		}
		// The interval with 409 threads is left out, and that is said.
		if r := readingOf(&im.Runs[0], "qps"); math.Abs(*r.Value-(3000.09+5000.02+5000.66+800.05)/4) > 1e-9 || !strings.Contains(fmt.Sprint(im.Runs[0].Warnings), "1 of 5 intervals are left out") {
			t.Errorf("%v, %v", *r.Value, im.Runs[0].Warnings)
		}
	},
	"mysqlslap/multi-concurrency.txt":       slap("100 of 14.18/s", "1000 of 49.90/s", "500 of 42.86/s", "200 of 36.04/s"),
	"mysqlslap/queries-per-client-zero.txt": slap("unknown"),
	"mysqlslap/indexed.txt": func(t *testing.T, c casefiles.Case) {
		slap("100 of 666.67/s", "200 of 3571.43/s")(t, c)
		im, _, err := Import(t.Context(), []string{c.Path}, Options{Versions: []string{"v"}, Workload: "w"})
		if err != nil || len(im.Runs) != 2 || !strings.Contains(fmt.Sprint(im.Runs[0].Warnings), "too short to be compared or profiled: 0.015 s in steps of 0.001 s is ±7%") {
			t.Errorf("%+v, %v", im.Runs, err)
		}
	},
	"mysqlslap/small-set.csv": refused("no kind that can be imported"), // not what --csv writes
}
