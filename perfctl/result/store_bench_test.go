package result

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// cpuTime is what this process has used, which a busy machine does not stretch.
func cpuTime(b *testing.B) time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// BenchmarkRead reads 2,000 runs of one and of three windows of 60 readings. heap-B/run is what a run
// takes in memory once it is read; cpu-ns/run over the number of CPUs is the
// time on a quiet machine.
func BenchmarkRead(b *testing.B) {
	for _, windows := range []int{1, 3} {
		b.Run(fmt.Sprintf("windows=%d", windows), func(b *testing.B) { benchmarkRead(b, windows) })
	}
}

func benchmarkRead(b *testing.B, windows int) {
	const n = 2000
	runs := make([]Run, n)
	for i := range runs {
		runs[i] = aRun(fmt.Sprintf("r%05d", i), windows)
		runs[i].Started = runs[i].Started.Add(time.Duration(i) * time.Second)
	}
	text, err := encode(runs[0])
	if err != nil {
		b.Fatal(err)
	}
	dir := written(b, runs...)
	runs = nil
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	cpu := cpuTime(b)
	for b.Loop() {
		got, warnings := mustRead(b, dir)
		if len(got) != n || len(warnings) > 0 {
			b.Fatalf("%d runs, %v", len(got), warnings)
		}
		runs = got
	}
	cpu = cpuTime(b) - cpu
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/n, "ns/run")
	b.ReportMetric(float64(cpu.Nanoseconds())/float64(b.N)/n, "cpu-ns/run")
	b.ReportMetric((float64(after.HeapAlloc)-float64(before.HeapAlloc))/n, "heap-B/run")
	b.ReportMetric(float64(len(text)), "file-B/run")
	runtime.KeepAlive(runs)
}
