package result

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestPlanText(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "night [17]") // brackets mean something to a glob
	f, err := Create(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	const hash, other = "0123456789abcdef", "fedcba9876543210"
	for h, text := range map[string]string{hash: "rows: 1\n", other: "rows: 2\n"} {
		if err := f.WritePlan("night.yaml", []byte(text), h); err != nil {
			t.Fatal(err)
		}
	}
	for h, want := range map[string]string{hash: "rows: 1\n", other: "rows: 2\n"} {
		if got, err := PlanText(Run{Dir: dir, PlanHash: h}); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", h, got, err)
		}
	}
	if _, err := PlanText(Run{ID: "x", Dir: dir}); err == nil || !strings.Contains(err.Error(), "not measured by a plan") {
		t.Errorf("an imported run: %v", err)
	}
	if _, err := PlanText(Run{Dir: dir, PlanHash: "00000000000000ff"}); err == nil {
		t.Error("a plan that is not there was found")
	}
}
