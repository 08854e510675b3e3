package importer

import (
	"errors"
	"os"
	"testing"
	"time"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// Whatever a text holds: no panic, and every run that comes of it is one that
// the store takes.
func FuzzImport(f *testing.F) {
	for _, s := range []string{abs, rel, met, loadText, perfHead + " 5 cycles\n\n 2.0 seconds time elapsed\n", "sb.r.qps.scan.range100.pk1\n10\t20\tx.my5651\n",
		"Running mysqlslap with concurrency=4 and iterations=9223372036854775807\nBenchmark\n\tAverage number of seconds to run all queries: 99999999 seconds\n\tMinimum number of seconds to run all queries: 1 seconds\n" +
			"\tMaximum number of seconds to run all queries: 1 seconds\n\tNumber of clients running queries: 999999999\n\tAverage number of queries per client: 999999999\n",
		"[ 1s ] thds: 4 tps: 10.00 qps: 203.98 (r/w/o: 140.99/40.00/22.99)\n", "FATAL: x\n",
		" r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n 1 0 0 1 1 1 0 0 0 0 1 9 90 5 5 0 0\n 1 0 0 1 1 1 0 0 0 0 1 1e308 90 5 5 0 0\n 1 0 0 1 1 1 0 0 0 0 1 1e308 90 5 5 0 0\n",
		"avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n 10.00    0.00    5.00    1.00    0.00   84.00\n\nDevice r/s\nsda 1e308\n\navg-cpu:  %user   %nice %system %iowait  %steal   %idle\n\nDevice r/s\nsda 1e308\nsdb 1e308\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s := &source{path: "a/f_dop2.txt", name: "f_dop2.txt", dir: "/a", set: "/a", time: time.Unix(1, 0)}
		b := batch{options: Options{Versions: []string{"v"}, Clients: []int{1, 2}, Workload: "w"}}
		if _, err := b.parse(s, detect([]byte(text)), []byte(text)); err != nil {
			return
		}
		im := b.runs()
		for _, r := range im.Runs {
			dir, err := os.MkdirTemp("", "opcost-fuzz-")
			if err != nil {
				t.Fatal(err)
			}
			folder, err := result.Create(dir)
			if err != nil {
				t.Fatal(err)
			}
			if err := folder.Write(r); err != nil {
				t.Errorf("%v of %q", err, text)
			}
			if err := errors.Join(folder.Close(), os.RemoveAll(dir)); err != nil {
				t.Fatal(err)
			}
		}
		compare.Build(im.Runs, compare.Options{})
	})
}
