package folded

import (
	"strconv"
	"strings"
	"unicode"

	"opcost/profiles"
)

// parseFrame reads one frame's text. Behind a name, _[k] says the kernel, _[i]
// inlined, _[j] compiled at run time. A name in brackets is no function's but
// where one without a name lies: [libfoo.so], [libfoo.so <1f2e>] with its
// address, [unknown].
// White space around a name is no part of it.
func parseFrame(s string) profiles.Frame {
	f := profiles.Frame{Space: profiles.UnknownSpace}
	s = strings.TrimSpace(s)
	if len(s) > 4 {
		switch s[len(s)-4:] {
		case "_[k]":
			f.Space, s = profiles.Kernel, s[:len(s)-4]
		case "_[i]":
			f.Inlined, s = true, s[:len(s)-4]
		case "_[j]":
			f.Space, s = profiles.User, s[:len(s)-4]
		}
	}
	inner, ok := strings.CutPrefix(s, "[")
	inner, ok2 := strings.CutSuffix(inner, "]")
	if !ok || !ok2 || inner == "" {
		f.Function = s
		return f
	}
	if name, hex, ok := strings.Cut(inner, " <"); ok && strings.HasSuffix(hex, ">") {
		if addr, err := strconv.ParseUint(strings.TrimSuffix(hex, ">"), 16, 64); err == nil {
			inner, f.Address = name, addr
		}
	}
	if inner != "unknown" {
		f.Object = inner
	}
	return f
}

// clean keeps a name from being taken for two, or for two lines.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ';':
			return ':'
		case unicode.IsControl(r):
			return ' '
		}
		return r
	}, s)
}

// text is a frame as written; [parseFrame] reads it back, but for the path of
// its object.
func (o WriteOptions) text(f profiles.Frame) string {
	s := clean(f.Function)
	if !f.Named() {
		s = "unknown"
		if f.Object != "" {
			s = clean(f.Object[strings.LastIndexByte(f.Object, '/')+1:])
		}
		switch {
		case o.Address && f.Start != 0:
			s += " <" + strconv.FormatUint(f.Start, 16) + ">"
		case o.Address && f.Address != 0:
			s += " <" + strconv.FormatUint(f.Address, 16) + ">"
		}
		s = "[" + s + "]"
	}
	switch {
	case !o.Annotate:
	case f.Inlined:
		s += "_[i]"
	case f.Space == profiles.Kernel:
		s += "_[k]"
	}
	return s
}
