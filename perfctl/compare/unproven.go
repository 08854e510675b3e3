package compare

import "opcost/perfctl/result"

// unproven says why an interval, however narrow, proves nothing: "" when it may.
//
// Intervals know how much starts differ by chance. Other programs' load lasts
// longer than one start and is not chance: a row's two starts may both have met
// it, or both have been spared. The same scan at the same instructions/row was
// seen to take 0.11 and 0.20 µs of CPU/row within minutes.
func unproven(m Metric, c, base *cell) string {
	if m.Name != "cpu_us_per_query" || !c.disturbed() && !base.disturbed() {
		return ""
	}
	return "other programs used the machine's CPUs meanwhile: measure again on a quiet machine"
}

// disturbed: other programs used the machine in most of the windows that were
// checked for it.
func (c *cell) disturbed() bool {
	checked, broken := 0, 0
	for _, r := range c.runs {
		for _, p := range costly(r) {
			for _, w := range p.Windows {
				for _, q := range w.Quality {
					if q.Name == result.CheckOthers {
						checked++
						if !q.OK {
							broken++
						}
					}
				}
			}
		}
	}
	return 2*broken > checked
}
