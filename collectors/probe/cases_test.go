package probe

import (
	"testing"

	"opcost/testbed/casefiles"
)

func TestLoadCase(t *testing.T) {
	for _, c := range casefiles.Index(t, "06-procfs") {
		if c.File != "jc/loadavg" {
			continue
		}
		casefiles.Used(t, casefiles.Compared, c.Path)
		// By eye: "0.00 0.01 0.03 2/111 2039".
		if l := (asker{root: root(t, map[string]string{"proc/loadavg": c.Read(t)})}).load1(); !l.Known || l.Value != 0 {
			t.Errorf("%+v", l)
		}
		return
	}
	t.Error("the case is not in the index")
}
