package perfscript

import (
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"opcost/testbed/figures"
)

// texts makes perf script's output of a server with 6,000 functions, some
// without a name, in stacks that differ: a walk over a call graph from a
// thread's start, most often along its hot edges, 8 to 60 frames deep.
type texts struct {
	rng   *rand.Rand
	left  int64
	lines [][]byte
	buf   []byte
	n     int
}

func newTexts(size int64) *texts {
	g := &texts{rng: rand.New(rand.NewPCG(1, 2)), left: size}
	for i := range 6000 {
		name := fmt.Sprintf("ns%d::Class_%d<int, std::less<int> >::method_%d(Thread*, unsigned long, char const*)", i%7, i%400, i)
		object := []string{"/usr/sbin/mysqld", "/usr/lib/x86_64-linux-gnu/libc.so.6", "[kernel.kallsyms]"}[i%11/5]
		if i%9 == 0 {
			name = "[unknown]"
		}
		g.lines = append(g.lines, fmt.Appendf(nil, "\t%16x %s (%s)\n", 0x1000+i*64, name, object))
	}
	return g
}

func (g *texts) Read(b []byte) (int, error) {
	if g.left <= 0 {
		return 0, io.EOF
	}
	for len(g.buf) < len(b) {
		g.sample()
	}
	n := copy(b, g.buf)
	g.buf = append(g.buf[:0], g.buf[n:]...)
	g.left -= int64(n)
	return n, nil
}

func (g *texts) sample() {
	g.n++
	g.buf = fmt.Appendf(g.buf, "connection %d/%d %d.%06d: %10d cycles:ppp: \n", 4000, 4000+g.n%64, 1000+g.n/1e6, g.n%1e6, 2004008+g.n%3)
	depth, at := 8+g.rng.IntN(53), 1
	for range depth { // the leaf first; which end the walk begins at is one to the reader
		g.buf = append(g.buf, g.lines[at]...)
		edge := 0
		for edge < 5 && g.rng.IntN(8) == 0 {
			edge++
		}
		at = (at*5 + edge + 1) % len(g.lines)
	}
	g.buf = append(g.buf, '\n')
}

// TestBenchMemory reads 1 GB through Parse in a process of its own and looks at
// the most memory that it had.
func TestBenchMemory(t *testing.T) {
	if size, err := strconv.ParseInt(os.Getenv("PERFSCRIPT_TEST_READ"), 10, 64); err == nil {
		began := time.Now()
		g := newTexts(size)
		set, err := Parse(g, Options{})
		if err != nil {
			t.Fatal(err)
		}
		took := time.Since(began)
		status, err := os.ReadFile("/proc/self/status")
		if err != nil {
			t.Fatal(err)
		}
		_, peak, _ := strings.Cut(string(status), "VmHWM:")
		p := set.Profiles[0]
		_, n := p.Total()
		fmt.Printf("peak %s samples %d stacks %d frames %d in %v\n", strings.Fields(peak)[0], n, len(p.Stacks), len(p.Frames), took)
		return
	}
	size := int64(16 << 20) // enough to see that the child works
	if os.Getenv("OPCOST_BENCH") == "1" {
		size = 1_000_000_000
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestBenchMemory$")
	cmd.Env = append(os.Environ(), "PERFSCRIPT_TEST_READ="+strconv.FormatInt(size, 10))
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var peak, samples, stacks int64
	if _, err := fmt.Sscanf(string(out), "peak %d samples %d stacks %d", &peak, &samples, &stacks); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%d MB of text: %s", size/1e6, strings.SplitN(string(out), "\n", 2)[0])
	if size == 1_000_000_000 {
		figures.Say(t, figures.Figure{Name: "profiles: memory to read 1 GB of perf script's text", Limit: "200 MB", Seen: fmt.Sprintf("%d MB", peak/1000), Met: peak <= 200_000})
	}
	if peak > 200_000 {
		t.Errorf("reading %d MB took %d kB, over 200 MB", size/1e6, peak)
	}
	if stacks < samples/10 {
		t.Errorf("%d distinct stacks in %d samples: not varied", stacks, samples)
	}
}

// TestNoAllocations: a sample that is like others costs no memory.
func TestNoAllocations(t *testing.T) {
	one := testing.AllocsPerRun(5, func() { _, _ = Parse(strings.NewReader(strings.Repeat(sample, 10)), Options{}) })
	many := testing.AllocsPerRun(5, func() { _, _ = Parse(strings.NewReader(strings.Repeat(sample, 10_010)), Options{}) })
	if many > one+100 {
		t.Errorf("10,000 more samples took %.0f more allocations", many-one)
	}
}

func BenchmarkParse(b *testing.B) {
	if os.Getenv("OPCOST_BENCH") != "1" {
		b.Skip("set OPCOST_BENCH=1")
	}
	const size = 64 << 20
	b.SetBytes(size)
	for b.Loop() {
		if _, err := Parse(newTexts(size), Options{}); err != nil {
			b.Fatal(err)
		}
	}
}
