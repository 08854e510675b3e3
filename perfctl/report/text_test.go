package report

import "testing"

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
