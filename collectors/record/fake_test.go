package record

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"opcost/collectors"
	"opcost/collectors/child"
	"opcost/collectors/internal/perfproc"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// fake is a perf that acknowledges its commands and writes what the test says:
// for hardware counters, old versions and failures, which no machine has at
// will. Each hook is shell code; $out is the data's file, $event the event that
// was asked for, $dir a folder of its own, where $dir/n counts the starts.
type fake struct {
	data   []byte // of samples; nil: no file
	start  string // before anything else
	enable string
	end    string // on the disable that ends the window, after the data are written
	last   string // when perf is told to end, after the data
}

func (f fake) caps(t testing.TB) probe.Caps {
	t.Helper()
	dir := t.TempDir()
	write := func(name string, text []byte, mode os.FileMode) string {
		p := filepath.Join(dir, name)
		if err := os.WriteFile(p, text, mode); err != nil {
			t.Fatal(err)
		}
		return p
	}
	copied := ":"
	if f.data != nil {
		write("data", f.data, 0o644)
		copied = `cat $dir/data > "$out"`
	}
	script := fmt.Sprintf(`#!/bin/sh
dir=%q
echo "$*" >> $dir/argv
echo x >> $dir/n
trap '%s
exit 130' INT
while [ $# -gt 0 ]; do
	case $1 in -o) out=$2;; -e) event=$2;; esac
	shift
done
%s
n=0
while read -r command <&3; do
	n=$((n+1))
	case $n in
	2) :
%s
	;;
	3) %s
%s
	;;
	esac
	printf 'ack\n\0' >&4
done
`, dir, f.last, f.start, f.enable, copied, f.end)
	caps := probe.Caps{User: probe.User{Perfmon: true, Ptrace: true}}
	caps.Perf.Path = write("perf", []byte(script), 0o755)
	caps.Perf.Ability = probe.Ability{OK: true}
	caps.Perf.Control = probe.Ability{OK: true}
	caps.Perf.PMU = probe.Ability{Reason: "a virtual machine"}
	return caps
}

// argv are the command lines of each start.
func argv(t testing.TB, caps probe.Caps) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(filepath.Dir(caps.Perf.Path), "argv"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSpace(string(b)), "\n")
}

// withPMU says that hardware events count.
func withPMU(c probe.Caps) probe.Caps {
	c.Perf.PMU = probe.Ability{OK: true}
	c.Perf.Events = map[string]probe.Event{"instructions": {Ability: probe.Ability{OK: true}}, "cycles": {Ability: probe.Ability{OK: true}}}
	return c
}

// quick is for a perf that hangs at an edge; long enough for one that does not,
// on a busy machine.
var quick = perfproc.Patience{Attach: 30 * time.Second, Edge: 2 * time.Second, End: 2 * time.Second}

// perfData makes a file as perf 6.1 writes it (see the format named in data.go):
// one event, its samples' periods, and further records.
func perfData(e event, periods []uint64, more ...[]byte) []byte {
	const attrSize, attrAt = 128, 104
	layout := uint64(unix.PERF_SAMPLE_IP | unix.PERF_SAMPLE_TID | unix.PERF_SAMPLE_TIME | unix.PERF_SAMPLE_CALLCHAIN | unix.PERF_SAMPLE_PERIOD)
	attr := make([]byte, attrSize+16)
	order.PutUint32(attr, uint32(e.kind))
	order.PutUint32(attr[4:], attrSize)
	order.PutUint64(attr[8:], e.config)
	order.PutUint64(attr[16:], 499)
	order.PutUint64(attr[24:], layout)
	flags := uint64(freqBit)
	if e.noKernel {
		flags |= excludeKernel
	}
	if e.noUser {
		flags |= excludeUser
	}
	order.PutUint64(attr[40:], flags)
	var data []byte
	for _, p := range periods {
		// ip, tid, time, period, and a chain of one address.
		data = append(data, dataRecord(unix.PERF_RECORD_SAMPLE, 0x400000, 1, 1, p, 1, 0x400000)...)
	}
	for _, m := range more {
		data = append(data, m...)
	}
	var b bytes.Buffer
	b.WriteString(magic)
	for _, v := range []uint64{fileHeader, uint64(len(attr)), attrAt, uint64(len(attr)), attrAt + uint64(len(attr)), uint64(len(data)), 0, 0, 0, 0, 0, 0} {
		_ = binary.Write(&b, order, v)
	}
	b.Write(attr)
	b.Write(data)
	return b.Bytes()
}

func dataRecord(kind uint32, words ...uint64) []byte {
	b := make([]byte, recordHeader, recordHeader+8*len(words))
	order.PutUint32(b, kind)
	order.PutUint16(b[6:], uint16(recordHeader+8*len(words)))
	for _, w := range words {
		b = order.AppendUint64(b, w)
	}
	return b
}

var (
	clock        = event{kind: unix.PERF_TYPE_SOFTWARE, config: unix.PERF_COUNT_SW_CPU_CLOCK}
	instructions = event{kind: unix.PERF_TYPE_HARDWARE, config: unix.PERF_COUNT_HW_INSTRUCTIONS}
	cycles       = event{kind: unix.PERF_TYPE_HARDWARE, config: unix.PERF_COUNT_HW_CPU_CYCLES}
)

// window makes one window in which this process uses some CPU.
func window(t testing.TB, caps probe.Caps, o Options, wait perfproc.Patience) (rs []result.Reading, begin, end error) {
	t.Helper()
	target := collectors.Target{PID: os.Getpid(), Evidence: t.TempDir(), Tag: "profile"}
	a, err := collector{o.Filled(), wait}.Arm(t.Context(), target, caps)
	if err != nil {
		t.Fatalf("Arm: %v", err)
	}
	if begin = a.Begin(t.Context()); begin == nil {
		spin(100 * time.Millisecond)
		end = a.End(t.Context())
	}
	rs, err = a.Close()
	if err != nil {
		t.Fatalf("Close: %v", err)
	}
	return rs, begin, end
}

// spin uses so much of this process's CPU time.
func spin(d time.Duration) {
	first, _ := child.CPUTime(os.Getpid())
	for now := first; now-first < d; now, _ = child.CPUTime(os.Getpid()) {
	}
}

// brief is a reading in one line, for tables of what is expected.
func brief(r result.Reading) string {
	v := "-"
	if r.Value != nil {
		v = fmt.Sprintf("%.10g", *r.Value)
	}
	return fmt.Sprintf("%s %s %s %s %s", r.Name, v, r.Unit, r.Scope, r.State)
}

func briefs(rs []result.Reading) string {
	var b strings.Builder
	for _, r := range rs {
		b.WriteString(brief(r) + "\n")
	}
	return b.String()
}
