package probe

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// capabilities that decide about measuring; numbers of linux/capability.h.
var capabilities = []struct {
	bit  int
	name string
}{
	{unix.CAP_SYS_ADMIN, "CAP_SYS_ADMIN"}, {unix.CAP_PERFMON, "CAP_PERFMON"}, {unix.CAP_BPF, "CAP_BPF"},
	{unix.CAP_SYS_PTRACE, "CAP_SYS_PTRACE"}, {unix.CAP_SYSLOG, "CAP_SYSLOG"},
}

// ourStatus reads our own seccomp mode and capabilities.
func (a asker) ourStatus() (seccomp Fact[int], caps Fact[[]string]) {
	const file = "proc/self/status"
	t := a.text(file)
	if !t.Known {
		return unknown[int](t.Reason), unknown[[]string](t.Reason)
	}
	seccomp = unknown[int]("/" + file + " does not say; the kernel was made without seccomp")
	caps = unknown[[]string]("/" + file + " does not say")
	for line := range strings.Lines(t.Value) {
		key, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch key {
		case "Seccomp":
			if n, err := strconv.Atoi(value); err == nil {
				seccomp = known(n)
			}
		case "CapEff":
			if set, err := strconv.ParseUint(value, 16, 64); err == nil {
				caps = known(namesOf(set))
			}
		}
	}
	return seccomp, caps
}

func namesOf(set uint64) []string {
	names := []string{}
	for _, c := range capabilities {
		if has(set, c.bit) {
			names = append(names, c.name)
		}
	}
	return names
}

func (a asker) ptraceScope() Fact[int] {
	n := a.number("proc/sys/kernel/yama/ptrace_scope")
	if _, err := os.Stat(filepath.Join(a.root, "proc/sys/kernel/yama")); n.Known || !os.IsNotExist(err) {
		return n
	}
	if _, err := os.Stat(filepath.Join(a.root, "proc/sys/kernel")); err != nil {
		return n // nothing of the kernel's settings is to be seen here
	}
	return Fact[int]{Known: true, Reason: "the kernel has no Yama"}
}

// kernelSymbols looks for an address that is not 0: to whom they are hidden,
// all are. The first few hundred can truly be 0 (per-CPU variables of x86-64).
func (a asker) kernelSymbols() Fact[bool] {
	const file = "proc/kallsyms"
	f, err := os.Open(filepath.Join(a.root, file))
	if err != nil {
		return unknown[bool](cannotRead(file, err))
	}
	defer f.Close()
	lines := bufio.NewScanner(io.LimitReader(f, 256<<10))
	seen := false
	for lines.Scan() {
		address, _, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			continue
		}
		if seen = true; strings.Trim(address, "0") != "" {
			return known(true)
		}
	}
	if err := lines.Err(); err != nil {
		return unknown[bool](cannotRead(file, err))
	}
	if !seen {
		return unknown[bool]("/" + file + " is empty")
	}
	return known(false)
}

// tracefs: the id of one tracepoint is what perf reads first.
func (a asker) tracefs() Ability {
	const mount = "mount -t tracefs tracefs /sys/kernel/tracing"
	group, event, _ := strings.Cut(SyscallEvent, ":")
	var last error
	for _, dir := range []string{"sys/kernel/tracing", "sys/kernel/debug/tracing"} {
		_, err := os.ReadFile(filepath.Join(a.root, dir, "events", group, event, "id"))
		if err == nil {
			return yes()
		}
		if last == nil || os.IsPermission(err) {
			last = err
		}
	}
	switch {
	case os.IsPermission(last):
		return no("tracepoints may be read by root only", "run as root, or: mount -o remount,mode=755 /sys/kernel/tracing")
	case os.IsNotExist(last):
		return no("tracefs is not mounted, or the kernel has no tracepoints of system calls", mount)
	}
	return no(fmt.Sprintf("tracepoints cannot be read: %v", last), mount)
}

func (a asker) btf() Ability {
	const file = "sys/kernel/btf/vmlinux"
	f, err := os.Open(filepath.Join(a.root, file))
	if err != nil {
		return no(cannotRead(file, err), "a kernel with CONFIG_DEBUG_INFO_BTF=y, as most distributions' is")
	}
	f.Close()
	return yes()
}
