package binary

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"slices"
)

// framePointers looks at the first instructions of every function that symbols
// or the unwind table name. Parts of functions that the compiler has moved
// away are in that table too; they make no frame, so they do not count.
func framePointers(f *elf.File, named []elf.Symbol) FramePointers {
	look := prologues[f.Machine]
	if look == nil {
		return FramePointers{Unknown: fmt.Sprintf("the first instructions of functions are not known for %s", arch(f.Machine))}
	}
	code, at, ok := text(f)
	if !ok {
		return FramePointers{Unknown: "the file holds no code in .text"}
	}
	entries := unwindEntries(f)
	for _, s := range named {
		entries = append(entries, s.Value)
	}
	end := at + uint64(len(code))
	entries = slices.DeleteFunc(entries, func(e uint64) bool { return e < at || e >= end })
	slices.Sort(entries)
	entries = slices.Compact(entries)
	var p FramePointers
	for i, e := range entries {
		next := end
		if i+1 < len(entries) {
			next = entries[i+1]
		}
		p.Functions++
		frame, pointer := look(code[e-at : next-at]) // no further: a short function is not the next one
		if frame {
			p.Frames++
		}
		if pointer {
			p.WithPointer++
		}
	}
	if p.Frames == 0 {
		p.Unknown = fmt.Sprintf("none of the %d functions that symbols and the unwind table name begins by making a stack frame", p.Functions)
		return p
	}
	p.Share = float64(p.WithPointer) / float64(p.Frames)
	return p
}

func text(f *elf.File) (code []byte, at uint64, ok bool) {
	s := f.Section(".text")
	if s == nil || s.Type != elf.SHT_PROGBITS {
		return nil, 0, false
	}
	b, err := s.Data()
	return b, s.Addr, err == nil && len(b) > 0
}

// prologues judge the code at a function's entry: does it make a stack frame,
// and does it keep the chain of frame pointers while doing so?
var prologues = map[elf.Machine]func(code []byte) (frame, pointer bool){
	elf.EM_X86_64:  prologueAMD64,
	elf.EM_AARCH64: prologueARM64,
}

// prologueAMD64: encodings of the Intel manual, volume 2. Compilers put
// instructions between push %rbp and mov %rsp,%rbp, and a test for an early
// return in front of both.
func prologueAMD64(code []byte) (frame, pointer bool) {
	code = bytes.TrimPrefix(code[:min(len(code), 48)], []byte{0xf3, 0x0f, 0x1e, 0xfa}) // endbr64
	if len(code) < 4 {
		return false, false
	}
	for _, move := range [][]byte{{0x48, 0x89, 0xe5}, {0x48, 0x8b, 0xec}} { // mov %rsp,%rbp, either way
		if before, _, found := bytes.Cut(code, move); found && bytes.IndexByte(before, 0x55) >= 0 { // push %rbp
			return true, true
		}
	}
	switch {
	case code[0]&0xf8 == 0x50, // push of rax ... rdi
		code[0] == 0x41 && code[1]&0xf8 == 0x50,                                    // of r8 ... r15
		code[0] == 0x48 && (code[1] == 0x83 || code[1] == 0x81) && code[2] == 0xec: // sub $n,%rsp
		return true, false
	}
	return false, false
}

// prologueARM64: encodings of the Arm manual, C6.2. A frame is made where the
// return address (x30) is stored; leaf functions have none.
func prologueARM64(code []byte) (frame, pointer bool) {
	const sp, x29, x30 = 31, 29, 30
	pair := false
	for i := 0; i+4 <= min(len(code), 64); i += 4 {
		w := binary.LittleEndian.Uint32(code[i:])
		rt, rn, rt2 := w&31, w>>5&31, w>>10&31
		switch {
		case w&0xfe400000 == 0xa8000000 && rn == sp && (rt == x30 || rt2 == x30): // stp of two registers
			frame = true
			pair = pair || rt == x29 && rt2 == x30
		case w&0xffc00000 == 0xf9000000 && rn == sp && rt == x30, // str x30,[sp,#n]
			w&0xffe00c00 == 0xf8000c00 && rn == sp && rt == x30: // str x30,[sp,#-n]!
			frame = true
		case w == 0x910003fd, // mov x29,sp
			w&0xffc003ff == 0x910003fd && pair: // add x29,sp,#n
			return frame, pair
		case w == 0xd65f03c0: // ret
			return frame, false
		}
	}
	return frame, false
}
