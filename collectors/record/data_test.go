package record

import (
	"bytes"
	"math"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

func TestHostileData(t *testing.T) {
	good := perfData(clock, []uint64{10, 20})
	change := func(at int, v uint64) []byte {
		b := bytes.Clone(good)
		order.PutUint64(b[at:], v)
		return b
	}
	for name, b := range map[string][]byte{
		"the events' size is 0":         change(16, 0),
		"the table of events is huge":   change(32, math.MaxUint64),
		"the table is past the end":     change(24, 1<<40),
		"the data are past the end":     change(40, 1<<40),
		"the data are huge":             change(48, math.MaxUint64),
		"the data's size is 0":          change(48, 0),
		"a record of no size":           change(104+144, 0),
		"the sum does not fit":          perfData(clock, []uint64{math.MaxInt64, 2}),
		"only the dummy event":          perfData(event{kind: unix.PERF_TYPE_SOFTWARE, config: dummyConfig}, nil),
		"a sample too short":            perfData(clock, nil, dataRecord(unix.PERF_RECORD_SAMPLE, 1)),
		"a record beyond the data":      append(good[:len(good)-1:len(good)-1], 0)[:len(good)-8],
		"nothing":                       {},
		"the header of a pipe's stream": []byte("PERFILE2\x10\x00\x00\x00\x00\x00\x00\x00"),
	} {
		if c, err := parseData(bytes.NewReader(b)); err == nil {
			t.Errorf("%s: %+v", name, c)
		}
	}
	if c, err := parseData(bytes.NewReader(good)); err != nil || c.samples != 2 || c.weight != 30 {
		t.Errorf("%+v, %v", c, err)
	}
}

func FuzzData(f *testing.F) {
	f.Add(perfData(clock, []uint64{10, 20}, dataRecord(unix.PERF_RECORD_LOST, 1, 7)))
	f.Add(perfData(instructions, nil))
	f.Fuzz(func(t *testing.T, b []byte) {
		c, err := parseData(bytes.NewReader(b))
		if err == nil && (c.samples < 0 || c.weight > math.MaxInt64 || c.samples > int64(len(b)/recordHeader)) {
			t.Errorf("%d bytes hold %+v", len(b), c)
		}
	})
}

func BenchmarkData(b *testing.B) {
	if os.Getenv("OPCOST_BENCH") == "" {
		b.Skip("set OPCOST_BENCH=1")
	}
	periods := make([]uint64, 500_000)
	data := perfData(clock, periods)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := parseData(bytes.NewReader(data)); err != nil {
			b.Fatal(err)
		}
	}
}
