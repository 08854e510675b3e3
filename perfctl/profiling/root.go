package profiling

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// symfs is the root under which the objects of a profile are found: in.Root, or
// "" for this machine's.
//
// The names that perf wrote down are those of /proc/PID/maps. In another mount
// namespace (a container) they are as the process sees them. After a chroot
// alone they are as we see them, though its root is another one.
func (in Input) symfs() string {
	if in.Root == "" {
		return ""
	}
	f, err := os.Open(filepath.Join(filepath.Dir(in.Root), "maps"))
	if err != nil {
		return in.Root
	}
	defer f.Close()
	theirs, ours := 0, 0
	for s := bufio.NewScanner(f); s.Scan(); {
		i := strings.IndexByte(s.Text(), '/')
		if i < 0 || !strings.Contains(s.Text()[:i], "r-xp") {
			continue // not a file's code
		}
		name := s.Text()[i:]
		if _, err := os.Stat(filepath.Join(in.Root, name)); err == nil {
			theirs++
		}
		if _, err := os.Stat(name); err == nil {
			ours++
		}
	}
	if ours > theirs {
		return ""
	}
	return in.Root
}
