package live

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// deletedSuffix is what the kernel adds to a link whose file has no name any
// more.
const deletedSuffix = " (deleted)"

func pidPath(proc string, pid int, parts ...string) string {
	return filepath.Join(append([]string{proc, strconv.Itoa(pid)}, parts...)...)
}

// rootOf is /proc/PID/root where the process sees other files than we do: in
// another mount namespace, where the link itself says "/", or in a chroot.
// A user who may not look gets "".
func rootOf(proc string, pid int) string {
	root := pidPath(proc, pid, "root")
	theirs, err := os.Stat(root + "/")
	if err != nil {
		return ""
	}
	if ours, err := os.Stat("/"); err != nil || !os.SameFile(ours, theirs) {
		return root
	}
	mine, err := os.Readlink(filepath.Join(proc, "self", "ns", "mnt"))
	if err != nil {
		return ""
	}
	if its, err := os.Readlink(pidPath(proc, pid, "ns", "mnt")); err == nil && its != mine {
		return root
	}
	return ""
}

// maxLinks is the kernel's own limit for the links of one path (man
// path_resolution.7).
const maxLinks = 40

// within is a path of a process whose root is root, as it can be opened from
// here. Its links are followed inside the root: left to the kernel, an absolute
// one (/var/run -> /run) would lead into our own files.
func within(root, path string) string {
	if root == "" {
		return path
	}
	done, todo := "/", strings.Split(filepath.Clean("/"+path), "/")
	for links := 0; len(todo) > 0 && links < maxLinks; {
		name := todo[0]
		todo = todo[1:]
		next := filepath.Join(done, name) // never above "/"
		target, err := os.Readlink(root + next)
		if err != nil {
			done = next
			continue
		}
		links++
		if filepath.IsAbs(target) {
			done = "/"
		}
		todo = append(strings.Split(target, "/"), todo...)
	}
	return root + done
}

// exeOf is the process's binary as it can be opened from here, and whether the
// file was replaced or removed since it was started.
func exeOf(proc string, p process, root string, loaded bool) (path string, replaced bool) {
	link := p.exe
	handle := pidPath(proc, p.PID, "exe")
	if loaded {
		// The link is the loader's; the mappings name the binary.
		if link = mappedServer(p.Proc); link == "" {
			return "", false
		}
		if !strings.HasSuffix(link, deletedSuffix) {
			return root + link, false
		}
		return "", true // there is no other handle for it that needs no privilege
	}
	if link == "" {
		return "", false
	}
	if strings.HasSuffix(link, deletedSuffix) {
		return handle, true
	}
	running, err := os.Stat(handle)
	if err != nil {
		return handle, false
	}
	// In a chroot the link is a path of ours, in a container one of its own.
	for _, path := range []string{link, root + link} {
		if found, err := os.Stat(path); err == nil && os.SameFile(found, running) {
			return path, false
		}
	}
	return handle, false
}

// mappedServer is the first mapped file with a server's name.
func mappedServer(p procfs.Proc) string {
	maps, err := p.ProcMaps()
	if err != nil {
		return ""
	}
	for _, m := range maps {
		if serverName.MatchString(filepath.Base(strings.TrimSuffix(m.Pathname, deletedSuffix))) {
			return m.Pathname
		}
	}
	return ""
}

// ThreadIDs maps the ids of a process's threads as its own PID namespace
// numbers them (what the server says) to this machine's; nil: they are the
// same. proc is where /proc is.
func ThreadIDs(proc string, pid int) (map[int]int, error) {
	fsys, err := procfs.NewFS(proc)
	if err != nil {
		return nil, err
	}
	p, err := fsys.Proc(pid)
	if err != nil {
		return nil, err
	}
	if inner, err := innerID(p); err != nil || inner == 0 {
		return nil, err
	}
	threads, err := fsys.AllThreads(pid)
	if err != nil {
		return nil, err
	}
	ids := make(map[int]int, len(threads))
	for _, t := range threads {
		if inner, err := innerID(t); err == nil && inner != 0 { // else it has just ended
			ids[inner] = t.PID
		}
	}
	return ids, nil
}

// innerID is the last of NSpid in /proc/PID/status; 0 for a process of our own
// PID namespace.
func innerID(p procfs.Proc) (int, error) {
	status, err := p.NewStatus()
	if err != nil {
		return 0, err
	}
	if len(status.NSpids) < 2 {
		return 0, nil
	}
	return int(status.NSpids[len(status.NSpids)-1]), nil
}
