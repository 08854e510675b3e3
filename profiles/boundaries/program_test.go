package boundaries

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"strings"
	"testing"
)

// program is a small ELF file by hand: a build id, code at 0x1100 to 0x1200
// that lies at 0x100 in the file, and .eh_frame found by .eh_frame_hdr alone.
func program() []byte {
	const (
		notes  = 64 + 4*56
		header = notes + 24
		list0  = header + 16
		base   = 0x1000
	)
	var l list
	at := l.entry(cie(1, "zR", 1, 0x78, 16, 1, 0x1b)...)
	for _, s := range []span{{0x1100, 0x1140}, {0x1140, 0x1200}} {
		here := base + list0 + uint64(len(l.b)) + 8
		l.fde(at, append(le(4, s.start-here), le(4, s.end-s.start)...)...)
	}
	l.entry()
	size := uint64(list0 + len(l.b))
	var b bytes.Buffer
	put := func(v any) { _ = binary.Write(&b, binary.LittleEndian, v) } // to memory: cannot fail
	h := elf.Header64{Type: uint16(elf.ET_DYN), Machine: uint16(elf.EM_X86_64), Version: 1, Phoff: 64, Ehsize: 64, Phentsize: 56, Phnum: 4}
	copy(h.Ident[:], "\x7fELF\x02\x01\x01")
	put(h)
	put(elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_R), Vaddr: base, Filesz: size, Memsz: size})
	put(elf.Prog64{Type: uint32(elf.PT_LOAD), Flags: uint32(elf.PF_X), Off: 0x100, Vaddr: 0x1100, Filesz: 0x100, Memsz: 0x100})
	put(elf.Prog64{Type: uint32(elf.PT_NOTE), Off: notes, Filesz: 24, Align: 4})
	put(elf.Prog64{Type: uint32(elf.PT_GNU_EH_FRAME), Off: header, Vaddr: base + header, Filesz: 16})
	put([]uint32{4, 8, 3})
	put([]byte("GNU\x00\x01\x02\x03\x04\x05\x06\x07\x08"))
	put([]byte{1, 0x1b, 0x03, 0x3b})
	put(uint32(16 - 4)) // .eh_frame, relative to this number
	put([]uint32{0, 0})
	b.Write(l.b)
	b.Write(make([]byte, 256))
	return b.Bytes()
}

func TestProgram(t *testing.T) {
	table, err := Read(bytes.NewReader(program()))
	if err != nil {
		t.Fatal(err)
	}
	if table.BuildID != "0102030405060708" || table.Len() != 2 || table.Skipped != 0 {
		t.Errorf("%+v", table)
	}
	if start, end, ok := table.Find(0x1150); !ok || start != 0x1140 || end != 0x1200 {
		t.Errorf("%#x to %#x, %v", start, end, ok)
	}
	if a, ok := table.Address(0x150); !ok || a != 0x1150 {
		t.Errorf("%#x, %v", a, ok)
	}
	broken := program()
	broken[16] = byte(elf.ET_REL)
	if _, err := Read(bytes.NewReader(broken)); err == nil || !strings.Contains(err.Error(), "neither a program nor a shared library") {
		t.Error(err)
	}
}
