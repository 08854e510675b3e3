package perfstat

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/collectors"
	"opcost/collectors/probe"
)

var software = jsonLines(
	[5]string{"1.500000", "msec", "task-clock", "1500000", "100.00"},
	[5]string{"3.000000", "", "context-switches", "1500000", "100.00"},
	[5]string{"4.000000", "", "page-faults", "1500000", "100.00"})

const (
	softwareOK = "task_clock_us 1500 us user+kernel ok\nperf_context_switches 3 count user+kernel ok\nperf_page_faults 4 count user+kernel ok\n"
	allFailed  = "task_clock_us - us user+kernel failed\nperf_context_switches - count user+kernel failed\nperf_page_faults - count user+kernel failed\n"
)

// Whatever goes wrong with perf in a window is a reason in its readings.
func TestFailuresInTheWindow(t *testing.T) {
	tests := []struct {
		name   string
		fake   fake
		want   string
		reason string
		end    bool // End says so too
	}{
		{name: "nothing", fake: fake{output: software}, want: softwareOK},
		{name: "garbage", fake: fake{output: "\x00\xff what\nis this\n"}, want: allFailed, reason: "no JSON object"},
		{name: "nothing printed", fake: fake{output: ""}, want: allFailed, reason: "no count in perf's output"},
		{name: "no file", fake: fake{end: `rm -f "$out"`}, want: allFailed, reason: "perf left no output"},
		{name: "a decimal comma", fake: fake{output: strings.ReplaceAll(software, "100.00", "100,00")}, want: allFailed, reason: "LC_ALL=C"},
		{
			name: "one line is garbage", fake: fake{output: strings.Replace(software, `{"counter-value" : "3`, `{{"counter-value" : "3`, 1)},
			want: strings.Replace(softwareOK, "perf_context_switches 3 count user+kernel ok", "perf_context_switches - count user+kernel failed", 1), reason: "line 4",
		},
		{
			name: "killed in the window", fake: fake{output: software, end: "kill -9 $$"},
			want: allFailed, reason: "killed", end: true,
		},
		{
			name: "the server ended in the window", fake: fake{output: software, end: "exit 0"}, end: true,
			want: strings.ReplaceAll(softwareOK, " ok", " partial"), reason: "perf ended by itself",
		},
		{
			name: "hung at the end of the window", fake: fake{output: software, end: "sleep 60"}, end: true,
			want: allFailed, reason: "perf hung",
		}, {
			name: "no acknowledgement of the end", fake: fake{output: software, end: "continue"}, end: true,
			want: strings.ReplaceAll(softwareOK, " ok", " partial"), reason: `did not acknowledge "disable": no answer within`,
		},
		{
			name: "hung after the window", fake: fake{output: software, start: "trap '' INT"},
			want: allFailed, reason: "perf hung",
		},
		{
			name: "an exit status of its own", fake: fake{output: software, start: "trap 'echo Error: >&2; echo it broke >&2; exit 7' INT"},
			want: allFailed, reason: "exit status 7: it broke",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			rs, begin, end := window(t, tt.fake.caps(t), softSet, quick)
			if begin != nil || (end != nil) != tt.end {
				t.Errorf("Begin %v, End %v", begin, end)
			}
			if got := briefs(rs); got != tt.want {
				t.Errorf("got\n%swant\n%s", got, tt.want)
			}
			reasons := ""
			for _, r := range rs {
				reasons += r.Reason + "\n"
			}
			if !strings.Contains(reasons, tt.reason) {
				t.Errorf("reasons lack %q:\n%s", tt.reason, reasons)
			}
		})
	}
}

func TestHangAtBegin(t *testing.T) {
	rs, begin, _ := window(t, fake{output: software, enable: "sleep 60"}.caps(t), softSet, quick)
	if begin == nil || !strings.Contains(begin.Error(), "no answer within") {
		t.Errorf("Begin: %v", begin)
	}
	if got := briefs(rs); got != allFailed {
		t.Errorf("got\n%s", got)
	}
}

func TestWindowThatWasNotBegunOrEnded(t *testing.T) {
	caps := fake{output: software}.caps(t)
	a, err := collector{softSet, quick}.Arm(t.Context(), collectors.Target{PID: os.Getpid()}, caps)
	if err != nil {
		t.Fatal(err)
	}
	rs, err := a.Close()
	if want := strings.ReplaceAll(allFailed, "failed", "not_counted"); err != nil || briefs(rs) != want {
		t.Errorf("%v\n%s", err, briefs(rs))
	}
}

func TestArmFails(t *testing.T) {
	tests := []struct {
		name        string
		start       string
		attach      string
		want        string
		remedy      string
		unsupported bool
	}{
		{name: "the pid is gone", start: "echo 'Problems finding threads of monitor' >&2; exit 234", want: "is gone"},
		{name: "an unknown event", start: "echo \"event syntax error: 'nonsense'\" >&2; exit 129", want: "does not know an event", unsupported: true},
		{name: "an old perf", start: "echo '  Error: unknown option `control'\"'\" >&2; exit 129", want: "unknown option", remedy: "5.10", unsupported: true},
		{name: "no permission", start: "echo Error: >&2; echo 'Access to performance monitoring and observability operations is limited.' >&2; exit 255",
			want: "may not count", remedy: "perf_event_paranoid=1", unsupported: true},
		{name: "a group without its leader", start: "echo Error: >&2; echo 'The instructions:u event is not supported.' >&2; exit 255",
			want: "instructions:u event is not supported", unsupported: true},
		{name: "silent refusal, always", start: "exit 255", want: "could not open its counters"},
		{name: "a hang", attach: "sleep 60", want: "no answer within"},
		{name: "another program", attach: "printf 'hello\\0' >&4", want: `it answered "hello"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			wait := quick
			if tt.attach != "" {
				wait.attach = 2 * time.Second
			}
			_, err := collector{softSet, wait}.Arm(t.Context(), collectors.Target{PID: os.Getpid()}, fake{start: tt.start, attach: tt.attach}.caps(t))
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(err.Error(), tt.remedy) {
				t.Fatalf("got %v, want %q and %q", err, tt.want, tt.remedy)
			}
			var u *collectors.Unsupported
			if errors.As(err, &u) != tt.unsupported {
				t.Errorf("%T", err)
			}
		})
	}
}

// A thread that ends while perf opens its counters makes perf exit with 255.
func TestArmTriesAgain(t *testing.T) {
	f := fake{output: software, start: `[ -e $dir/again ] || { touch $dir/again; exit 255; }`}
	rs, begin, end := window(t, f.caps(t), softSet, usual)
	if begin != nil || end != nil || briefs(rs) != softwareOK {
		t.Errorf("%v %v\n%s", begin, end, briefs(rs))
	}
}

func TestArmWithoutAPerf(t *testing.T) {
	lacks := probe.Ability{Reason: "perf is not installed", Remedy: "apt-get install linux-perf"}
	noPerf := probe.Caps{}
	noPerf.Perf.Ability = lacks
	noControl := fake{}.caps(t)
	noControl.Perf.Control = lacks
	for _, caps := range []probe.Caps{noPerf, noControl} {
		_, err := New(softSet).Arm(t.Context(), collectors.Target{PID: 1}, caps)
		var u *collectors.Unsupported
		if !errors.As(err, &u) || u.Reason != lacks.Reason || u.Remedy != lacks.Remedy {
			t.Errorf("got %v", err)
		}
	}
	gone := fake{}.caps(t)
	gone.Perf.Path += "-removed"
	if _, err := New(softSet).Arm(t.Context(), collectors.Target{PID: 1}, gone); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("removed since: %v", err)
	}
	if _, err := New(EventSet{Name: "empty"}).Arm(t.Context(), collectors.Target{PID: 1}, fake{}.caps(t)); err == nil {
		t.Error("armed without an event")
	}
}

func TestArmIsCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	_, err := collector{softSet, patience{time.Hour, time.Hour, time.Second}}.Arm(ctx, collectors.Target{PID: os.Getpid()}, fake{attach: "sleep 60"}.caps(t))
	if err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Errorf("got %v", err)
	}
}

func TestPIDOfAnotherProcess(t *testing.T) {
	p, err := procfs.Self()
	if err != nil {
		t.Fatal(err)
	}
	s, err := p.Stat()
	if err != nil {
		t.Fatal(err)
	}
	target := collectors.Target{PID: os.Getpid(), StartTicks: s.Starttime + 1}
	if _, err := New(softSet).Arm(t.Context(), target, fake{}.caps(t)); err == nil || !strings.Contains(err.Error(), "another process") {
		t.Errorf("got %v", err)
	}
	target.StartTicks--
	a, err := New(softSet).Arm(t.Context(), target, fake{}.caps(t))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := a.Close(); err != nil {
		t.Error(err)
	}
}

// What perf printed stays as evidence; without a folder for it nothing stays.
func TestEvidence(t *testing.T) {
	tmp := t.TempDir()
	t.Setenv("TMPDIR", tmp)
	for _, dir := range []string{t.TempDir(), ""} {
		a, err := New(softSet).Arm(t.Context(), collectors.Target{PID: os.Getpid(), Evidence: dir, Tag: "w1"}, fake{output: software}.caps(t))
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(a.Begin(t.Context()), a.End(t.Context())); err != nil {
			t.Fatal(err)
		}
		rs, err := a.Close()
		if err != nil || briefs(rs) != softwareOK {
			t.Errorf("%v\n%s", err, briefs(rs))
		}
		if dir == "" {
			continue
		}
		if b, err := os.ReadFile(dir + "/w1.perfstat.json"); err != nil || string(b) != software {
			t.Errorf("evidence %v:\n%s", err, b)
		}
	}
	left, err := os.ReadDir(tmp)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range left {
		if strings.Contains(f.Name(), "perfstat") {
			t.Errorf("%s was left", f.Name())
		}
	}
}

func TestEndingsInWords(t *testing.T) {
	run := exec.Command("sh", "-c", "kill -9 $$").Run()
	for _, tt := range []struct {
		e    ending
		want string
	}{
		{ending{code: -1, err: run}, "killed"},
		{ending{code: 3, stderr: "Error:\n\x1b[31mred\x00\n"}, "exit status 3: ?[31mred?"},
		{ending{code: 3, stderr: "Events disabled\n"}, "it said nothing"},
		{ending{code: 3, stderr: strings.Repeat("long ", 100)}, "..."},
	} {
		if got := tt.e.explain(1).reason; !strings.Contains(got, tt.want) {
			t.Errorf("got %q, want %q in it", got, tt.want)
		}
	}
}
