package binary

import "debug/elf"

// unwindEntries are the functions in .eh_frame_hdr's search table, which is
// there after strip too (Linux Standard Base, core, ".eh_frame_hdr"). Only the
// encodings that linkers write are read.
func unwindEntries(f *elf.File) []uint64 {
	const (
		pcrelData4 = 0x1b // pointer to .eh_frame
		plain4     = 0x03 // count
		datarel4   = 0x3b // table: pairs of entry and description, relative to the section
	)
	s := f.Section(".eh_frame_hdr")
	if s == nil {
		return nil
	}
	b, err := s.Data()
	if err != nil || len(b) < 12 || b[0] != 1 || b[1] != pcrelData4 || b[2] != plain4 || b[3] != datarel4 {
		return nil
	}
	count := int(f.ByteOrder.Uint32(b[8:]))
	var entries []uint64
	for i, at := 0, 12; i < count && at+8 <= len(b); i, at = i+1, at+8 {
		entries = append(entries, s.Addr+uint64(int64(int32(f.ByteOrder.Uint32(b[at:])))))
	}
	return entries
}
