package profiles

import "strings"

// Counts is what an event counts: its name with its scope (:u, :k), without how
// exactly its samples are placed (:p, :P) and without the name of the PMU of CPUs
// with one kind of core (cpu/cycles/). perf versions name one event differently;
// two profiles compare if this is equal. The kinds of cores of a hybrid CPU stay
// apart.
func (e Event) Counts() string {
	name, modifiers, _ := strings.Cut(e.Name, ":")
	if pmu, rest, ok := strings.Cut(name, "/"); ok {
		event, more, _ := strings.Cut(rest, "/")
		name = event
		if pmu != "cpu" {
			name = pmu + "/" + event
		}
		modifiers += more
	}
	// A tracepoint's name has a colon too: what is behind it is no modifier.
	if strings.Trim(modifiers, "ukhGHIpPSDWeb:") != "" {
		return e.Name
	}
	scope := ""
	for _, m := range "ukhGHI" {
		if strings.ContainsRune(modifiers, m) {
			scope += string(m)
		}
	}
	if scope == "" {
		return name
	}
	return name + ":" + scope
}
