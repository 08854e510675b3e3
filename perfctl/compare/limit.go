package compare

import (
	"slices"
	"strings"
)

// WantedReadings tells which readings a report limited to some metrics needs,
// for reading no others: see [result.ReadOnly].
func WantedReadings(only []string) func(reading string) bool {
	names := map[string]bool{"rows_changed": true, "task_clock_us": true, "cpu_us": true, "instructions": true, "cycles": true}
	for _, m := range only {
		names[m], names[readingOf(m)] = true, true
	}
	return func(reading string) bool {
		whole := strings.TrimSuffix(strings.TrimSuffix(reading, "_user"), "_kernel") // parts of which wholes are made
		return names[reading] || names[whole] || strings.HasPrefix(reading, "host_") || strings.HasPrefix(reading, "syscalls") || strings.HasPrefix(reading, lostCollector)
	}
}

// keptMetrics is what a report limited to some metrics has to work out; nil: all.
func keptMetrics(o Options) func(name string) bool {
	if o.Only == nil {
		return nil
	}
	return func(name string) bool {
		return slices.Contains(o.Only, name) || name == o.Metric || name == changedRows || strings.HasPrefix(name, lostCollector)
	}
}
