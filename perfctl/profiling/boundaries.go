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
func (in Input) resolve(p *profiles.Profile) (*profiles.Profile, []string) {
	resolved, warnings, err := boundaries.Resolve(p, in.table)
	if err != nil {
		return p, append(warnings, fmt.Sprintf("functions without a name stay addresses: %v", err))
	}
	return resolved, warnings
}

// table reads an object where the server saw it. Code of no file ([vdso], code
// made while running) has no boundaries, which is no fault.
func (in Input) table(object, _ string) (*boundaries.Table, error) {
	if !filepath.IsAbs(object) || strings.HasPrefix(object, "//") {
		return &boundaries.Table{}, nil
	}
	path := filepath.Join("/", in.Root, object)
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular(): // a pipe would block
		return nil, fmt.Errorf("%s is no regular file", path)
	}
	return boundaries.Of(path)
}
