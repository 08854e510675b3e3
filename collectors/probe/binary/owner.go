package binary

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"opcost/collectors/child"
)

// Owner is the package that installed a file, by the machine's package manager
// (dpkg or rpm); "" where no package did, or there is no such manager.
func Owner(ctx context.Context, path string) (manager, name string) {
	for _, m := range managers {
		// Debian's merged /usr: the package may list the file under /lib.
		for _, p := range []string{path, strings.TrimPrefix(path, "/usr")} {
			if p == "" || !filepath.IsAbs(p) {
				continue
			}
			out, _, err := child.Output(ctx, append(slices.Clone(m.argv), p)...)
			if err != nil {
				continue
			}
			if name := m.parse(out); name != "" {
				return m.name, name
			}
		}
	}
	return "", ""
}

var managers = []struct {
	name  string
	argv  []string
	parse func(string) string
}{
	// "mariadb-server-core: /usr/sbin/mariadbd"; several packages by commas.
	{"dpkg", []string{"dpkg", "-S"}, func(out string) string {
		line, _, _ := strings.Cut(out, "\n")
		if strings.HasPrefix(line, "diversion ") {
			return ""
		}
		name, _, ok := strings.Cut(line, ": ")
		if !ok {
			return ""
		}
		name, _, _ = strings.Cut(name, ",")
		return name
	}},
	{"rpm", []string{"rpm", "-qf", "--qf", "%{NAME}\n"}, func(out string) string {
		line, _, _ := strings.Cut(out, "\n")
		if strings.Contains(line, " ") { // "file X is not owned by any package"
			return ""
		}
		return line
	}},
}
