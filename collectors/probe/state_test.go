package probe

import (
	"os/exec"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

func TestMachineState(t *testing.T) {
	const cpu = "sys/devices/system/cpu/"
	a := asker{root: root(t, map[string]string{
		cpu + "cpu0/cpufreq/scaling_max_freq": "3400000\n", cpu + "cpu1/cpufreq/scaling_max_freq": "2100000\n",
		cpu + "vulnerabilities/spectre_v2": "Mitigation: Retpolines; RSB filling\n", cpu + "vulnerabilities/mds": "Not affected\n",
		cpu + "vulnerabilities/l1tf": "Vulnerable\n",
	})}
	if got := a.maxMHz(); got != known(3400.0) {
		t.Errorf("clock %+v", got)
	}
	if got := a.mitigations(); got != known("l1tf: Vulnerable; spectre_v2: Mitigation: Retpolines; RSB filling") {
		t.Errorf("mitigations %+v", got)
	}
	if got := (asker{root: root(t, map[string]string{cpu + "vulnerabilities/mds": "Not affected\n"})}).mitigations(); got != known("none needed") {
		t.Errorf("a CPU without faults: %+v", got)
	}
	nothing := asker{root: t.TempDir()}
	for name, f := range map[string]struct {
		known  bool
		reason string
	}{
		"clock":       {nothing.maxMHz().Known, nothing.maxMHz().Reason},
		"mitigations": {nothing.mitigations().Known, nothing.mitigations().Reason},
	} {
		if f.known || f.reason == "" || strings.Contains(f.reason, nothing.root) {
			t.Errorf("%s of a machine that shows nothing: known %v, reason %q", name, f.known, f.reason)
		}
	}

	var m result.Machine
	System{
		Governors: known([]string{"performance", "schedutil"}), Boost: known(false), SMT: known(true), THP: known("never"),
		MaxMHz: known(3400.0), NUMANodes: known(2), Mitigations: known("none needed"),
	}.into(&m)
	want := result.Machine{Governor: "performance,schedutil", Boost: "off", SMT: "on", THP: "never", MaxMHz: 3400, NUMANodes: 2, Mitigations: "none needed"}
	if m != want {
		t.Errorf("got %+v, want %+v", m, want)
	}
	m = result.Machine{}
	if (System{}).into(&m); m != (result.Machine{}) {
		t.Errorf("an unknown machine is %+v", m)
	}
}

// On this machine, the faults that lscpu lists as not "Not affected" are those
// of the record.
func TestMitigationsAsLscpu(t *testing.T) {
	out, err := exec.Command("lscpu").Output()
	if err != nil {
		t.Skip("lscpu is not installed (Debian: apt-get install util-linux)")
	}
	got := asker{root: "/"}.mitigations()
	n := 0
	for line := range strings.Lines(string(out)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		what, ok := strings.CutPrefix(strings.TrimSpace(name), "Vulnerability ")
		if !ok || strings.TrimSpace(value) == "Not affected" {
			continue
		}
		n++
		name = strings.ToLower(strings.ReplaceAll(what, " ", "_")) + ": "
		if !strings.Contains(got.Value, name) {
			t.Errorf("lscpu has %q, the record %q", line, got.Value)
		}
	}
	if n == 0 {
		t.Skip("lscpu shows no fault of this CPU")
	}
}
