package record

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

func reasons(rs []result.Reading) string {
	var all []string
	for _, r := range rs {
		all = append(all, r.Reason+" / "+r.Remedy)
	}
	return strings.Join(all, "\n")
}

const failed = "profile_samples - count user+kernel failed\nprofile_cpu_us - us user+kernel failed\n"

// Whatever goes wrong with perf in a window is a reason in its readings.
func TestWindow(t *testing.T) {
	three := perfData(clock, []uint64{2_000_000, 2_000_000, 3_000_000})
	good := "profile_samples 3 count user+kernel ok\nprofile_cpu_us 7000 us user+kernel ok\nprofile_lost 0 count user+kernel ok\nprofile_throttled 0 count user+kernel ok\n"
	tests := []struct {
		name   string
		fake   fake
		pmu    bool
		o      Options
		want   string
		reason string
		end    bool // End fails too
	}{
		{name: "cpu-clock", fake: fake{data: three}, want: good, reason: "no instructions or cycles: a virtual machine"},
		{
			name: "instructions", pmu: true, fake: fake{data: perfData(instructions, []uint64{1, 1_000_000})},
			want: "profile_samples 2 count user+kernel ok\nprofile_instructions 1000001 count user+kernel ok\nprofile_lost 0 count user+kernel ok\nprofile_throttled 0 count user+kernel ok\n",
		},
		{
			name: "cycles of one kind of core, in user space only", pmu: true, o: Options{Event: "cycles"},
			fake:   fake{data: perfData(event{kind: unix.PERF_TYPE_HARDWARE, config: 4 << 32, noKernel: true}, []uint64{5})},
			want:   "profile_samples 1 count user ok\nprofile_cycles 5 count user ok\nprofile_lost 0 count user ok\nprofile_throttled 0 count user ok\n",
			reason: "user space only, as this user may not sample the kernel / run as root",
		},
		{
			name: "user space was asked for", pmu: true, o: Options{Event: "cycles:u"},
			fake: fake{data: perfData(event{kind: unix.PERF_TYPE_HARDWARE, noKernel: true}, []uint64{5})},
			want: "profile_samples 1 count user ok\nprofile_cycles 5 count user ok\nprofile_lost 0 count user ok\nprofile_throttled 0 count user ok\n", reason: " / \n / \n",
		},
		{
			name: "another event than was asked for", pmu: true, fake: fake{data: three},
			want: good, reason: "asked for instructions and sampled another event (profile_cpu_us)",
		},
		{
			name: "lost and throttled", fake: fake{data: perfData(clock, []uint64{9000},
				dataRecord(unix.PERF_RECORD_LOST, 1, 7), dataRecord(unix.PERF_RECORD_LOST, 1, 2), dataRecord(unix.PERF_RECORD_LOST_SAMPLES, 8),
				dataRecord(unix.PERF_RECORD_THROTTLE, 1, 1, 1), dataRecord(unix.PERF_RECORD_UNTHROTTLE, 1, 1, 1))},
			want: "profile_samples 1 count user+kernel ok\nprofile_cpu_us 9 us user+kernel ok\nprofile_lost 9 count user+kernel ok\nprofile_throttled 1 count user+kernel ok\n",
		},
		{name: "exit status 0 and no sample", fake: fake{data: perfData(clock, nil, dataRecord(unix.PERF_RECORD_COMM, 1))}, want: failed, reason: "took no sample, though the process used"},
		{name: "no file", fake: fake{}, want: failed, reason: "no such file"},
		{name: "an empty file", fake: fake{data: []byte{}}, want: failed, reason: "did not finish the file"},
		{name: "a file cut short", fake: fake{data: three[:len(three)-10]}, want: failed, reason: "within a record"},
		{name: "another file", fake: fake{data: []byte(strings.Repeat("hello ", 50))}, want: failed, reason: "begins with"},
		{name: "killed in the window", fake: fake{data: three, end: "kill -9 $$"}, want: failed, reason: "killed", end: true},
		{
			name: "the server ended in the window", fake: fake{data: three, end: "exit 0"}, end: true,
			want: strings.ReplaceAll(good, " ok", " partial"), reason: "perf ended by itself",
		},
		{
			name: "the limit of size", fake: fake{data: three, end: `echo "[ perf record: perf size limit reached (1026 KB), stopping session ]" >&2; exit 0`}, end: true,
			want: strings.ReplaceAll(good, " ok", " partial"), reason: "reached their limit of size",
		},
		{name: "hung at the end", fake: fake{data: three, end: "sleep 60"}, want: failed, reason: "perf hung", end: true},
		{name: "hung after the window", fake: fake{data: three, start: "trap '' INT"}, want: failed, reason: "perf hung"},
		{name: "an exit status of its own", fake: fake{data: three, last: "echo it broke >&2; exit 7"}, want: failed, reason: "exit status 7: it broke"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			caps := tt.fake.caps(t)
			if tt.pmu {
				caps = withPMU(caps)
			}
			rs, begin, end := window(t, caps, tt.o, quick)
			if begin != nil || (end != nil) != tt.end {
				t.Errorf("Begin %v, End %v", begin, end)
			}
			if got := briefs(rs); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			if r := reasons(rs); !strings.Contains(r, tt.reason) {
				t.Errorf("reasons lack %q:\n%s", tt.reason, r)
			}
		})
	}
}

func TestHangAtBegin(t *testing.T) {
	rs, begin, _ := window(t, fake{enable: "sleep 60"}.caps(t), Options{}, quick)
	if begin == nil || briefs(rs) != failed {
		t.Errorf("%v\n%s", begin, briefs(rs))
	}
}

// perf is told what was asked for, and leaves nothing beside its data.
func TestCommandLine(t *testing.T) {
	for _, c := range []struct {
		o    Options
		pmu  bool
		want string
	}{
		{Options{}, false, "record -e cpu-clock -F 499 --call-graph fp -N "},
		{Options{}, true, "record -e instructions -F 499 --call-graph fp -N "},
		{Options{Hz: 97, CallGraph: DWARF, Event: "cycles:u", MaxBytes: 1 << 20}, true, "record -e cycles:u -F 97 --call-graph dwarf -N --buildid-all --max-size 1048576B -o "},
	} {
		caps := fake{data: perfData(clock, []uint64{1})}.caps(t)
		if c.pmu {
			caps = withPMU(caps)
		}
		window(t, caps, c.o, quick)
		if got := argv(t, caps)[0]; !strings.HasPrefix(got, c.want) || !strings.Contains(got, " -D -1 --control fd:3,4 -p ") {
			t.Errorf("%+v: perf was started as %q", c.o, got)
		}
	}
}

// A thread that ends while perf attaches makes it end with 255 and without a word.
func TestSecondAttempt(t *testing.T) {
	f := fake{data: perfData(clock, []uint64{1000}), start: `[ $(wc -l < $dir/n) -gt 1 ] || { echo old > "$out"; exit 255; }`}
	caps := f.caps(t)
	rs, begin, end := window(t, caps, Options{}, quick)
	if begin != nil || end != nil || !strings.HasPrefix(briefs(rs), "profile_samples 1 ") || len(argv(t, caps)) != 2 {
		t.Errorf("%v %v after %d starts\n%s", begin, end, len(argv(t, caps)), briefs(rs))
	}
}

// What cannot be sampled is replaced by the next best event, and said.
func TestNextEvent(t *testing.T) {
	f := fake{data: perfData(cycles, []uint64{1000}), start: `[ $event != instructions ] || { echo "instructions: PMU Hardware doesn't support sampling/overflow-interrupts." >&2; exit 255; }`}
	rs, _, _ := window(t, withPMU(f.caps(t)), Options{}, quick)
	if len(rs) != 4 || rs[1].Name != "profile_cycles" || !strings.Contains(rs[1].Reason, "instructions cannot be sampled here: ") {
		t.Errorf("%s%s", briefs(rs), reasons(rs))
	}
}

func TestArmFails(t *testing.T) {
	tests := []struct {
		name, start  string
		o            Options
		caps         func(*probe.Caps)
		want, remedy string
		unsupported  bool
		starts       int
	}{
		{name: "no perf", caps: func(c *probe.Caps) {
			c.Perf.Ability = probe.Ability{Reason: "perf is not installed", Remedy: "install it"}
		}, want: "perf is not installed", remedy: "install it", unsupported: true},
		{name: "an old perf", caps: func(c *probe.Caps) { c.Perf.Control = probe.Ability{Reason: "no --control", Remedy: "a newer perf"} }, want: "no --control", remedy: "a newer perf", unsupported: true},
		{name: "an old perf that only says so", start: "echo '  Error: unknown option `control'\"'\" >&2; exit 129", want: "unknown option", remedy: "5.10", unsupported: true, starts: 1},
		{name: "no permission", start: "echo Error: >&2; echo 'Access to performance monitoring and observability operations is limited.' >&2; exit 255", want: "may not sample", remedy: "perf_event_paranoid=1", unsupported: true, starts: 1},
		{name: "no room for buffers", start: "echo 'Permission error mapping pages.' >&2; echo 'Consider increasing /proc/sys/kernel/perf_event_mlock_kb,' >&2; exit 255", want: "may not map", remedy: "perf_event_mlock_kb", unsupported: true, starts: 1},
		{name: "no descriptors", start: "echo 'Too many events are opened: Too many open files' >&2; exit 255", want: "descriptor", remedy: "ulimit", unsupported: true, starts: 1},
		{name: "no branch records", o: Options{CallGraph: LBR}, start: `echo "cpu-clock: PMU Hardware or event type doesn't support branch stack sampling." >&2; exit 255`, want: "last branch", remedy: "fp or dwarf", unsupported: true, starts: 1},
		{name: "an unknown event", o: Options{Event: "nonsense"}, start: "echo \"event syntax error: 'nonsense'\" >&2; exit 129", want: "does not know the event", remedy: "perf list", unsupported: true, starts: 1},
		{name: "too often", start: "echo 'Maximum frequency rate (1000 Hz) reached.' >&2; exit 255", want: "Maximum frequency", remedy: "max_sample_rate", unsupported: true, starts: 1},
		{name: "always 255", start: "exit 255", want: "could not open", starts: 3},
		{name: "two events", o: Options{Event: "cycles,instructions"}, want: "one event"},
		{name: "an option for an event", o: Options{Event: "--output=x"}, want: "one event"},
		{name: "Hz", o: Options{Hz: 1e6}, want: "between 1 and"},
		{name: "call graph", o: Options{CallGraph: "magic"}, want: "fp, dwarf or lbr"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			caps := fake{start: tt.start}.caps(t)
			if tt.caps != nil {
				tt.caps(&caps)
			}
			target := collectors.Target{PID: os.Getpid(), Evidence: t.TempDir(), Tag: "profile"}
			_, err := collector{tt.o.Filled(), quick}.Arm(t.Context(), target, caps)
			var u *collectors.Unsupported
			if err == nil || !strings.Contains(err.Error(), tt.want) || errors.As(err, &u) != tt.unsupported || (u != nil && !strings.Contains(u.Remedy, tt.remedy)) {
				t.Errorf("%v, want %q with the remedy %q", err, tt.want, tt.remedy)
			}
			if tt.starts > 0 && len(argv(t, caps)) != tt.starts {
				t.Errorf("perf was started %d times, want %d", len(argv(t, caps)), tt.starts)
			}
			if left, _ := os.ReadDir(target.Evidence); len(left) > 0 {
				t.Errorf("%s was left", left[0].Name())
			}
		})
	}
}

// Without an evidence folder nothing is left anywhere.
func TestNothingLeft(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	caps := fake{data: perfData(clock, []uint64{1})}.caps(t)
	a, err := New(Options{}).Arm(t.Context(), collectors.Target{PID: os.Getpid()}, caps)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := a.Close()
	if err != nil || !strings.HasPrefix(briefs(rs), "profile_samples - count user+kernel not_counted") {
		t.Errorf("%v\n%s", err, briefs(rs))
	}
	if left, _ := filepath.Glob(filepath.Join(os.TempDir(), "*")); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
}
