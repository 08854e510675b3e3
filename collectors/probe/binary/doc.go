// Package binary finds out what a server's program file lets be measured:
// symbols, frame pointers, debug information, build id, allocator, link-time
// optimisation. It reads files only: it starts nothing, attaches to nothing
// and sends no signal.
package binary

// Facts are what a program file tells.
type Facts struct {
	Path string // as the process sees it
	Arch string // amd64, arm64; else as debug/elf names it
	// BuildID is the GNU build id in hexadecimal; "" when there is none.
	BuildID       string
	Symbols       Symbols
	Debug         Debug
	FramePointers FramePointers
	LTO           LTO
	// Compilers are those that made it, as the file names them; often empty.
	Compilers []string
	// Flags are the compiler's options that bear on speed; often empty.
	Flags []string
	// Needed are the shared libraries it is linked against.
	Needed []string
	// Allocator that is linked into the program itself; "" when none is seen.
	Allocator string
	// Family is the distribution's: debian, fedora, suse, or "" when unknown.
	Family string
}

// Symbols counts named functions of the program itself.
type Symbols struct {
	Table   int // in .symtab, which strip takes away
	Dynamic int // in .dynsym: those that plugins may use
	// Mini: .gnu_debugdata holds the names of the rest, as Fedora does it.
	Mini bool
	// Separate: the file in Debug.File has a .symtab.
	Separate bool
}

// Debug is where lines and inlined functions can be read.
type Debug struct {
	Inside bool   // the program holds .debug_info
	File   string // a separate file that is there and belongs to the program
	// Looked are the places where a separate file was looked for in vain.
	Looked []string
	// Unreadable says why a separate file that is there is of no use.
	Unreadable string
}

// FramePointers is how many functions keep the chain of frame pointers, by
// their first instructions.
type FramePointers struct {
	// Share is WithPointer/Frames; it means nothing when Frames is 0.
	Share       float64
	Frames      int    // functions that begin by making a stack frame
	WithPointer int    // of these, with push %rbp; mov %rsp,%rbp, or stp x29,x30 and x29 set
	Functions   int    // looked at
	Unknown     string // why there is no share; "" when there is
}

// LTO is whether link-time optimisation made the program; Seen "" is unknown.
type LTO struct {
	Seen     string // yes, no, or ""
	Evidence string // what was looked at
}
