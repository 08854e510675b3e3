package callgrind

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
)

// maxUnpacked bounds what a compressed file may unpack to. A dump of a server
// is a few MB.
const maxUnpacked = 1 << 30

// ParseFile reads the file at path, gzip compressed or not.
func ParseFile(path string) (*File, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := plain(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	file, err := Parse(r)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return file, nil
}

// plain is what r holds, unpacked if it is compressed.
func plain(r io.Reader) (io.Reader, error) {
	b := bufio.NewReader(r)
	if magic, _ := b.Peek(2); string(magic) != "\x1f\x8b" {
		return b, nil
	}
	z, err := gzip.NewReader(b)
	if err != nil {
		return nil, fmt.Errorf("unpack it: %w", err)
	}
	return &bounded{r: z, left: maxUnpacked}, nil
}

// bounded fails where more is read, so that a cut input is never taken for a
// whole one.
type bounded struct {
	r    io.Reader
	left int64
}

func (b *bounded) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errors.New("unpacks to over 1 GiB; unpack it yourself if that is right")
	}
	if int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err := b.r.Read(p)
	b.left -= int64(n)
	return n, err
}
