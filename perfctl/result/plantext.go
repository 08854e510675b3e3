package result

import (
	"fmt"
	"path/filepath"
)

// PlanText is the text of the plan that a run was measured by, as the results
// folder keeps it. A run that was not measured by a plan has none, which is an
// error; so is what is no file of the folder, as a link.
func PlanText(r Run) ([]byte, error) {
	if r.PlanHash == "" || r.Dir == "" {
		return nil, fmt.Errorf("run %s was not measured by a plan", r.ID)
	}
	dir := filepath.Join(r.Dir, plansDir)
	found, err := filepath.Glob(filepath.Join(escapeGlob(dir), "*."+escapeGlob(filepath.Base(r.PlanHash))+".yaml"))
	if err != nil || len(found) == 0 {
		return nil, fmt.Errorf("%s holds no plan with the hash %s", dir, r.PlanHash)
	}
	text, err := readRegular(found[0], nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", found[0], err)
	}
	return text, nil
}
