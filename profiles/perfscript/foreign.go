package perfscript

import "bytes"

// foreign names what a text is that is none of perf script's, by how it begins.
func foreign(line []byte) error {
	for _, f := range []struct{ magic, what string }{
		{"PERFILE2", "this is a perf.data file: read it as one, or give the output of `perf script -i FILE`"},
		{"PERFFILE", "this is a perf.data file of before Linux 3.0, which no perf of today reads: record anew"},
		{"2ELIFREP", "this is a perf.data file of a big-endian machine: read it with perf there"},
		{"\x1f\x8b", "this is compressed (gzip): unpack it first"},
		{"\x28\xb5\x2f\xfd", "this is compressed (zstd): unpack it first"},
		{"# callgrind format", "this is a callgrind.out file, not perf script's output"},
	} {
		if bytes.HasPrefix(line, []byte(f.magic)) {
			return foreignError(f.what)
		}
	}
	if bytes.IndexByte(line[:min(len(line), 4096)], 0) >= 0 {
		return foreignError("this is a binary file, not perf script's output")
	}
	return nil
}

type foreignError string

func (e foreignError) Error() string { return string(e) }
