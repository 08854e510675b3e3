// Package evidence keeps what a collector read, beside the result, so that any
// report can be made again. It knows nothing of what it keeps.
package evidence

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"

	"opcost/collectors"
)

// Write writes v as JSON to the target's evidence folder, in a file named
// TAG-name; it does nothing where the target names no folder.
func Write(t collectors.Target, name string, v any) error {
	if t.Evidence == "" {
		return nil
	}
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Errorf("evidence %s: %w", name, err)
	}
	if t.Tag != "" {
		name = t.Tag + "-" + name
	}
	path := filepath.Join(t.Evidence, name)
	if err := os.WriteFile(path, append(b, '\n'), 0o600); err != nil {
		_ = os.Remove(path) // half of it would be taken for all
		return fmt.Errorf("evidence: %w", err)
	}
	return nil
}
