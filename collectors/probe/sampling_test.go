package probe

import (
	"os"
	"strings"
	"testing"
)

// Each event is tried; what perf says of one is its own reason.
func TestSampling(t *testing.T) {
	const hybrid = `
case "$*" in
*"record -e instructions"*) echo "instructions: PMU Hardware doesn't support sampling/overflow-interrupts. Try 'perf stat'" >&2; exit 255;;
*lbr*) echo "cycles: PMU Hardware or event type doesn't support branch stack sampling." >&2; exit 255;;
*"record -e cycles -F 499 --call-graph fp -N -o "*|*"record -e cpu-clock"*) exit 0;;
esac
` + good
	t.Setenv("TMPDIR", t.TempDir())
	a := machineWith(t, hybrid, works(6))
	s := a.sampling(t.Context(), a.ask(t.Context()))
	if len(s.Events) != 3 || s.Events[0].OK || !strings.Contains(s.Events[0].Reason, "gives no interrupts") ||
		!s.Events[1].OK || s.Events[1].Name != "cycles" || !s.Events[2].OK || s.LBR.OK || !strings.Contains(s.LBR.Reason, "last branches") {
		t.Errorf("%+v", s)
	}
	if left, _ := os.ReadDir(os.TempDir()); len(left) > 0 {
		t.Errorf("%s was left", left[0].Name())
	}

	a = machineWith(t, `case $1 in record) echo "Error:" >&2; echo "Access to performance monitoring and observability operations is limited." >&2; exit 255;; esac`+good, works(0))
	s = a.sampling(t.Context(), Caps{Perf: Perf{Tool: Tool{Ability: yes(), Path: a.perfs()[0]}, PMU: no("a guest", "a host")}, Paranoid: 4})
	if len(s.Events) != 1 || s.Events[0].OK || s.Events[0].Reason != "no permission" || s.Events[0].Remedy == "" || s.LBR.Reason != "a guest" || s.Rate.Known {
		t.Errorf("%+v", s)
	}

	missing := no("perf is not installed", "install it")
	s = a.sampling(t.Context(), Caps{Perf: Perf{Tool: Tool{Ability: missing}, PMU: missing}})
	if len(s.Events) != 1 || s.Events[0].Ability != missing || s.LBR != missing {
		t.Errorf("%+v", s)
	}
}

func TestSamplingSettings(t *testing.T) {
	a := asker{root: root(t, map[string]string{"proc/sys/kernel/perf_event_max_sample_rate": "1250\n", "proc/sys/kernel/perf_event_mlock_kb": "516\n", "proc/sys/kernel/perf_event_max_stack": "127\n"})}
	if s := a.sampling(t.Context(), Caps{}); s.Rate.Value != 1250 || s.MlockKB.Value != 516 || s.MaxStack.Value != 127 {
		t.Errorf("%+v", s)
	}
}
