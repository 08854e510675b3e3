package boundaries

import (
	"bytes"
	"encoding/binary"
)

// The encodings of pointers (Linux Standard Base, "DWARF Extensions").
const (
	formatMask  = 0x0f
	pointerSize = 0x00
	uleb128     = 0x01
	udata2      = 0x02
	udata4      = 0x03
	udata8      = 0x04
	sleb128     = 0x09
	sdata2      = 0x0a
	sdata4      = 0x0b
	sdata8      = 0x0c

	relativeMask = 0x70
	absolute     = 0x00
	toItself     = 0x10 // relative to where the pointer is

	indirect = 0x80
	omitted  = 0xff
)

// parseFrames reads .eh_frame, which lies at address: a list of CIEs, which say
// how pointers are written, and of FDEs, one a function, each with its CIE. What
// cannot be understood is skipped and counted.
func parseFrames(data []byte, address uint64, order binary.ByteOrder, wide bool) (spans []span, skipped int) {
	encodings := map[uint64]byte{} // of each CIE, by its position
	b := &buffer{data: data, address: address, order: order, wide: wide}
	for b.at+4 <= uint64(len(data)) {
		begin := b.at
		size := uint64(b.uint(4))
		if size == 0 {
			continue // an end, but linkers join lists that each have one
		}
		if size == 0xffffffff {
			size = b.uint(8)
		}
		body := b.at
		if b.failed || size < 4 || size > uint64(len(data))-body {
			return spans, skipped + 1 // nothing can be found behind it
		}
		e := &buffer{data: data[:body+size], at: body, address: address, order: order, wide: wide}
		b.at = body + size
		id := e.uint(4)
		if id == 0 {
			if encoding, ok := e.cie(); ok {
				encodings[begin] = encoding
			} else {
				skipped++
			}
			continue
		}
		encoding, ok := encodings[body-id]
		if id > body || !ok {
			skipped++
			continue
		}
		start := e.pointer(encoding)
		length := e.pointer(encoding & formatMask)
		switch {
		case e.failed || start+length < start:
			skipped++
		case start == 0 || length == 0: // of a function that the linker has dropped
		default:
			spans = append(spans, span{start, start + length})
		}
	}
	return spans, skipped
}

// cie reads how the FDEs of a CIE write pointers.
func (b *buffer) cie() (encoding byte, ok bool) {
	version := b.uint(1)
	if version != 1 && version != 3 && version != 4 {
		return 0, false
	}
	n := bytes.IndexByte(b.data[b.at:], 0)
	if b.failed || n < 0 {
		return 0, false
	}
	augmentation := string(b.data[b.at : b.at+uint64(n)])
	b.at += uint64(n) + 1
	if augmentation == "eh" { // of GCC 2
		b.pointer(pointerSize)
	}
	if version == 4 {
		b.uint(2) // the sizes of addresses and segments
	}
	b.leb(false) // of code
	b.leb(true)  // of data
	if version == 1 {
		b.uint(1) // the register of the return address
	} else {
		b.leb(false)
	}
	if augmentation == "" || augmentation == "eh" {
		return pointerSize, !b.failed
	}
	if augmentation[0] != 'z' {
		return 0, false
	}
	b.leb(false) // the size of what follows
	for _, c := range augmentation[1:] {
		switch c {
		case 'R':
			return byte(b.uint(1)), !b.failed
		case 'L':
			b.uint(1)
		case 'P':
			b.pointer(byte(b.uint(1)) &^ indirect)
		case 'S', 'B', 'G': // of signals, arm64's signed return addresses and tagged memory
		default:
			return 0, false
		}
	}
	return pointerSize, !b.failed
}

// buffer reads numbers one after the other. After the first that is not there
// or not understood, failed is set and all are 0.
type buffer struct {
	data    []byte
	at      uint64
	address uint64 // of data[0]
	order   binary.ByteOrder
	wide    bool // pointers of 8 bytes
	failed  bool
}

func (b *buffer) uint(size uint64) uint64 {
	if b.failed || uint64(len(b.data))-b.at < size {
		b.failed = true
		return 0
	}
	p := b.data[b.at:]
	b.at += size
	switch size {
	case 1:
		return uint64(p[0])
	case 2:
		return uint64(b.order.Uint16(p))
	case 4:
		return uint64(b.order.Uint32(p))
	}
	return b.order.Uint64(p)
}

// leb reads a number of 7 bits a byte.
func (b *buffer) leb(signed bool) uint64 {
	var n uint64
	for shift := 0; shift < 64; shift += 7 {
		c := b.uint(1)
		n |= c & 0x7f << shift
		if c&0x80 == 0 {
			if signed && c&0x40 != 0 && shift+7 < 64 {
				n |= ^uint64(0) << (shift + 7)
			}
			return n
		}
	}
	b.failed = true
	return 0
}

func (b *buffer) pointer(encoding byte) uint64 {
	if encoding == omitted || encoding&indirect != 0 {
		b.failed = true
		return 0
	}
	here := b.address + b.at
	var n uint64
	switch encoding & formatMask {
	case pointerSize:
		if b.wide {
			n = b.uint(8)
		} else {
			n = b.uint(4)
		}
	case uleb128:
		n = b.leb(false)
	case sleb128:
		n = b.leb(true)
	case udata2:
		n = b.uint(2)
	case sdata2:
		n = uint64(int16(b.uint(2)))
	case udata4:
		n = b.uint(4)
	case sdata4:
		n = uint64(int32(b.uint(4)))
	case udata8, sdata8:
		n = b.uint(8)
	default:
		b.failed = true
	}
	switch encoding & relativeMask {
	case absolute:
	case toItself:
		n += here
		if !b.wide {
			n &= 0xffffffff
		}
	default:
		b.failed = true
	}
	return n
}
