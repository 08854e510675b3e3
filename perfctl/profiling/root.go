package profiling

import (
	"fmt"
	"os"
	"path/filepath"
)

// rootOf is the root under which the files are that perf has written down for a
// process: "" for this machine's, else /proc/PID/root.
//
// Their names are those of /proc/PID/maps and exe. In another mount namespace (a
// container) they are as the process sees them, and a file of that name here is
// another one, or none. After a chroot alone they are as we see them, though the
// process's root is another. So the program itself tells.
func rootOf(pid int) string {
	dir := fmt.Sprintf("/proc/%d", pid)
	name, err := os.Readlink(filepath.Join(dir, "exe"))
	if err != nil {
		return "" // it has ended, and its root with it
	}
	program, err := os.Stat(filepath.Join(dir, "exe"))
	if err != nil {
		return ""
	}
	if here, err := os.Stat(name); err == nil && os.SameFile(here, program) {
		return ""
	}
	root := filepath.Join(dir, "root")
	if there, err := os.Stat(filepath.Join(root, name)); err == nil && os.SameFile(there, program) {
		return root
	}
	return "" // removed, or replaced by another build: the build ids will tell
}
