package report

import (
	"fmt"
	"io"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// forJSON is w for a text in JSON, which people look at in a terminal too: what
// would steer it, or turn the direction of writing, stands as \u escapes, which
// mean the same. Other formats are written as they are.
func forJSON(w io.Writer, f Format) io.Writer {
	if f == JSON {
		return &escaped{w: w}
	}
	return w
}

// escaped writes text in JSON. Outside of its strings there are printable
// characters and line ends alone.
type escaped struct {
	w    io.Writer
	part []byte // a character's first bytes, whose rest is in the next text
}

func (e *escaped) Write(text []byte) (int, error) {
	n := len(text)
	if len(e.part) > 0 {
		text = append(e.part, text...)
		e.part = nil
	}
	var out []byte // nil: nothing was escaped so far
	from := 0      // of what is not in out yet
	for i := 0; i < len(text); {
		if c := text[i]; c >= ' ' && c < 0x7f || c == '\n' {
			i++
			continue
		}
		if !utf8.FullRune(text[i:]) {
			e.part = append([]byte(nil), text[i:]...)
			text = text[:i]
			break
		}
		r, size := utf8.DecodeRune(text[i:])
		if unicode.IsPrint(r) && !(r == utf8.RuneError && size == 1) {
			i += size
			continue
		}
		out = append(out, text[from:i]...)
		for _, u := range utf16.Encode([]rune{r}) {
			out = fmt.Appendf(out, `\u%04x`, u)
		}
		i += size
		from = i
	}
	if out != nil {
		text = append(out, text[from:]...)
	}
	if _, err := e.w.Write(text); err != nil {
		return 0, err
	}
	return n, nil
}
