package binary

import (
	"debug/elf"
	"path"
	"slices"
	"strings"
)

// allocators by the shared library's name, and by a function that each alone
// defines, for one that is linked into the program. Names that a build's prefix
// changes (je_) are given both ways.
var allocators = []struct {
	name, library string
	functions     []string
}{
	{"jemalloc", "libjemalloc", []string{"mallctl", "je_mallctl"}},
	{"tcmalloc", "libtcmalloc", []string{"tc_malloc", "TCMallocInternalMalloc"}},
	{"mimalloc", "libmimalloc", []string{"mi_malloc"}},
}

// allocatorAmong finds an allocator that is linked into the program.
func allocatorAmong(defined []elf.Symbol) string {
	for _, a := range allocators {
		if slices.ContainsFunc(defined, func(s elf.Symbol) bool { return slices.Contains(a.functions, s.Name) }) {
			return a.name
		}
	}
	return ""
}

// libcs by the file's name: what serves malloc when nothing replaces it.
var libcs = []struct{ prefix, name string }{
	{"libc.so.", "glibc"}, {"libc-2.", "glibc"}, {"ld-musl-", "musl"}, {"libc.musl-", "musl"},
}

// libraryAllocator finds the allocator among loaded or needed libraries, given
// by path or name. The library that it was known by is given too; "" is unknown.
func libraryAllocator(libraries []string) (name, library string) {
	for _, a := range allocators {
		for _, l := range libraries {
			if strings.HasPrefix(path.Base(l), a.library) {
				return a.name, l
			}
		}
	}
	for _, c := range libcs {
		for _, l := range libraries {
			if strings.HasPrefix(path.Base(l), c.prefix) {
				return c.name, l
			}
		}
	}
	return "", ""
}

// AllocatorOf is the allocator that a program gets when it is started without
// LD_PRELOAD, and how that is known; "" is unknown.
func (f Facts) AllocatorOf() (name, evidence string) {
	if f.Allocator != "" {
		return f.Allocator, "linked into the program"
	}
	if name, library := libraryAllocator(f.Needed); name != "" {
		return name, "needs " + library
	}
	return "", ""
}
