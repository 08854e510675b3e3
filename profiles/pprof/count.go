package pprof

import (
	"encoding/binary"
	"fmt"
)

// countMessages refuses a profile with more than so many messages and texts
// (samples, locations, functions, strings), so that a small compressed file does
// not take all memory once it is parsed. What is malformed is left to the parser.
//
// The encoding: protobuf.dev/programming-guides/encoding. A field is a tag, whose
// lowest three bits say how long the value is.
func countMessages(data []byte, most int) error {
	const (
		varint, fixed64, bytes, fixed32 = 0, 1, 2, 5
	)
	for n := 0; len(data) > 0; {
		tag, size := binary.Uvarint(data)
		if size <= 0 {
			return nil
		}
		data = data[size:]
		var skip uint64
		switch tag & 7 {
		case varint:
			_, size := binary.Uvarint(data)
			skip = uint64(max(size, 1))
		case fixed64:
			skip = 8
		case fixed32:
			skip = 4
		case bytes:
			if n++; n > most {
				return fmt.Errorf("over %d samples, functions and texts, more than are read; make it smaller with: go tool pprof -proto -trim", most)
			}
			length, size := binary.Uvarint(data)
			if size <= 0 || length > uint64(len(data)) {
				return nil
			}
			skip = uint64(size) + length
		default:
			return nil
		}
		if skip > uint64(len(data)) {
			return nil
		}
		data = data[skip:]
	}
	return nil
}
