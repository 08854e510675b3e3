package result

import (
	"fmt"
	"os"
	"path/filepath"
)

// PlanText is the text of the plan that a run was measured by, as the results
// folder keeps it. A run that was not measured by a plan has none, which is an
// error.
func PlanText(r Run) ([]byte, error) {
	if r.PlanHash == "" || r.Dir == "" {
		return nil, fmt.Errorf("run %s was not measured by a plan", r.ID)
	}
	found, err := filepath.Glob(filepath.Join(escapeGlob(r.Dir), plansDir, "*."+escapeGlob(r.PlanHash)+".yaml"))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("%s holds no plan with the hash %s", filepath.Join(r.Dir, plansDir), r.PlanHash)
	}
	return os.ReadFile(found[0])
}
