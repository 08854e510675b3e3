package live

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// word is what a server says of itself.
type word struct{ pidFile, datadir, hostname string }

// prove checks by the server's own word that it is the process found. A server
// of another machine may have a pid file of the same name, so its host's name
// must fit too; and none can be up for longer than its process.
func (c *Conn) prove(ctx context.Context, s Server, w word) error {
	rows, err := c.Query(ctx, "SHOW GLOBAL STATUS LIKE 'Uptime'")
	if err != nil {
		return fmt.Errorf("ask %s how long it has been up: %w", s, err)
	}
	const slack = 3 // both are rounded, and read one after the other
	p, err := readProcess(procOr(s.proc), s.PID)
	if err != nil {
		return fmt.Errorf("%s ended while it was looked at", s)
	}
	given, other := fmt.Sprintf("pid %d", s.PID), s.Addr
	if len(rows) == 1 && len(rows[0]) == 2 {
		seconds, err := strconv.ParseInt(rows[0][1], 10, 64)
		if own := uptimeOf(procOr(s.proc), p); err == nil && own > 0 && time.Duration(seconds-slack)*time.Second > own {
			return &Mismatch{Given: given, Other: other, Is: fmt.Sprintf("a server that has been up for %d s, longer than the process", seconds)}
		}
	}
	unproven := func(why string) {
		c.Warnings = append(c.Warnings, warnf("it could not be proven that the server at %s is pid %d: %s", s.Addr, s.PID, why))
	}
	pid, known := s.pidByFile(w)
	switch host, ok := s.hostname(); {
	case !known:
		unproven("its pid file " + w.pidFile + " cannot be read from here")
	case pid != s.PID:
		return &Mismatch{Given: given, Other: other, Is: fmt.Sprintf("a server with the pid file %s, which names process %d", w.pidFile, pid)}
	case !ok, host != w.hostname:
		unproven("it says that its host is " + w.hostname)
	}
	return nil
}

// pidByFile is the pid that a server's pid file names, as this machine numbers
// it; not known when there is no file to be read as this process would. A pid
// that is none of this process's is given as it stands.
func (s Server) pidByFile(w word) (pid int, known bool) {
	path := w.pidFile
	if path == "" {
		return 0, false
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(w.datadir, path)
	}
	text, err := readSmall(within(s.Root, path))
	if err != nil {
		return 0, false
	}
	pid, err = strconv.Atoi(text)
	if err != nil || pid <= 0 {
		return 0, false
	}
	if here, ok := s.NSTIDs[pid]; ok {
		pid = here // the main thread's id is the process's
	}
	return pid, true
}

// hostname is the name of the machine or container that the process runs in.
func (s Server) hostname() (string, bool) {
	if s.NSTIDs == nil {
		name, err := os.Hostname()
		return name, err == nil
	}
	name, err := readSmall(within(s.Root, "/etc/hostname"))
	return name, err == nil
}

// readSmall reads a file of one line. What is there may be anything.
func readSmall(path string) (string, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() {
		return "", fmt.Errorf("%s is no file", path)
	}
	text, err := io.ReadAll(io.LimitReader(f, 256))
	return strings.TrimSpace(string(text)), err
}
