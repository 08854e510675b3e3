package live

import (
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// socketOf is the unix socket of a server as it can be reached from here, and
// whether the kernel says that this process listens on it. Without permission
// to see that it is what the command line names, if anything.
func socketOf(proc string, p process, root string) (path string, proven bool) {
	if held, err := heldSockets(proc, p.PID); err == nil {
		unix, _ := listeners(pidPath(proc, p.PID, "net"))
		var paths []string
		for _, l := range unix {
			if held[l.inode] && !xProtocol(l.path) {
				paths = append(paths, l.path)
			}
		}
		slices.SortFunc(paths, func(a, b string) int { return len(a) - len(b) })
		for _, path := range paths {
			if seen := seenFromHere(proc, p.PID, root, path); seen != "" {
				return seen, true
			}
		}
		return "", false
	}
	if path := option(p.argv, "socket"); path != "" {
		return seenFromHere(proc, p.PID, root, path), false
	}
	return "", false
}

// xProtocol tells MySQL 8's second socket, which speaks another protocol.
func xProtocol(path string) bool { return strings.Contains(filepath.Base(path), "mysqlx") }

// seenFromHere is a socket's path of a process; "" when there is no such socket.
func seenFromHere(proc string, pid int, root, path string) string {
	switch {
	case strings.HasPrefix(path, "@"):
		return path // an abstract name, without a file
	case filepath.IsAbs(path):
		path = within(root, path)
	default:
		path = pidPath(proc, pid, "cwd", path)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Type() != os.ModeSocket {
		return ""
	}
	return path
}

// option is the value of a server's option on its command line: the last one
// counts.
func option(argv []string, name string) string {
	var value string
	for i, arg := range argv {
		arg = strings.ReplaceAll(arg, "_", "-")
		if arg == "--"+name && i+1 < len(argv) {
			value = argv[i+1]
		}
		if strings.HasPrefix(arg, "--"+name+"=") {
			value = argv[i][len("--"+name+"="):]
		}
	}
	return value
}

// Ports that servers listen on besides their own: the X protocol's and the
// administrators'.
var otherPorts = []uint16{33060, 33062}

// tcpAddrOf is where a server of our own network listens; "" for none.
func tcpAddrOf(proc string, p process) string {
	if !sameNetwork(proc, p.PID) {
		return ""
	}
	held, err := heldSockets(proc, p.PID)
	if err != nil {
		return ""
	}
	_, tcp := listeners(pidPath(proc, p.PID, "net"))
	var found []netip.AddrPort
	for _, l := range tcp {
		if held[l.inode] && !slices.Contains(otherPorts, l.addr.Port()) {
			found = append(found, l.addr)
		}
	}
	if len(found) == 0 {
		return ""
	}
	at := slices.MinFunc(found, func(a, b netip.AddrPort) int { return int(a.Port()) - int(b.Port()) })
	switch addr := at.Addr(); {
	case addr == netip.IPv4Unspecified(), addr == netip.IPv6Unspecified():
		at = netip.AddrPortFrom(netip.AddrFrom4([4]byte{127, 0, 0, 1}), at.Port())
	}
	return at.String()
}

func sameNetwork(proc string, pid int) bool {
	mine, err := os.Readlink(filepath.Join(proc, "self", "ns", "net"))
	if err != nil {
		return true
	}
	its, err := os.Readlink(pidPath(proc, pid, "ns", "net"))
	return err != nil || its == mine
}
