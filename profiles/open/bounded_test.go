package open

import (
	"io"
	"strings"
	"testing"
)

// What was read before a bound is lowered counts too.
func TestBounded(t *testing.T) {
	for _, c := range []struct {
		most, before, lower int64
		whole               bool
	}{{11, 0, 0, true}, {9, 0, 0, false}, {100, 4, 11, true}, {100, 4, 9, false}, {100, 9, 9, false}} {
		b := &bounded{r: strings.NewReader("0123456789"), left: c.most, most: c.most}
		if _, err := io.CopyN(io.Discard, b, c.before); err != nil {
			t.Fatal(err)
		}
		if c.lower > 0 {
			b.lower(c.lower)
		}
		if rest, err := io.ReadAll(b); (err == nil) != c.whole {
			t.Errorf("%+v: %q, %v", c, rest, err)
		}
	}
}
