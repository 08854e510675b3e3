package profiling

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"opcost/profiles"
	"opcost/profiles/boundaries"
)

// resolve gives the functions without a name their boundaries, object by object.
// What could not be had leaves its addresses, and a warning.
func resolve(p *profiles.Profile, root string) (*profiles.Profile, []string) {
	resolved, warnings, err := boundaries.Resolve(p, func(object, _ string) (*boundaries.Table, error) { return table(root, object) })
	if err != nil {
		return p, append(warnings, fmt.Sprintf("functions without a name stay addresses: %v", err))
	}
	return resolved, warnings
}

// table reads an object under root. Code of no file ([vdso], code
// made while running) has no boundaries, which is no fault.
func table(root, object string) (*boundaries.Table, error) {
	if !filepath.IsAbs(object) || strings.HasPrefix(object, "//") {
		return &boundaries.Table{}, nil
	}
	path := filepath.Join("/", root, object)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a pipe would block
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return boundaries.Of(path)
}
