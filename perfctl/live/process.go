package live

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
)

// process is what /proc says of one process.
type process struct {
	procfs.Proc
	stat   procfs.ProcStat
	comm   string
	argv   []string
	exe    string // where the link leads, with " (deleted)" if it says so; "" for a kernel thread
	hidden bool   // the link may not be read by this user
}

// kernelThread is PF_KTHREAD of the kernel's include/linux/sched.h, in field 9
// of /proc/PID/stat.
const kernelThread = 0x00200000

func readProcess(proc string, pid int) (process, error) {
	fsys, err := procfs.NewFS(proc)
	if err != nil {
		return process{}, err
	}
	var p process
	if p.Proc, err = fsys.Proc(pid); err != nil {
		return process{}, err
	}
	if p.stat, err = p.Stat(); err != nil {
		return process{}, err
	}
	if p.comm, err = p.Comm(); err != nil {
		return process{}, err
	}
	if p.argv, err = p.CmdLine(); err != nil {
		return process{}, err
	}
	p.exe, err = p.Executable()
	switch {
	case errors.Is(err, fs.ErrPermission):
		p.hidden = true
	case err != nil:
		return process{}, err
	}
	return p, nil
}

func (p process) zombie() bool { return p.stat.State == "Z" || p.stat.State == "X" }

func (p process) kernel() bool { return p.stat.Flags&kernelThread != 0 }

// String is the process for people: "sleep (pid 7)".
func (p process) String() string { return fmt.Sprintf("%s (pid %d)", p.comm, p.PID) }

// Names of servers, and of what runs a server's binary on its behalf: the
// dynamic loader, valgrind's tools. mysqld_safe, mysqldump, mysqld_exporter and
// mysqld_multi are no servers.
var (
	serverName = regexp.MustCompile(`^(mysqld|mariadbd)([-.](debug|real|bin|opt|old|\d).*)?$`)
	safeName   = regexp.MustCompile(`^(mysqld_safe|mariadbd-safe)$`)
	loaderName = regexp.MustCompile(`^(ld-linux.*|ld-musl.*|ld-\d.*|ld\.so.*|(memcheck|callgrind|cachegrind|massif|helgrind|drd|dhat|lackey|none)-[a-z0-9_]+-linux.*)$`)
)

// loaderValues are the loader's options that are followed by their value
// (man ld.so.8).
var loaderValues = []string{"--library-path", "--inhibit-rpath", "--audit", "--preload", "--argv0", "--glibc-hwcaps-prepend", "--glibc-hwcaps-mask"}

// serverProgram gives the name of the server that a process runs, and whether a
// loader does so on its behalf; "" for every other process.
func (p process) serverProgram() (name string, loaded bool) {
	name = filepath.Base(strings.TrimSuffix(p.exe, deletedSuffix))
	if p.exe == "" {
		name = p.comm // 15 bytes at most
	}
	if serverName.MatchString(name) {
		return name, false
	}
	if !loaderName.MatchString(name) {
		return "", false
	}
	for i := 1; i < len(p.argv); i++ {
		switch arg := p.argv[i]; {
		case slices.Contains(loaderValues, arg):
			i++
		case strings.HasPrefix(arg, "-"):
		default:
			if name = filepath.Base(arg); serverName.MatchString(name) {
				return name, true
			}
			return "", false
		}
	}
	return "", false
}

// processes gives the pids that can be seen, in order.
func processes(proc string) ([]int, error) {
	entries, err := os.ReadDir(proc)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, e := range entries {
		if pid, err := strconv.Atoi(e.Name()); err == nil {
			pids = append(pids, pid)
		}
	}
	slices.Sort(pids)
	return pids, nil
}
