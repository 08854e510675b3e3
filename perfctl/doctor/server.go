package doctor

import (
	"errors"
	"fmt"
	"strings"

	"opcost/collectors/probe/binary"
)

// server judges what a profile of the server will be able to tell.
func server(p binary.Process, err error) []Check {
	if err != nil {
		c := Check{Name: "process", State: Missing, Found: err.Error(), Cost: "nothing is known of its program, and perf may not attach"}
		if errors.Is(err, binary.ErrNotAllowed) {
			c.Remedy = fmt.Sprintf("sudo opcost doctor --pid %d", p.PID)
		}
		return []Check{c}
	}
	return []Check{process(p), symbols(p), framePointers(p), buildID(p), debugInformation(p), allocator(p), linkTime(p)}
}

func process(p binary.Process) Check {
	c := ok("process", fmt.Sprintf("%d (%s), user %d, %s, %s", p.PID, p.Name, p.UID, p.Path, p.Arch))
	switch {
	case p.Valgrind:
		c.State, c.Cost = Limited, "it runs under valgrind: what follows is about valgrind's program, not the server's"
	case p.Replaced:
		c.State, c.Cost, c.Remedy = Limited, "the program was replaced or deleted since it started: perf finds no symbols, or the wrong ones", "restart the server"
	case p.OwnRoot:
		c.Found += "; in a container or chroot of its own"
	}
	return c
}

func symbols(p binary.Process) Check {
	const name = "symbols"
	s := p.Symbols
	switch {
	case s.Table > 0:
		return ok(name, fmt.Sprintf("%d functions in .symtab", s.Table))
	case s.Separate:
		return ok(name, "of "+p.Debug.File)
	}
	c := Check{Name: name, State: Limited, Cost: "static functions have no names: their cost goes to the exported function before them, or to an address", Remedy: debugPackage(p)}
	switch {
	case s.Mini:
		c.Found = fmt.Sprintf("%d exported functions, the rest in .gnu_debugdata", s.Dynamic)
		c.Cost = "a perf built without liblzma names the exported functions only"
	case s.Dynamic > 0:
		c.Found = fmt.Sprintf("stripped; %d exported functions in .dynsym", s.Dynamic)
	default:
		c.State, c.Found, c.Cost = Missing, "stripped", "profiles show addresses only"
	}
	return c
}

// Shares of functions at which a program counts as built with or without.
const (
	keptFrom   = 0.80
	noneBelow  = 0.20
	keepFrames = "build with -fno-omit-frame-pointer"
)

func framePointers(p binary.Process) Check {
	const name = "frame pointers"
	f := p.FramePointers
	if f.Unknown != "" {
		return unknown(name, f.Unknown, "")
	}
	found := fmt.Sprintf("%.0f%% of %d functions that make a stack frame, by their first instructions", 100*f.Share, f.Frames)
	switch {
	case f.Share >= keptFrom:
		return ok(name, found+" (of the program itself, not its libraries)")
	case f.Share < noneBelow:
		return Check{Name: name, State: Missing, Found: found, Cost: "call graphs need --call-graph dwarf: some 50 times the data, and more load while recording", Remedy: keepFrames}
	}
	return Check{Name: name, State: Limited, Found: found, Cost: "call graphs by frame pointer skip the others' callers", Remedy: keepFrames}
}

func buildID(p binary.Process) Check {
	if p.BuildID == "" {
		return Check{Name: "build id", State: Missing, Found: "none", Cost: "a profile cannot prove which build it is of; debug files are found by name only",
			Remedy: "link with -Wl,--build-id"}
	}
	return ok("build id", p.BuildID)
}

func debugInformation(p binary.Process) Check {
	const name = "debug information"
	d := p.Debug
	switch {
	case d.Inside:
		return ok(name, "in the program")
	case d.File != "":
		return ok(name, d.File)
	}
	c := Check{Name: name, State: Missing, Found: "none in the program, and no separate file", Cost: "no source lines and no inlined functions in profiles", Remedy: debugPackage(p)}
	if len(d.Looked) > 0 {
		c.Found += " (looked for " + d.Looked[0] + ")"
	}
	if d.Unreadable != "" {
		c.Found = d.Unreadable
	}
	return c
}

// debugPackage is the command that installs the debug file of the package that
// owns the program; a program of no package is to be built otherwise.
func debugPackage(p binary.Process) string {
	if strings.HasPrefix(p.Path, "/usr/") && !strings.HasPrefix(p.Path, "/usr/local/") {
		switch p.Family {
		case "debian":
			return fmt.Sprintf("apt-get install $(dpkg -S %s | cut -d: -f1)-dbgsym # from the debug archive of the distribution or vendor", p.Path)
		case "fedora":
			return fmt.Sprintf("dnf debuginfo-install $(rpm -qf %s)", p.Path)
		case "suse":
			return fmt.Sprintf("zypper install $(rpm -qf --qf '%%{NAME}' %s)-debuginfo", p.Path)
		}
	}
	return "build with -g and do not strip, or keep the separate debug file"
}

// allocator is information: none is better in itself, but two that differ must
// not be compared unawares.
func allocator(p binary.Process) Check {
	if p.Malloc == "" {
		return unknown("allocator", "neither the program nor a loaded library is one that is known", "")
	}
	return ok("allocator", p.Malloc+" ("+p.MallocFrom+")")
}

func linkTime(p binary.Process) Check {
	const name = "LTO"
	switch p.LTO.Seen {
	case "yes":
		return Check{Name: name, State: Limited, Found: "yes: " + p.LTO.Evidence, Cost: "functions are merged and inlined across files: compare by function only with a build of the same kind"}
	case "no":
		return ok(name, "no: "+p.LTO.Evidence)
	}
	found := p.LTO.Evidence
	if len(p.Compilers) > 0 {
		found += " (made by " + strings.Join(p.Compilers, ", ") + ")"
	}
	return unknown(name, found, "")
}
