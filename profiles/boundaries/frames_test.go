package boundaries

import (
	"bytes"
	"encoding/binary"
	"os"
	"slices"
	"strings"
	"testing"
)

// list writes .eh_frame by hand.
type list struct{ b []byte }

func (l *list) entry(body ...byte) (begin uint32) {
	begin = uint32(len(l.b))
	l.b = binary.LittleEndian.AppendUint32(l.b, uint32(len(body)))
	l.b = append(l.b, body...)
	return begin
}

// fde writes the entry of a function, with its pointers as given.
func (l *list) fde(cie uint32, pointers ...byte) {
	id := binary.LittleEndian.AppendUint32(nil, uint32(len(l.b))+4-cie)
	l.entry(append(id, pointers...)...)
}

func cie(version byte, augmentation string, rest ...byte) []byte {
	b := []byte{0, 0, 0, 0, version}
	b = append(b, augmentation...)
	b = append(b, 0)
	return append(b, rest...)
}

func le(size int, n uint64) []byte { return binary.LittleEndian.AppendUint64(nil, n)[:size] }

// Each way to write a pointer, with what it means by the standard.
func TestEncodings(t *testing.T) {
	const address = 0x1000
	type test struct {
		name     string
		cie      []byte
		pointers func(at uint64) []byte // at: the address of the first pointer
		want     []span
		skipped  int
	}
	z := func(augmentation string, data ...byte) []byte {
		return cie(1, augmentation, append([]byte{1, 0x78, 16, byte(len(data))}, data...)...)
	}
	two := func(size int, start, length uint64) []byte { return append(le(size, start), le(size, length)...) }
	f := []span{{0x5000, 0x5010}}
	tests := []test{
		{"relative, 4 bytes", z("zR", 0x1b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, f, 0},
		{"relative, back", z("zR", 0x1b), func(at uint64) []byte { return two(4, 0x800-at, 0x10) }, []span{{0x800, 0x810}}, 0},
		{"relative, 8 bytes", z("zR", 0x1c), func(at uint64) []byte { return two(8, 0x5000-at, 0x10) }, f, 0},
		{"absolute", z("zR", 0x00), func(uint64) []byte { return two(8, 0x5000, 0x10) }, f, 0},
		{"absolute without a word", cie(1, "", 1, 0x78, 16), func(uint64) []byte { return two(8, 0x5000, 0x10) }, f, 0},
		{"of GCC 2", cie(1, "eh", append(le(8, 7), 1, 0x78, 16)...), func(uint64) []byte { return two(8, 0x5000, 0x10) }, f, 0},
		{"2 bytes", z("zR", 0x02), func(uint64) []byte { return two(2, 0x5000, 0x10) }, f, 0},
		{"2 bytes, signed", z("zR", 0x1a), func(at uint64) []byte { return two(2, 0x800-at, 0x10) }, []span{{0x800, 0x810}}, 0},
		{"7 bits a byte", z("zR", 0x01), func(uint64) []byte { return []byte{0x80, 0xa0, 0x01, 0x10} }, f, 0},
		{"personality and LSDA first", z("zPLR", 0x9b, 1, 2, 3, 4, 0x1b, 0x1b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, f, 0},
		{"arm64's B, a signal's S", z("zRSB", 0x1b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, f, 0},
		{"B before R", z("zBR", 0x1b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, f, 0},
		{"version 3", cie(3, "zR", 1, 0x78, 0x90, 0x01, 1, 0x1b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, f, 0},
		{"version 4", cie(4, "zR", 8, 0, 1, 0x78, 16, 1, 0x1b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, f, 0},
		{"version 9", cie(9, "zR", 1, 0x78, 16, 1, 0x1b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, nil, 2},
		{"an unknown letter", z("zXR", 0x1b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, nil, 2},
		{"relative to data", z("zR", 0x3b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, nil, 1},
		{"omitted", z("zR", 0xff), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, nil, 1},
		{"indirect", z("zR", 0x9b), func(at uint64) []byte { return two(4, 0x5000-at, 0x10) }, nil, 1},
		{"cut", z("zR", 0x1b), func(at uint64) []byte { return le(4, 0x5000-at) }, nil, 1},
		{"7 bits without end", z("zR", 0x01), func(uint64) []byte { return bytes.Repeat([]byte{0x80}, 20) }, nil, 1},
		{"beyond the last address", z("zR", 0x00), func(uint64) []byte { return two(8, ^uint64(0), 0x10) }, nil, 1},
		{"dropped by the linker", z("zR", 0x00), func(uint64) []byte { return two(8, 0, 0x10) }, nil, 0},
		{"of no bytes", z("zR", 0x00), func(uint64) []byte { return two(8, 0x5000, 0) }, nil, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var l list
			at := l.entry(tt.cie...)
			l.fde(at, tt.pointers(address+uint64(len(l.b))+8)...)
			l.entry() // an end, behind which more may come
			got, skipped := parseFrames(l.b, address, binary.LittleEndian, true)
			if !slices.Equal(got, tt.want) || skipped != tt.skipped {
				t.Errorf("%x, %d skipped, want %x, %d", got, skipped, tt.want, tt.skipped)
			}
		})
	}
}

func TestList(t *testing.T) {
	var l list
	at := l.entry(cie(1, "", 1, 0x78, 16)...)
	l.fde(at, append(le(4, 0x500), le(4, 4)...)...)
	l.entry() // the end of one object's list
	l.fde(at, append(le(4, 0x600), le(4, 4)...)...)
	l.fde(at+1, append(le(4, 0x700), le(4, 4)...)...) // no CIE is there
	// An entry with a length of 8 bytes.
	l.b = append(l.b, 0xff, 0xff, 0xff, 0xff)
	id := uint64(len(l.b)) + 8 - uint64(at)
	l.b = append(l.b, le(8, 12)...)
	l.b = append(l.b, append(le(4, id), append(le(4, 0x800), le(4, 4)...)...)...)
	whole := len(l.b)
	l.b = append(l.b, 0xf0, 0xff, 0, 0, 1, 2) // and one that is longer than the file
	got, skipped := parseFrames(l.b, 0, binary.LittleEndian, false)
	if want := []span{{0x500, 0x504}, {0x600, 0x604}, {0x800, 0x804}}; !slices.Equal(got, want) || skipped != 2 {
		t.Errorf("%x, %d skipped, want %x", got, skipped, want)
	}
	for n := range whole { // cut anywhere: never more than there is
		got, _ := parseFrames(l.b[:n], 0, binary.LittleEndian, false)
		if len(got) > 3 {
			t.Errorf("%d bytes: %x", n, got)
		}
	}
}

func TestTidy(t *testing.T) {
	got := tidy([]span{{50, 60}, {10, 20}, {15, 30}, {10, 12}, {60, 61}})
	if want := []span{{10, 15}, {15, 30}, {50, 60}, {60, 61}}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	table := Table{functions: got}
	for a, want := range map[uint64]uint64{9: 0, 10: 10, 14: 10, 15: 15, 29: 15, 30: 0, 59: 50, 60: 60, 61: 0} {
		if start, _, ok := table.Find(a); start != want || ok != (want != 0) {
			t.Errorf("%d is in the function at %d (%v), want %d", a, start, ok, want)
		}
	}
	if _, _, ok := (&Table{}).Find(5); ok {
		t.Error("found in nothing")
	}
}

func TestReadErrors(t *testing.T) {
	self, err := os.ReadFile("/proc/self/exe") // a Go program, which has no .eh_frame
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct{ in, want string }{
		"empty": {"", "not an ELF file"},
		"text":  {"#!/bin/sh\n", "not an ELF file"},
		"cut":   {string(self[:100]), "ELF"},
		"Go's":  {string(self), "no .eh_frame"},
	} {
		if table, err := Read(strings.NewReader(tt.in)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, %v", name, table, err)
		}
	}
	if _, err := Of("absent"); err == nil || !strings.Contains(err.Error(), "absent") {
		t.Error(err)
	}
}

func FuzzFrames(f *testing.F) {
	var l list
	at := l.entry(cie(1, "zPLR", 1, 0x78, 16, 7, 0x9b, 1, 2, 3, 4, 0x1b, 0x1b)...)
	l.fde(at, append(le(4, 0x500), le(4, 4)...)...)
	at = l.entry(cie(3, "zR", 1, 0x78, 16, 1, 0x01)...)
	l.fde(at, 0x80, 0xa0, 0x01, 0x10)
	f.Add(l.b, uint64(0x1000), true)
	f.Add(l.b, ^uint64(0), false)
	f.Fuzz(func(t *testing.T, data []byte, address uint64, wide bool) {
		spans, skipped := parseFrames(data, address, binary.LittleEndian, wide)
		if len(spans)+skipped > len(data)/4+1 {
			t.Fatalf("%d functions in %d bytes", len(spans)+skipped, len(data))
		}
		tidied := tidy(spans)
		for i, s := range tidied {
			if s.end <= s.start || i > 0 && s.start < tidied[i-1].end {
				t.Fatalf("%x", tidied)
			}
		}
	})
}

// FuzzRead tries whole files: the header, and what debug/elf makes of it.
func FuzzRead(f *testing.F) {
	f.Add(program())
	f.Fuzz(func(t *testing.T, data []byte) {
		table, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for _, s := range table.functions {
			if start, _, ok := table.Find(s.start); !ok || start != s.start {
				t.Fatalf("%+v is not found", s)
			}
			table.Name(s.start)
		}
		table.Address(0x100)
	})
}
