package live

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"path/filepath"
	"strconv"
)

// ofTCP is the server behind host:port: the process that listens there, if that
// is on this machine. It connects to nobody.
func ofTCP(ctx context.Context, proc, addr string) (Server, error) {
	away := Server{PIDFD: -1, proc: proc, Net: "tcp", Addr: addr}
	host, portText, err := net.SplitHostPort(addr)
	if err != nil {
		return Server{}, fmt.Errorf("the DSN's address %s: expected host:port", addr)
	}
	port, err := strconv.ParseUint(portText, 10, 16)
	if err != nil {
		return Server{}, fmt.Errorf("the DSN's address %s: %q is no port", addr, portText)
	}
	addrs, err := resolve(ctx, host)
	if err != nil {
		return Server{}, fmt.Errorf("the DSN's address %s: %w", addr, err)
	}
	local, here := ours(addrs)
	if !here {
		away.Reason = fmt.Sprintf("%s is another machine: only the server's own counters can be read; run opcost there for the rest", addr)
		return away, nil
	}
	_, tcp := listeners(filepath.Join(proc, "net"))
	inodes := map[uint64]bool{}
	var uid uint64
	for _, l := range tcp {
		if uint64(l.addr.Port()) == port && (l.addr.Addr().IsUnspecified() || l.addr.Addr() == local) {
			inodes[l.inode] = true
			uid = l.uid
		}
	}
	if len(inodes) == 0 {
		away.Reason = fmt.Sprintf("nobody in this machine's own network listens on %s (a container's published port?): only the server's own counters can be read; if the server runs on this machine, give its --pid too (%s)", addr, others(proc))
		return away, nil
	}
	s, found, err := holder(proc, inodes)
	if err != nil {
		return Server{}, err
	}
	if found {
		s.Net, s.Addr = "tcp", addr
		return s, nil
	}
	who := fmt.Sprintf("a process of uid %d that this user may not look into", uid)
	if p, ok := anyHolder(proc, inodes); ok {
		who = p.String()
	}
	away.Reason = fmt.Sprintf("it is %s that listens on %s: only the server's own counters can be read; if the server runs on this machine, give its --pid too (%s)", who, addr, others(proc))
	return away, nil
}

func resolve(ctx context.Context, host string) ([]netip.Addr, error) {
	if addr, err := netip.ParseAddr(host); err == nil {
		return []netip.Addr{addr.Unmap()}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, dialTimeout)
	defer cancel()
	addrs, err := net.DefaultResolver.LookupNetIP(ctx, "ip", host)
	for i := range addrs {
		addrs[i] = addrs[i].Unmap()
	}
	return addrs, err
}

// ours gives the first address that is this machine's.
func ours(addrs []netip.Addr) (netip.Addr, bool) {
	interfaces, err := net.InterfaceAddrs()
	for _, a := range addrs {
		if a.IsLoopback() || a.IsUnspecified() {
			return a, true
		}
		if err != nil {
			continue
		}
		for _, i := range interfaces {
			if n, ok := i.(*net.IPNet); ok && n.IP.Equal(net.IP(a.AsSlice())) {
				return a, true
			}
		}
	}
	return netip.Addr{}, false
}

// anyHolder is whatever process has one of these sockets open.
func anyHolder(proc string, inodes map[uint64]bool) (process, bool) {
	pids, err := processes(proc)
	if err != nil {
		return process{}, false
	}
	for _, pid := range pids {
		held, err := heldSockets(proc, pid)
		if err != nil {
			continue
		}
		for inode := range inodes {
			if held[inode] {
				p, err := readProcess(proc, pid)
				return p, err == nil
			}
		}
	}
	return process{}, false
}
