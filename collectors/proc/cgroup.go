package proc

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"

	"opcost/perfctl/result"
)

// throttle is how long and how often a CPU limit of control groups held the
// server back.
type throttle struct {
	US      uint64 `json:"us"`      // summed over CPUs
	Periods uint64 `json:"periods"` // in which the limit was reached
}

// cgroupFile is one cpu.stat. procfs has no reader for it.
type cgroupFile string

// cgroupFiles are the cpu.stat of the process's group and of those above it,
// as each can have a limit of its own; or why there is none to be read.
func cgroupFiles(fs procfs.FS, pid int) ([]cgroupFile, *lack) {
	p, err := fs.Proc(pid)
	var groups []procfs.Cgroup
	if err == nil {
		groups, err = p.Cgroups()
	}
	if err != nil {
		l := why(err)
		return nil, &l
	}
	mounts, err := fs.GetMounts()
	if err != nil {
		l := why(err)
		return nil, &l
	}
	path, v1 := cpuGroup(groups)
	for _, m := range mounts {
		_, cpu := m.SuperOptions["cpu"]
		if !(v1 && m.FSType == "cgroup" && cpu) && !(!v1 && m.FSType == "cgroup2") {
			continue
		}
		// In a container the mount shows a part of the tree, from Root down. A
		// path outside our cgroup namespace begins with "/.." (cgroup_namespaces(7)).
		rel, err := filepath.Rel(m.Root, path)
		if path == "" || strings.HasPrefix(path, "/..") || err != nil || strings.HasPrefix(rel, "..") {
			continue
		}
		var files []cgroupFile
		for dir := rel; ; dir = filepath.Dir(dir) {
			files = append(files, cgroupFile(filepath.Join(m.MountPoint, dir, "cpu.stat")))
			if dir == "." {
				return files, nil
			}
		}
	}
	return nil, &lack{result.Unsupported, fmt.Sprintf("the server's control group %q is under no cgroup mount seen from here", path),
		"run opcost outside the container, or mount /sys/fs/cgroup in it"}
}

// cpuGroup is the process's group for CPU limits: a hierarchy of version 1 that
// has the cpu controller, else the one hierarchy of version 2.
func cpuGroup(groups []procfs.Cgroup) (path string, v1 bool) {
	for _, g := range groups {
		if slices.Contains(g.Controllers, "cpu") {
			return g.Path, true
		}
		if g.HierarchyID == 0 {
			path = g.Path
		}
	}
	return path, false
}

func readThrottle(files []cgroupFile) (throttle, error) {
	var sum throttle
	for _, name := range files {
		f, err := os.Open(string(name))
		if err != nil {
			return throttle{}, err
		}
		t, err := parseCPUStat(f)
		_ = f.Close()
		if err != nil {
			return throttle{}, fmt.Errorf("%s: %w", name, err)
		}
		sum.US += t.US
		sum.Periods += t.Periods
	}
	return sum, nil
}

// parseCPUStat reads cpu.stat of version 1 (throttled_time, nanoseconds) or 2
// (throttled_usec). A group without these lines has no cpu controller, or is
// the root of version 2: neither can have a limit, so 0 is known.
func parseCPUStat(r io.Reader) (throttle, error) {
	var t throttle
	s := bufio.NewScanner(r)
	for s.Scan() {
		key, value, _ := strings.Cut(s.Text(), " ")
		if key != "nr_throttled" && key != "throttled_time" && key != "throttled_usec" {
			continue
		}
		n, err := strconv.ParseUint(value, 10, 64)
		if err != nil {
			return throttle{}, fmt.Errorf("line %q: %w", s.Text(), err)
		}
		switch key {
		case "nr_throttled":
			t.Periods = n
		case "throttled_time":
			t.US = n / 1000
		case "throttled_usec":
			t.US = n
		}
	}
	return t, s.Err()
}
