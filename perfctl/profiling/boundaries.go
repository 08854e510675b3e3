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

// Boundaries gives the functions without a name of a profile that was read from a
// file their boundaries, from the programs' files under root ("": this machine's),
// where these are of the very build that was profiled. The note says of which
// files that could not be done; "" is none.
func Boundaries(p *profiles.Profile, root string) (resolved *profiles.Profile, note string, err error) {
	resolved, warnings, err := boundaries.Resolve(p, func(object, buildID string) (*boundaries.Table, error) {
		if buildID == "" {
			return &boundaries.Table{}, nil // whose file this is, nobody knows
		}
		return table(root, object)
	})
	if err != nil {
		return nil, "", err
	}
	if unlike := len(warnings); unlike > 0 {
		note = fmt.Sprintf("functions without a name are not told apart in %d files that are not here, or of another build (the first: %s); --symfs names the folder where they are", unlike,
			strings.Replace(warnings[0], "functions without a name are not told apart: ", "", 1))
	}
	return resolved, note, nil
}

// table reads an object under root. Code of no file ([vdso], code
// made while running) has no boundaries, which is no fault.
func table(root, object string) (*boundaries.Table, error) {
	if !filepath.IsAbs(object) || strings.HasPrefix(object, "//") {
		return &boundaries.Table{}, nil
	}
	for _, dir := range []string{"/proc/", "/sys/", "/dev/"} { // reading there may block, or do something
		if strings.HasPrefix(filepath.Clean(object), dir) {
			return &boundaries.Table{}, nil
		}
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
