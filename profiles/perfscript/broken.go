package perfscript

import (
	"strings"

	"opcost/profiles"
)

// startNames are functions in which threads begin: programs' entries, glibc's
// and musl's, Go's, and the kernel's own threads and idle loops.
var startNames = map[string]bool{
	"_start": true, "__libc_start_main": true, "__libc_start_call_main": true, "generic_start_main": true,
	"_start_c": true, "__libc_start_main_impl": true, "__libc_start_main_stage2": true, "_dl_start": true, "_dl_start_user": true,
	"start_thread": true, "thread_start": true, "clone": true, "__clone": true, "clone3": true, "__clone3": true,
	"__GI___clone": true, "__clone_internal": true, "thread_entry": true, "start": true,
	"runtime.goexit": true, "runtime.goexit.abi0": true, "runtime.mstart": true, "runtime.mstart.abi0": true,
	"runtime.rt0_go": true, "runtime.rt0_go.abi0": true, "runtime.mcall": true, "runtime.systemstack": true,
	"runtime.mcall.abi0": true, "runtime.systemstack.abi0": true, "runtime.morestack": true, "runtime.morestack.abi0": true,
	"ret_from_fork": true, "ret_from_fork_asm": true, "ret_from_kernel_thread": true, "kthread": true, "kernel_thread": true,
	"cpu_startup_entry": true, "cpu_idle": true, "secondary_startup_64": true, "secondary_startup_64_no_verify": true,
	"start_secondary": true, "start_kernel": true, "x86_64_start_kernel": true, "x86_64_start_reservations": true,
	"rest_init": true, "secondary_start_kernel": true, "__secondary_switched": true,
}

// markBroken counts the samples whose stack, the leaf first, ends where no
// thread starts: behind the kernel's or a program's function that has a name
// and is no thread's start, or at an address that is of no file. None of the
// last three frames may be a start: perf may put a frame or two of what it read
// behind it. Where the last function has no name, it depends on whose it is: in
// the C library, below the program's code, it counts as a start; in any other
// file of a program that has a C library it is no start; in the kernel, or in
// a program linked statically, nobody can tell, and the stack counts as whole.
func markBroken(p *profiles.Profile) {
	dynamic := false
	for _, f := range p.Frames {
		dynamic = dynamic || cLibrary(f.Object)
	}
	for _, s := range p.Stacks {
		if len(s.Frames) > 0 && broken(p, s, dynamic) {
			p.Problems.Broken += s.Samples
		}
	}
}

func broken(p *profiles.Profile, s profiles.Stack, dynamic bool) bool {
	n := len(s.Frames)
	for i := n - 1; i >= max(0, n-3); i-- {
		name, _, _ := strings.Cut(p.Frames[s.Frames[i]].Function, "@")
		if startNames[name] {
			return false
		}
	}
	root := p.Frames[s.Frames[n-1]]
	switch {
	case root.Named(), root.Object == "":
		return true
	case root.Space != profiles.User:
		return false
	case !cLibrary(root.Object):
		return dynamic
	}
	for _, f := range s.Frames {
		if f := p.Frames[f]; f.Space == profiles.User && f.Object != "" && !cLibrary(f.Object) {
			return false
		}
	}
	return true
}

// cLibrary tells the objects in which threads begin.
func cLibrary(object string) bool {
	base := object[strings.LastIndexByte(object, '/')+1:]
	for _, p := range []string{"libc.so", "libc-", "libpthread", "ld-musl", "ld-linux", "ld-2."} {
		if strings.HasPrefix(base, p) {
			return true
		}
	}
	return false
}
