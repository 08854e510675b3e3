package perfstat

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"opcost/collectors/internal/perfcontrol"
)

// argv is perf's command line. Counting begins disabled (-D -1), and the
// control descriptors say when.
func (a *armed) argv() []string {
	form := []string{"-j"}
	if !a.caps.Perf.JSON.OK {
		form = []string{"-x", ";"} // no number holds a semicolon in any locale
	}
	argv := append([]string{a.caps.Perf.Path, "stat"}, form...)
	argv = append(argv, "-o", a.out, "-D", "-1", "--control", perfcontrol.Argument, "-p", strconv.Itoa(a.target.PID))
	for _, g := range a.set.Groups {
		e := strings.Join(g, ",")
		if len(g) > 1 {
			e = "{" + e + "}"
		}
		argv = append(argv, "-e", e)
	}
	return argv
}

// files makes the file for perf's output, and one without a name for what it
// complains of: a pipe would be held open by whoever outlives us.
func (a *armed) files() error {
	suffix := ".perfstat.json"
	if !a.caps.Perf.JSON.OK {
		suffix = ".perfstat.csv"
	}
	if a.target.Evidence != "" {
		a.keep = true
		a.out = filepath.Join(a.target.Evidence, strings.TrimPrefix(a.target.Tag+suffix, "."))
		// What an earlier window left must not be taken for this one's.
		if err := os.Remove(a.out); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	} else {
		f, err := os.CreateTemp("", "opcost-*"+suffix)
		if err != nil {
			return err
		}
		a.out = f.Name()
		_ = f.Close() // empty; perf writes it
	}
	f, err := os.CreateTemp("", "opcost-*.perfstat.err")
	if err != nil {
		return err
	}
	a.stderr = f
	return os.Remove(f.Name())
}
