package perfscript

import (
	"bytes"
	"errors"
	"io"
)

// maxLine bounds a line. C++ and Java names of 100 kB are real.
const maxLine = 1 << 20

// lines cuts a stream into lines without a copy: each is valid until the next.
type lines struct {
	r          io.Reader
	buf        []byte
	start, end int // of what is read and not yet given
	err        error
	n          int  // of the last line, from 1
	cut        bool // the last line has no line feed behind it
	long       bool // the last line was longer than maxLine; it is given as its first bytes
}

// newLines begins small; most texts have no long line.
func newLines(r io.Reader) *lines { return &lines{r: r, buf: make([]byte, 64<<10)} }

// next gives the next line without its line feed and false at the end.
func (l *lines) next() ([]byte, bool) {
	l.long = false
	searched := l.start
	for {
		if i := bytes.IndexByte(l.buf[searched:l.end], '\n'); i >= 0 {
			line := l.buf[l.start : searched+i]
			l.start = searched + i + 1
			l.n++
			return line, true
		}
		if l.err != nil {
			break
		}
		if l.start == 0 && l.end == len(l.buf) {
			if len(l.buf) >= maxLine {
				return l.skip(), true
			}
			l.buf = append(l.buf, make([]byte, len(l.buf))...)
		}
		copy(l.buf, l.buf[l.start:l.end])
		l.end -= l.start
		l.start = 0
		searched = l.end
		l.fill()
	}
	if l.start == l.end {
		return nil, false
	}
	line := l.buf[l.start:l.end]
	l.start = l.end
	l.n++
	l.cut = true
	return line, true
}

// fill reads once. A reader that gives nothing and no error 100 times is at fault.
func (l *lines) fill() {
	for range 100 {
		n, err := l.r.Read(l.buf[l.end:])
		l.end += n
		l.err = err
		if n > 0 || err != nil {
			return
		}
	}
	l.err = io.ErrNoProgress
}

// skip leaves out the rest of a line that fills the buffer.
func (l *lines) skip() []byte {
	l.long = true
	l.n++
	head := bytes.Clone(l.buf[:200])
	for {
		l.start, l.end = 0, 0
		if l.err != nil {
			l.cut = true
			return head
		}
		l.fill()
		if i := bytes.IndexByte(l.buf[:l.end], '\n'); i >= 0 {
			l.start = i + 1
			return head
		}
	}
}

// failed is the reader's own error, if it did not simply end.
func (l *lines) failed() error {
	if l.err == nil || errors.Is(l.err, io.EOF) {
		return nil
	}
	return l.err
}
