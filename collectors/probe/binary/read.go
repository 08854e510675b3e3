package binary

import (
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Binary reads a program file of this machine.
func Binary(path string) (Facts, error) {
	return read(path, path, "/", "/")
}

// read reads the program in file, which is called path by the process. Files
// beside it are looked for below the roots: the process's own, and ours, where
// perf runs.
func read(file, path string, roots ...string) (Facts, error) {
	f, err := elf.Open(file)
	if err != nil {
		return Facts{}, fmt.Errorf("%s is no program that can be read: %w", path, cause(err))
	}
	defer f.Close()
	facts := Facts{
		Path:      path,
		Arch:      arch(f.Machine),
		BuildID:   buildID(f),
		Compilers: comments(f),
		Family:    family(roots[0]),
	}
	if libs, err := f.ImportedLibraries(); err == nil {
		facts.Needed = libs
	}
	table, dynamic := functions(f.Symbols), functions(f.DynamicSymbols)
	facts.Symbols = Symbols{Table: len(table), Dynamic: len(dynamic), Mini: f.Section(".gnu_debugdata") != nil}
	facts.Debug.Inside = f.Section(".debug_info") != nil

	separate := facts.Debug.find(f, facts.BuildID, path, roots)
	if separate != nil {
		defer separate.Close()
		if extra := functions(separate.Symbols); len(extra) > 0 {
			facts.Symbols.Separate = true
			if len(extra) > len(table) {
				table = extra
			}
		}
	}
	named := table
	if len(named) == 0 {
		named = dynamic
	}
	facts.FramePointers = framePointers(f, named)
	facts.LTO = lto(f, separate, table)
	facts.Flags = flags(f, separate)
	facts.Allocator = allocatorAmong(append(slices.Clone(table), dynamic...))
	return facts, nil
}

// cause is what was wrong, without the file's name.
func cause(err error) error {
	if p, ok := errors.AsType[*os.PathError](err); ok {
		return p.Err
	}
	return err
}

func arch(m elf.Machine) string {
	switch m {
	case elf.EM_X86_64:
		return "amd64"
	case elf.EM_AARCH64:
		return "arm64"
	}
	return m.String()
}

// functions are the defined functions of a symbol table; a file without one has
// none.
func functions(read func() ([]elf.Symbol, error)) []elf.Symbol {
	all, err := read()
	if err != nil {
		return nil
	}
	return slices.DeleteFunc(all, func(s elf.Symbol) bool {
		return elf.ST_TYPE(s.Info) != elf.STT_FUNC || s.Section == elf.SHN_UNDEF || s.Value == 0
	})
}

// buildID reads the note that the linker makes: sizes of name and description,
// type 3, "GNU\0", the id.
func buildID(f *elf.File) string {
	s := f.Section(".note.gnu.build-id")
	if s == nil {
		return ""
	}
	b, err := s.Data()
	if err != nil || len(b) < 16 {
		return ""
	}
	name, size := uint64(f.ByteOrder.Uint32(b)), uint64(f.ByteOrder.Uint32(b[4:]))
	from := 12 + (name+3)/4*4
	if f.ByteOrder.Uint32(b[8:]) != 3 || from+size > uint64(len(b)) {
		return ""
	}
	return hex.EncodeToString(b[from : from+size])
}

// comments are the compilers in .comment, which strip may have taken away.
func comments(f *elf.File) []string {
	s := f.Section(".comment")
	if s == nil {
		return nil
	}
	b, err := s.Data()
	if err != nil {
		return nil
	}
	var names []string
	for name := range strings.SplitSeq(string(b), "\x00") {
		if name = strings.TrimSpace(name); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// family is the distribution's, by its os-release(5).
func family(root string) string {
	b, err := os.ReadFile(root + "/etc/os-release")
	if err != nil {
		return ""
	}
	var ids []string
	for line := range strings.Lines(string(b)) {
		k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
		if k == "ID" || k == "ID_LIKE" {
			ids = append(ids, strings.Fields(strings.Trim(v, `"'`))...)
		}
	}
	for _, f := range []struct{ word, name string }{
		{"debian", "debian"}, {"ubuntu", "debian"}, {"fedora", "fedora"}, {"rhel", "fedora"}, {"centos", "fedora"},
		{"suse", "suse"}, {"opensuse", "suse"},
	} {
		if slices.Contains(ids, f.word) {
			return f.name
		}
	}
	return ""
}
