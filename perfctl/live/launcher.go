package live

import (
	"os"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// containerCgroup finds a container's engine and id in a control group's path:
// /system.slice/docker-ID.scope, /docker/ID, /kubepods/.../cri-containerd-ID.scope,
// /machine.slice/libpod-ID.scope, /lxc/NAME, /lxc.payload.NAME.
var containerCgroup = regexp.MustCompile(`(?:^|/)(?:(docker|cri-containerd|crio|libpod)[-/]([0-9a-f]{12,})|(lxc)(?:\.payload\.|/)([^/]+))`)

// launcherOf tells what started the process; "" when nothing tells.
func launcherOf(proc string, p process, otherNamespace bool) string {
	var groups []string
	if cgroups, err := p.Cgroups(); err == nil {
		for _, g := range cgroups {
			groups = append(groups, g.Path)
		}
	}
	for _, g := range groups {
		if m := containerCgroup.FindStringSubmatch(g); m != nil {
			if m[3] != "" {
				return "container (" + m[3] + " " + m[4] + ")"
			}
			return "container (" + strings.TrimPrefix(m[1], "cri-") + " " + m[2][:12] + ")"
		}
	}
	if otherNamespace {
		return "container (of an engine that does not name itself)"
	}
	if parent, err := readProcess(proc, p.stat.PPID); err == nil && parent.safe() {
		return filepath.Base(parent.script()) + " (pid " + strconv.Itoa(parent.PID) + ")"
	}
	for _, g := range groups {
		if unit := filepath.Base(g); strings.HasPrefix(g, "/system.slice/") && strings.HasSuffix(unit, ".service") {
			return "systemd (" + unit + ")"
		}
	}
	return ""
}

// safe tells whether the process is mysqld_safe, which is a shell script.
func (p process) safe() bool { return p.script() != "" }

func (p process) script() string {
	i := slices.IndexFunc(p.argv[:min(len(p.argv), 4)], func(arg string) bool { return safeName.MatchString(filepath.Base(arg)) })
	if i < 0 {
		return ""
	}
	return p.argv[i]
}

// userOf is whom a process runs as. A container's users are not ours: they stay
// numbers.
func userOf(p process, otherNamespace bool) string {
	status, err := p.NewStatus()
	if err != nil {
		return ""
	}
	uid := strconv.FormatUint(status.UIDs[1], 10) // the effective one
	if otherNamespace {
		return uid
	}
	if u, err := user.LookupId(uid); err == nil {
		return u.Username
	}
	return uid
}

// ticksPerSecond is USER_HZ, the same on every Linux that Go knows.
const ticksPerSecond = 100

// uptimeOf is how long a process has run: /proc/uptime less field 22 of its
// stat.
func uptimeOf(proc string, p process) time.Duration {
	text, err := os.ReadFile(filepath.Join(proc, "uptime"))
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(string(text), " ")
	machine, err := strconv.ParseFloat(first, 64)
	if err != nil {
		return 0
	}
	return time.Duration((machine - float64(p.stat.Starttime)/ticksPerSecond) * float64(time.Second))
}
