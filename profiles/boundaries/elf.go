package boundaries

import (
	"cmp"
	"debug/elf"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"slices"
)

const (
	// maxFrames bounds .eh_frame. That of a server is 1 to 5 MB, of a browser 30.
	maxFrames = 256 << 20
	maxNotes  = 1 << 20
)

// frames gives .eh_frame and its address. A file without a table of sections
// has it behind the header that the loader finds (PT_GNU_EH_FRAME).
func frames(f *elf.File) (data []byte, address uint64, err error) {
	if s := f.Section(".eh_frame"); s != nil {
		if s.Type == elf.SHT_NOBITS {
			return nil, 0, errors.New("a separate file of debug information, whose .eh_frame is in the program itself")
		}
		data, err := readAll(s.ReaderAt, s.FileSize)
		return data, s.Addr, err
	}
	for _, p := range f.Progs {
		if p.Type != elf.PT_GNU_EH_FRAME {
			continue
		}
		header, err := readAll(p.ReaderAt, min(p.Filesz, 16))
		if err != nil {
			return nil, 0, err
		}
		// version, three encodings, then where .eh_frame is by the first of them.
		if len(header) < 4 || header[0] != 1 {
			return nil, 0, errors.New("its .eh_frame_hdr is of a version that is not known")
		}
		b := &buffer{data: header, at: 4, address: p.Vaddr, order: f.ByteOrder, wide: f.Class == elf.ELFCLASS64}
		address := b.pointer(header[1])
		if b.failed {
			return nil, 0, errors.New("its .eh_frame_hdr cannot be understood")
		}
		for _, load := range f.Progs {
			if load.Type == elf.PT_LOAD && address >= load.Vaddr && address-load.Vaddr < load.Filesz {
				skip := address - load.Vaddr
				data, err := readAll(io.NewSectionReader(load.ReaderAt, int64(skip), int64(load.Filesz-skip)), load.Filesz-skip)
				return data, address, err
			}
		}
	}
	return nil, 0, errors.New("no .eh_frame: it was built without tables for unwinding (-fno-asynchronous-unwind-tables), or by Go")
}

// readAll reads what the file really holds, and allocates no more than that.
func readAll(r io.ReaderAt, size uint64) ([]byte, error) {
	if size > maxFrames {
		return nil, fmt.Errorf(".eh_frame of %d bytes; up to %d are read", size, maxFrames)
	}
	data, err := io.ReadAll(io.NewSectionReader(r, 0, int64(size)))
	if err != nil {
		return nil, fmt.Errorf("read .eh_frame: %w", err)
	}
	return data, nil
}

// buildID is the note of the linker that names this build.
func buildID(f *elf.File) string {
	for _, p := range f.Progs {
		if p.Type != elf.PT_NOTE || p.Filesz > maxNotes {
			continue
		}
		data, err := io.ReadAll(io.NewSectionReader(p.ReaderAt, 0, int64(p.Filesz)))
		if err != nil {
			continue
		}
		align := uint64(4)
		if p.Align == 8 {
			align = 8
		}
		for len(data) >= 12 {
			name, desc, kind := uint64(f.ByteOrder.Uint32(data)), uint64(f.ByteOrder.Uint32(data[4:])), f.ByteOrder.Uint32(data[8:])
			at := 12 + padded(name, align)
			if at+desc > uint64(len(data)) {
				break
			}
			if kind == 3 && name == 4 && desc <= 64 && string(data[12:16]) == "GNU\x00" { // NT_GNU_BUILD_ID
				return hex.EncodeToString(data[at : at+desc])
			}
			data = data[min(at+padded(desc, align), uint64(len(data))):]
		}
	}
	return ""
}

func padded(n, align uint64) uint64 { return (n + align - 1) / align * align }

type symbol struct {
	start, end uint64
	name       string
	rank       int
}

// symbols are the named functions, one an address, by address.
func symbols(f *elf.File) []symbol {
	var all []symbol
	for _, read := range []func() ([]elf.Symbol, error){f.Symbols, f.DynamicSymbols} {
		table, err := read()
		if err != nil {
			continue // stripped
		}
		for _, s := range table {
			kind := elf.ST_TYPE(s.Info)
			if (kind == elf.STT_FUNC || kind == elf.STT_GNU_IFUNC) && s.Section != elf.SHN_UNDEF && s.Size > 0 && s.Value+s.Size > s.Value && s.Name != "" {
				all = append(all, symbol{s.Value, s.Value + s.Size, s.Name, rank(elf.ST_BIND(s.Info))})
			}
		}
	}
	slices.SortFunc(all, func(a, b symbol) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.rank, b.rank), cmp.Compare(len(a.name), len(b.name)), cmp.Compare(a.name, b.name))
	})
	return slices.CompactFunc(all, func(a, b symbol) bool { return a.start == b.start })
}

// rank orders the names of one function: what other files call it is first.
func rank(bind elf.SymBind) int {
	switch bind {
	case elf.STB_GLOBAL:
		return 0
	case elf.STB_WEAK:
		return 1
	}
	return 2
}
