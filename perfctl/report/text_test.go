package report

import (
	"strings"
	"testing"
)

// TestFold: names break between words, else after a separator, else anywhere.
func TestFold(t *testing.T) {
	for _, c := range []struct {
		name  string
		width int
		want  string
	}{
		{"plain (prepared)", 20, "plain (prepared)"},
		{"plain (prepared)", 13, "plain\n(prepared)"},
		{"tls (prepared)", 12, "tls\n(prepared)"},
		{"10.11.19-distribution (text)", 12, "10.11.19-\ndistribution\n(text)"},
		{"abcdefghijklmno", 6, "abcdef\nghijkl\nmno"},
		{"a-bcdefghi", 8, "a-bcdefg\nhi"}, // a separator far to the left would leave the line empty
	} {
		if got := fold(c.name, c.width); got != c.want {
			t.Errorf("fold(%q, %d) = %q, want %q", c.name, c.width, got, c.want)
		}
	}
}

// TestWrap: the width is that of whole lines, what they begin with included, and
// no word that fits on a line goes to the next.
func TestWrap(t *testing.T) {
	for _, c := range []struct {
		text          string
		width         int
		first, indent string
		want          string
	}{
		{"aaa bbb ccc ddd", 7, "", "", "aaa bbb\nccc ddd"},
		{"aaa bbb ccc ddd", 9, "  ", "  ", "  aaa bbb\n  ccc ddd"},
		{"aaa bbb ccc ddd", 9, "> ", "    ", "> aaa bbb\n    ccc\n    ddd"},
		{"aaa bbb ccc ddd", 11, "> ", "    ", "> aaa bbb\n    ccc ddd"},
		{"aaa bbb ccc ddd", 8, "note: ", "  ", "note: aaa\n  bbb\n  ccc\n  ddd"}, // a first word is not left alone
		{"aaa abcdefghijkl bbb", 6, "", "  ", "aaa\n  abcdefghijkl\n  bbb"},
		{"", 10, "- ", "  ", "- "},
	} {
		if got := wrap(c.text, c.width, c.first, c.indent); got != c.want {
			t.Errorf("wrap(%q, %d, %q, %q) = %q, want %q", c.text, c.width, c.first, c.indent, got, c.want)
		}
	}
	// A long text fills its lines: each but the last has no room for the next word.
	const width = 30
	lines := strings.Split(wrap(strings.Repeat("word ", 60), width, "      ", "        "), "\n")
	for i, l := range lines[:len(lines)-1] {
		if len(l) > width || len(l)+len(" word") <= width {
			t.Errorf("line %d has %d of %d characters: %q", i, len(l), width, l)
		}
	}
}
