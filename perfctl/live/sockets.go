package live

import (
	"bufio"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"io"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// listener is a socket that waits for connections: a unix one with its path as
// its process gave it, or a TCP one with its address.
type listener struct {
	inode uint64
	path  string
	addr  netip.AddrPort
	uid   uint64 // TCP only
}

// listeners reads what listens in a network namespace. dir is a folder as
// /proc/net or /proc/PID/net.
func listeners(dir string) (unix, tcp []listener) {
	if f, err := os.Open(filepath.Join(dir, "unix")); err == nil {
		unix = parseUnix(f)
		_ = f.Close()
	}
	for _, name := range []string{"tcp", "tcp6"} {
		if f, err := os.Open(filepath.Join(dir, name)); err == nil {
			tcp = append(tcp, parseTCP(f)...)
			_ = f.Close()
		}
	}
	return unix, tcp
}

// parseUnix reads /proc/net/unix. Any user may bind a path with spaces or line
// ends in it, so lines that do not fit are passed over.
func parseUnix(r io.Reader) []listener {
	const accepts = 1 << 16 // SO_ACCEPTCON of the kernel's include/uapi/linux/net.h
	var found []listener
	for s := bufio.NewScanner(r); s.Scan(); {
		// Num RefCount Protocol Flags Type St Inode Path
		fields := strings.Fields(s.Text())
		if len(fields) < 8 || fields[4] != "0001" {
			continue
		}
		flags, err := strconv.ParseUint(fields[3], 16, 64)
		if err != nil || flags&accepts == 0 {
			continue
		}
		inode, err := strconv.ParseUint(fields[6], 10, 64)
		if err != nil {
			continue
		}
		_, path, _ := strings.Cut(s.Text(), " "+fields[6]+" ")
		found = append(found, listener{inode: inode, path: path})
	}
	return found
}

// parseTCP reads /proc/net/tcp or tcp6 (man proc_net.5).
func parseTCP(r io.Reader) []listener {
	const listens = "0A"
	var found []listener
	for s := bufio.NewScanner(r); s.Scan(); {
		// sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode
		fields := strings.Fields(s.Text())
		if len(fields) < 10 || fields[3] != listens {
			continue
		}
		addr, err := parseHexAddr(fields[1])
		if err != nil {
			continue
		}
		uid, err1 := strconv.ParseUint(fields[7], 10, 32)
		inode, err2 := strconv.ParseUint(fields[9], 10, 64)
		if err1 == nil && err2 == nil {
			found = append(found, listener{inode: inode, addr: addr, uid: uid})
		}
	}
	return found
}

// parseHexAddr reads 0100007F:0CEA: the address as words of the machine's byte
// order, each of four bytes, and the port as a number.
func parseHexAddr(text string) (netip.AddrPort, error) {
	host, port, _ := strings.Cut(text, ":")
	raw, err := hex.DecodeString(host)
	if err != nil || len(raw)%4 != 0 {
		return netip.AddrPort{}, fmt.Errorf("no socket address: %q", text)
	}
	for i := 0; i < len(raw); i += 4 {
		binary.NativeEndian.PutUint32(raw[i:], binary.BigEndian.Uint32(raw[i:]))
	}
	number, err := strconv.ParseUint(port, 16, 16)
	if err != nil {
		return netip.AddrPort{}, err
	}
	addr, ok := netip.AddrFromSlice(raw)
	if !ok {
		return netip.AddrPort{}, fmt.Errorf("no socket address: %q", text)
	}
	return netip.AddrPortFrom(addr.Unmap(), uint16(number)), nil
}

// heldSockets gives the inodes of a process's open sockets. It fails for
// another user's process.
func heldSockets(proc string, pid int) (map[uint64]bool, error) {
	dir := pidPath(proc, pid, "fd")
	d, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	held := map[uint64]bool{}
	for _, name := range names {
		target, err := os.Readlink(filepath.Join(dir, name))
		if err != nil {
			continue // closed meanwhile
		}
		number, is := strings.CutPrefix(target, "socket:[")
		if !is {
			continue
		}
		if inode, err := strconv.ParseUint(strings.TrimSuffix(number, "]"), 10, 64); err == nil {
			held[inode] = true
		}
	}
	return held, nil
}
