package probe

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"opcost/perfctl/result"
)

// into writes how the machine is set into a record. What is unknown stays empty.
func (s System) into(m *result.Machine) {
	onOff := func(f Fact[bool]) string {
		switch {
		case !f.Known:
			return ""
		case f.Value:
			return "on"
		}
		return "off"
	}
	m.Governor = strings.Join(s.Governors.Value, ",")
	m.Boost, m.SMT = onOff(s.Boost), onOff(s.SMT)
	m.THP, m.Mitigations = s.THP.Value, s.Mitigations.Value
	m.MaxMHz, m.NUMANodes = s.MaxMHz.Value, s.NUMANodes.Value
}

// maxMHz reads the governors' upper limit, in kHz (the kernel's
// admin-guide/pm/cpufreq). The clock of the moment is no setting: it is in the
// counters.
func (a asker) maxMHz() Fact[float64] {
	files, _ := filepath.Glob(filepath.Join(a.root, cpuDir+"cpu[0-9]*/cpufreq/scaling_max_freq"))
	most := 0.0
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			continue
		}
		if khz, err := strconv.ParseFloat(strings.TrimSpace(string(b)), 64); err == nil {
			most = max(most, khz/1000)
		}
	}
	if most == 0 {
		return unknown[float64]("the machine shows no frequency control (no cpu*/cpufreq in /sys)")
	}
	return known(most)
}

// mitigations reads a file a fault of CPUs (the kernel's
// admin-guide/hw-vuln/index), which says what is done about it.
func (a asker) mitigations() Fact[string] {
	const dir = cpuDir + "vulnerabilities"
	entries, err := os.ReadDir(filepath.Join(a.root, dir)) // sorted by name
	if err != nil {
		return unknown[string](cannotRead(dir, err))
	}
	var all []string
	read := 0
	for _, e := range entries {
		t := a.text(dir + "/" + e.Name())
		if !t.Known {
			continue
		}
		read++
		if t.Value != "Not affected" {
			all = append(all, e.Name()+": "+clean(t.Value))
		}
	}
	switch {
	case read == 0:
		return unknown[string]("/" + dir + " has nothing that can be read")
	case len(all) == 0:
		return known("none needed")
	}
	return known(strings.Join(all, "; "))
}
