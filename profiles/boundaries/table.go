package boundaries

import (
	"cmp"
	"debug/elf"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// Table is the functions of one ELF file. Addresses are the file's own, as
// readelf and objdump print them.
type Table struct {
	BuildID string // hex; "" where the file has none
	Skipped int    // entries of .eh_frame that could not be understood

	functions []span    // by start, without overlap
	segments  []segment // what is loaded, executable ones first
	symbols   []symbol  // of functions, by start
}

type span struct{ start, end uint64 }

type segment struct{ offset, address, size uint64 }

// Of reads the file at path.
func Of(path string) (*Table, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	t, err := Read(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return t, nil
}

// Read reads an ELF file. It is an error if it has no table of functions; an
// entry of that which cannot be understood is counted in Skipped.
func Read(r io.ReaderAt) (*Table, error) {
	f, err := elf.NewFile(r)
	if err != nil {
		return nil, fmt.Errorf("not an ELF file, or a damaged one: %w", err)
	}
	if f.Type != elf.ET_EXEC && f.Type != elf.ET_DYN {
		return nil, fmt.Errorf("%v, neither a program nor a shared library", f.Type)
	}
	t := &Table{BuildID: buildID(f), symbols: symbols(f)}
	for _, code := range []bool{true, false} { // a position in two segments is one of code
		for _, p := range f.Progs {
			if p.Type == elf.PT_LOAD && (p.Flags&elf.PF_X != 0) == code {
				t.segments = append(t.segments, segment{offset: p.Off, address: p.Vaddr, size: p.Filesz})
			}
		}
	}
	data, address, err := frames(f)
	if err != nil {
		return nil, err
	}
	var spans []span
	spans, t.Skipped = parseFrames(data, address, f.ByteOrder, f.Class == elf.ELFCLASS64)
	if t.functions = tidy(spans); len(t.functions) == 0 {
		return nil, errors.New(".eh_frame names no function")
	}
	return t, nil
}

// tidy sorts spans, keeps the longest of those that begin together, and ends
// one where the next begins.
func tidy(spans []span) []span {
	slices.SortFunc(spans, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end))
	})
	spans = slices.CompactFunc(spans, func(a, b span) bool { return a.start == b.start })
	for i := 0; i+1 < len(spans); i++ {
		spans[i].end = min(spans[i].end, spans[i+1].start)
	}
	return spans
}

// Find gives the function that an address is in: its beginning, and its end,
// which is no longer of it.
func (t *Table) Find(address uint64) (start, end uint64, ok bool) {
	i, found := slices.BinarySearchFunc(t.functions, address, func(s span, a uint64) int { return cmp.Compare(s.start, a) })
	if !found {
		i--
	}
	if i < 0 || address >= t.functions[i].end {
		return 0, 0, false
	}
	return t.functions[i].start, t.functions[i].end, true
}

// Len is the number of functions.
func (t *Table) Len() int { return len(t.functions) }

// Address is where a position in the file is when it is loaded at the file's own
// addresses.
func (t *Table) Address(offset uint64) (uint64, bool) {
	for _, s := range t.segments {
		if offset >= s.offset && offset-s.offset < s.size {
			return s.address + (offset - s.offset), true
		}
	}
	return 0, false
}

// Name is the exported function, or the one of an unstripped file, that an
// address is in; "" where there is none.
func (t *Table) Name(address uint64) string {
	i, found := slices.BinarySearchFunc(t.symbols, address, func(s symbol, a uint64) int { return cmp.Compare(s.start, a) })
	if !found {
		i--
	}
	if i < 0 || address >= t.symbols[i].end {
		return ""
	}
	return t.symbols[i].name
}
