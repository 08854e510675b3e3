package perfscript

import (
	"strings"

	"opcost/profiles"
)

// Both x86-64 and arm64 give the kernel the addresses from here up, but for the
// last page, where error values and -1 lie that a broken stack holds.
const (
	kernelFrom = 0xffff_0000_0000_0000
	kernelTo   = 0xffff_ffff_ffff_f000
	userTo     = 0x0001_0000_0000_0000
)

func inKernelHalf(addr uint64) bool { return addr >= kernelFrom && addr < kernelTo }

// spaceOf tells the kernel's code by its object; where there is none, by the
// address. Of an object that perf knows, the address may be relative.
func spaceOf(object string, addr uint64) profiles.Space {
	switch {
	case object == "":
		switch {
		case inKernelHalf(addr):
			return profiles.Kernel
		case addr < userTo:
			return profiles.User
		}
		return profiles.UnknownSpace
	case kernelObject(object):
		return profiles.Kernel
	case userObject(object):
		return profiles.User
	case inKernelHalf(addr): // BPF programs, each an object of its own name
		return profiles.Kernel
	}
	return profiles.User
}

// userObject tells the names in brackets that perf gives a process's memory.
func userObject(o string) bool {
	for _, p := range []string{"[vdso", "[vsyscall", "[heap", "[stack", "[anon", "[uprobes", "[vvar", "//anon", "[jit]"} {
		if strings.HasPrefix(o, p) {
			return true
		}
	}
	return false
}

// kernelObject tells the kernel's image, its modules ([nf_conntrack] or their
// file) and what it makes itself ([bpf], [guest.kernel.kallsyms]).
func kernelObject(o string) bool {
	if strings.HasPrefix(o, "[") {
		return !userObject(o)
	}
	base := o[strings.LastIndexByte(o, '/')+1:]
	if base == "vmlinux" || strings.HasPrefix(base, "vmlinux-") || strings.HasPrefix(base, "vmlinux.") {
		return true
	}
	for _, z := range []string{".xz", ".gz", ".zst"} {
		base = strings.TrimSuffix(base, z)
	}
	return strings.HasSuffix(base, ".ko") || strings.HasPrefix(base, "bpf_prog_") || strings.HasPrefix(base, "bpf_trampoline_")
}
