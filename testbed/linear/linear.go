// Package linear checks that the work of reading a text grows as the text does.
// It is for tests alone.
package linear

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// Small is the length of the smaller of the two texts.
const Small = 64 << 10

// A text four times as long takes four times the time and memory; sixteen times
// the time, if each part of it looks at all others.
const (
	times      = 4
	mostTime   = 10
	mostMemory = 8
)

// Time that is too short to be told from the clock's steps, and memory that a
// reader may take whatever it is given.
const (
	leastTime   = 20 * time.Millisecond
	leastMemory = 4 << 20
)

// Check gives work two texts, made by text: one of Small bytes and one four
// times as long. It fails if the longer one takes more than ten times as much
// CPU time (the least of up to four), or eight times as much memory. CPU time is this
// thread's alone, so that other programs and the garbage collector are not in it.
func Check(t testing.TB, text func(bytes int) string, work func(text string)) {
	t.Helper()
	CheckFrom(t, Small, text, work)
}

// CheckFrom is Check for readers that refuse large texts: the smaller one has
// some bytes, which four times of must be accepted, or nothing is checked.
func CheckFrom(t testing.TB, bytes int, text func(bytes int) string, work func(text string)) {
	t.Helper()
	small, large := text(bytes), text(times*bytes)
	if len(small) < bytes/2 || len(large) < 3*len(small) || len(large) > 5*len(small) {
		t.Fatalf("texts of %d and %d bytes: not four times as long", len(small), len(large))
	}
	for _, complaint := range compare(small, large, work) {
		t.Error(complaint)
	}
}

// compare looks again before it complains: on a busy machine the CPU's caches
// hold other programs' data, and the first look is at memory that is new to us.
func compare(small, large string, work func(string)) (complaints []string) {
	// The garbage collector would have this thread do a part of its work.
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	smaller, larger := cost(work, small), cost(work, large)
	for range 3 {
		if complaints = complain(small, large, smaller, larger); complaints == nil || larger.time > 5*time.Second {
			break
		}
		smaller, larger = smaller.least(cost(work, small)), larger.least(cost(work, large))
	}
	return complaints
}

func complain(small, large string, a, b costs) (complaints []string) {
	if b.time > leastTime && b.time > mostTime*a.time {
		complaints = append(complaints, fmt.Sprintf("%d bytes take %v, %d bytes %v: %.1f times as long", len(small), a.time, len(large), b.time, float64(b.time)/float64(a.time)))
	}
	if b.memory > leastMemory && b.memory > mostMemory*a.memory {
		complaints = append(complaints, fmt.Sprintf("%d bytes take %d bytes of memory, %d bytes %d: %.1f times as much", len(small), a.memory, len(large), b.memory, float64(b.memory)/float64(max(a.memory, 1))))
	}
	return complaints
}

// costs of reading a text: CPU time of the thread, bytes allocated.
type costs struct {
	time   time.Duration
	memory uint64
}

func (c costs) least(d costs) costs { return costs{min(c.time, d.time), min(c.memory, d.memory)} }

func cost(work func(string), text string) costs {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var before, after runtime.MemStats
	runtime.GC() // so that memory is used again
	runtime.ReadMemStats(&before)
	began := cpu()
	work(text)
	took := max(cpu()-began, 1)
	runtime.ReadMemStats(&after)
	return costs{took, after.TotalAlloc - before.TotalAlloc}
}

func cpu() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_THREAD_CPUTIME_ID, &ts); err != nil {
		panic(err) // Linux has it since 2.6
	}
	return time.Duration(ts.Nano())
}

// Repeat makes a text of some bytes by writing part again and again, with the
// number of the time for each %d in it; %% is a percent sign.
func Repeat(part string, bytes int) string {
	if !strings.Contains(part, "%") {
		return strings.Repeat(part, bytes/len(part)+1)
	}
	var b strings.Builder
	for i := 0; b.Len() < bytes; i++ {
		b.WriteString(strings.ReplaceAll(strings.ReplaceAll(part, "%d", strconv.Itoa(i)), "%%", "%"))
	}
	return b.String()
}
