package profiles

import "testing"

// What perf's man page (perf-list, "EVENT MODIFIERS") says of each modifier.
func TestEventCounts(t *testing.T) {
	for name, want := range map[string]string{
		"cycles": "cycles", "cycles:P": "cycles", "cycles:ppp": "cycles", "cycles:u": "cycles:u", "cycles:upp": "cycles:u", "cycles:Pu": "cycles:u",
		"cycles:ku": "cycles:uk", "cycles:ppH": "cycles:H", "cpu/cycles/": "cycles", "cpu/cycles/u": "cycles:u", "cpu/cycles/Pk": "cycles:k",
		"cpu_core/cycles/": "cpu_core/cycles", "cpu_atom/cycles/u": "cpu_atom/cycles:u", "Ir": "Ir", "": "",
		"sched:sched_switch": "sched:sched_switch", "sched:sched_switch:u": "sched:sched_switch:u", "sched:sched_p": "sched:sched_p",
	} {
		if got := (Event{Name: name}).Counts(); got != want {
			t.Errorf("%q: %q, want %q", name, got, want)
		}
	}
}
