package binary

import (
	"fmt"
	"slices"
	"strings"
)

// About is how the program was made, in words that compare from build to build,
// by arch, compiler, flags, lto, pgo, frame_pointers, symbols, debug. What the
// file does not tell begins with "unknown". The allocator is in it as far as the
// program alone decides it; see [Malloc] for a process.
func (f Facts) About() map[string]string {
	m := map[string]string{
		"arch": f.Arch, "compiler": strings.Join(f.Compilers, ", "), "flags": strings.Join(f.Flags, " "), "lto": f.LTO.Seen,
		"debug": "none", "symbols": "only those for plugins",
	}
	m["allocator"], _ = f.AllocatorOf()
	if m["compiler"] == "" {
		m["compiler"] = "unknown: the file has no .comment, or it was stripped"
	}
	if m["flags"] == "" {
		m["flags"] = "unknown: the file has no debug information of GCC and no recorded command line"
	}
	if m["lto"] == "" {
		m["lto"] = "unknown: " + f.LTO.Evidence
	}
	if m["allocator"] == "" {
		m["allocator"] = "unknown: the program names no library of one"
	}
	m["pgo"] = f.pgo()
	switch p := f.FramePointers; {
	case p.Unknown != "":
		m["frame_pointers"] = "unknown: " + p.Unknown
	case p.Share >= 0.9: // functions written in assembly have none
		m["frame_pointers"] = "yes"
	case p.Share <= 0.1:
		m["frame_pointers"] = "no"
	default:
		m["frame_pointers"] = fmt.Sprintf("in %.0f%% of functions", 100*p.Share)
	}
	if f.Symbols.Table > 0 {
		m["symbols"] = "all"
	}
	if f.Debug.Inside {
		m["debug"] = "inside"
	}
	return m
}

// pgo is optimisation by a profile: the compiler's options alone tell. That
// parts of functions lie apart (.cold) does not, since GCC does that without one
// too.
func (f Facts) pgo() string {
	uses := func(w string) bool {
		return strings.HasPrefix(w, "-fprofile-use") || strings.HasPrefix(w, "-fauto-profile") || strings.HasPrefix(w, "-fprofile-instr-use") || strings.HasPrefix(w, "-fprofile-sample-use")
	}
	switch {
	case slices.ContainsFunc(f.Flags, uses):
		return "yes"
	case len(f.Flags) > 0:
		return "no"
	}
	return "unknown: only the compiler's options would tell"
}

// Malloc is what serves a process's memory, by the libraries that it has loaded
// (LD_PRELOAD counted in), and how that is known; "" is unknown. An allocator
// that is linked into the program itself shows in [Facts] only.
func Malloc(pid int) (name, evidence string) {
	p := Process{PID: pid}
	p.loaded("/proc")
	return p.Malloc, p.MallocFrom
}
