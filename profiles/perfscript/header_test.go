package perfscript

import (
	"strings"
	"testing"

	"opcost/profiles"
)

// TestHeaders has a line for each way perf prints a sample's first line, and
// for thread names that imitate one.
func TestHeaders(t *testing.T) {
	for _, c := range []struct{ line, comm, pid, tid, period, event string }{
		{"func_ab 15285 28075374.517811: cpu-clock: ", "func_ab", "", "15285", "", "cpu-clock"},
		{"func_ab 15294 cpu-clock: ", "func_ab", "", "15294", "", "cpu-clock"},
		{"dd 29776 666709.771979:   10101010 cpu-clock: ", "dd", "", "29776", "10101010", "cpu-clock"},
		{"iperf 27409/28744 [000] 441995.133575: cpu-clock: ", "iperf", "27409", "28744", "", "cpu-clock"},
		{"swapper     0 [012] 2281339.604067:   20834821 cycles:", "swapper", "", "0", "20834821", "cycles"},
		{"perf_stacks 20602  2217.581638:          1 cycles:uppp: ", "perf_stacks", "", "20602", "1", "cycles:uppp"},
		{"k 32664/32664 12411.155943123:    2004008 cpu-clock: ", "k", "32664", "32664", "2004008", "cpu-clock"},
		{"           false 39654 19115.489713:          1 cycles:u:  ffffffff9b201293 [unknown] ([unknown])", "false", "", "39654", "1", "cycles:u"},
		{"w  2927/2927      250000 cpu-clock: ", "w", "2927", "2927", "250000", "cpu-clock"},
		{"func_ab     250000 cpu-clock: ", "func_ab", "", "", "250000", "cpu-clock"},
		{"func_ab 2500000 cpu-clock: ", "func_ab", "", "2500000", "", "cpu-clock"},
		{"func_ab cpu-clock: ", "func_ab", "", "", "", "cpu-clock"},
		{"cycles:ppp: ", "", "", "", "", "cycles:ppp"},
		{"V8 WorkerThread 7 1.5:  3 cpu_core/cycles/ppp: ", "V8 WorkerThread", "", "7", "3", "cpu_core/cycles/ppp"},
		{"kworker/0:1-eve 12/12 [000] 1.5: sched:sched_switch: prev_comm=a 1 prev_pid=12", "kworker/0:1-eve", "12", "12", "", "sched:sched_switch"},
		{"sh 1: 2 x: 9/9 1.5: 7 cycles: ", "sh 1: 2 x:", "9", "9", "7", "cycles"},
		{"a 1/2 3.4: 5 e: 6/7 8.9: 10 cycles: ", "a 1/2 3.4: 5 e:", "6", "7", "10", "cycles"},
		{"pool 1 5678 [001] 1.5: 100 cycles: ", "pool 1", "", "5678", "100", "cycles"},
		{"a 1 1234 [001] 1.5: 100 cycles: ", "a 1", "", "1234", "100", "cycles"},
		{":1343111 1343111/1343111 1.5: 100 cycles: ", ":1343111", "1343111", "1343111", "100", "cycles"},
		{":-1    -1/-1    1.5: 100 cycles: ", ":-1", "-1", "-1", "100", "cycles"},
		{"w 1/1 1.5: 100 cpu/event=0xc0,umask=0x1/pp: ", "w", "1", "1", "100", "cpu/event=0xc0,umask=0x1/pp"},
		{"w 22594/22594 11998.543904: PERF_RECORD_LOST lost 2", "w", "22594", "22594", "", "PERF_RECORD_LOST"},
	} {
		h, ok := parseHeader([]byte(strings.TrimRight(c.line, " ")))
		if !ok {
			t.Errorf("%s: not taken for a header", c.line)
			continue
		}
		if got := [4]string{string(h.comm), string(h.pid), string(h.tid), string(h.event)}; got != [4]string{c.comm, c.pid, c.tid, c.event} {
			t.Errorf("%s: comm, pid, tid, event are %q", c.line, got)
		}
		want, has := number([]byte(c.period))
		if h.hasPeriod != has || h.period != want {
			t.Errorf("%s: period %d (%v), want %q", c.line, h.period, h.hasPeriod, c.period)
		}
	}
	for _, line := range []string{
		"THIS IS A LINE", "	          401b97 main+0x1f (./a)", "a;b 12", "Note: see below: 3 times", "1 2 3", "time 12.5:", "-", "/ : /",
	} {
		if h, ok := parseHeader([]byte(line)); ok && line != "Note: see below: 3 times" {
			t.Errorf("%q: taken for a header, event %q", line, h.event)
		}
	}
}

// TestFrames: what is behind an address, as perf prints it of C++, Rust, Go,
// Java and of what it does not know.
func TestFrames(t *testing.T) {
	for _, c := range []struct {
		text, symbol, object string
		inlined              bool
	}{
		{"func_b (/opt/lang/func_ab)", "func_b", "/opt/lang/func_ab", false},
		{"[unknown] ([unknown])", "", "", false},
		{"[unknown] (/usr/sbin/mariadbd)", "", "/usr/sbin/mariadbd", false},
		{" (/lib/x86_64-linux-gnu/libc-2.15.so)", "", "/lib/x86_64-linux-gnu/libc-2.15.so", false},
		{"", "", "", false},
		{"_start+0xffff018fd5dce000 (/usr/lib/ld-2.24.so)", "_start", "/usr/lib/ld-2.24.so", false},
		{"operator new+0x0 (/a)", "operator new", "/a", false},
		{"std::function<void (int)>::operator()(int) const+0x1f (/a b/c)", "std::function<void (int)>::operator()(int) const", "/a b/c", false},
		{"std::function<void (int)>", "std::function<void (int)>", "", false},
		{"main::{lambda(int, int)#1}::operator()(int, int) const (inlined)", "main::{lambda(int, int)#1}::operator()(int, int) const", "", true},
		{"do_it(a, (anonymous namespace)::b) (/a (deleted))", "do_it(a, (anonymous namespace)::b)", "/a (deleted)", false},
		{"f (/opt/x(1/lib.so)", "f", "/opt/x(1/lib.so", false},
		{"f (/lib/x.so+0x1f20)", "f", "/lib/x.so", false},
		{"Ljava/io/BufferedWriter;::flushBuffer->Ljava/io/X;::write+0x4b (/tmp/perf-1.map)", "Ljava/io/BufferedWriter;::flushBuffer->Ljava/io/X;::write", "/tmp/perf-1.map", false},
		{"github.com/a/b.(*T).Get+0x10 (/go/bin/x)", "github.com/a/b.(*T).Get", "/go/bin/x", false},
		{"<alloc::vec::Vec<T> as gc::Trace>::trace+0xbf (/a)", "<alloc::vec::Vec<T> as gc::Trace>::trace", "/a", false},
		{"LazyCompile:~f /path with (paren) file.js:39 (/tmp/perf-2.map)", "LazyCompile:~f /path with (paren) file.js:39", "/tmp/perf-2.map", false},
		{"a+0xzz (/x)", "a+0xzz", "/x", false},
		{"bpf_prog_2b956549c660136a_uni+0xb80 (bpf_prog_2b956549c660136a_uni)", "bpf_prog_2b956549c660136a_uni", "bpf_prog_2b956549c660136a_uni", false},
	} {
		p := parsePlace([]byte(c.text))
		if string(p.symbol) != c.symbol || string(p.object) != c.object || p.inlined != c.inlined {
			t.Errorf("%s: %q of %q, inlined %v", c.text, p.symbol, p.object, p.inlined)
		}
	}
}

func TestSpaces(t *testing.T) {
	for _, c := range []struct {
		object string
		addr   uint64
		want   profiles.Space
	}{
		{"[kernel.kallsyms]", 0x7fffab39798b, profiles.Kernel},
		{"/lib/modules/4.1.0-virtual/build/vmlinux", 0x414b3b, profiles.Kernel},
		{"/usr/lib/debug/vmlinux-5.4.14-x", 0xffffffff81000000, profiles.Kernel},
		{"[nf_conntrack]", 0xffffffffc0000000, profiles.Kernel},
		{"/lib/modules/5.4/kernel/net/a.ko.xz", 0x12, profiles.Kernel},
		{"bpf_prog_2b956549c660136a_uni", 0xffffffffc09ace93, profiles.Kernel},
		{"", 0xffffffff9b201293, profiles.Kernel},
		{"", 0xffffffffffffffff, profiles.UnknownSpace},
		{"", 0xfffd8118e8240489, profiles.UnknownSpace},
		{"", 0x5966605dd52f8e00, profiles.UnknownSpace},
		{"", 0, profiles.User},
		{"[vdso]", 0x7fffa95fe250, profiles.User},
		{"[vsyscall]", 0xffffffffff600000, profiles.User},
		{"[stack]", 0x7ffd00000000, profiles.User},
		{"//anon", 0x7f0000000000, profiles.User},
		{"/usr/sbin/mariadbd", 0x12ab, profiles.User},
	} {
		if got := spaceOf(c.object, c.addr); got != c.want {
			t.Errorf("%q at %#x: %d, want %d", c.object, c.addr, got, c.want)
		}
	}
}

func TestUnits(t *testing.T) {
	for event, want := range map[string]string{
		"cycles": profiles.Cycles, "cycles:ppp": profiles.Cycles, "cpu_core/cycles/ppp": profiles.Cycles, "cycles:ppH": profiles.Cycles,
		"cpu-cycles:u": profiles.Cycles, "instructions:k": profiles.Instructions, "armv8_pmuv3_0/instructions/u": profiles.Instructions,
		"cpu-clock:uhH": profiles.Nanoseconds, "task-clock": profiles.Nanoseconds, "page-faults": profiles.Events,
		"ref-cycles": profiles.Events, "branch-instructions:pp": profiles.Events, "sched:sched_switch": profiles.Events, "": profiles.Events,
		"cpu/event=0xc0/": profiles.Events, "INST_RETIRED.ANY": profiles.Instructions,
	} {
		if got := unitOf(event); got != want {
			t.Errorf("%s: %s, want %s", event, got, want)
		}
	}
}
