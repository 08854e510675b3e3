package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"

	"github.com/google/go-cmp/cmp"
)

// Whatever the pieces in which it is written, a text in JSON keeps its meaning
// and has nothing in it that a terminal obeys.
func TestEscapedJSON(t *testing.T) {
	texts := []string{"plain é 数 → µ", "\x1b[31m\x07\x7f", "\u009b31m \u202eright\u2066 \u200b\u2028", "🦭\U000e0041 end", "\"\\ <&>", ""}
	whole, err := json.MarshalIndent(map[string]any{"texts": texts, "n": 1.5}, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for _, size := range []int{1, 2, 3, 7, len(whole)} {
		var out bytes.Buffer
		w := forJSON(&out, JSON)
		for rest := whole; len(rest) > 0; {
			n, err := w.Write(rest[:min(size, len(rest))])
			if err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		if i := strings.IndexFunc(out.String(), func(r rune) bool { return !unicode.IsPrint(r) && r != '\n' }); i >= 0 {
			t.Errorf("pieces of %d: %q", size, out.String()[i:])
		}
		var got struct{ Texts []string }
		if err := json.Unmarshal(out.Bytes(), &got); err != nil {
			t.Fatal(err)
		}
		if d := cmp.Diff(texts, got.Texts); d != "" {
			t.Error(d)
		}
		if !strings.Contains(out.String(), "é 数 → µ") {
			t.Errorf("printable characters were escaped: %s", &out)
		}
	}
	var out bytes.Buffer
	if w := forJSON(&out, Table); w != &out {
		t.Error("a table is escaped")
	}
}

func TestGuard(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "8.0.36": "8.0.36", "=cmd|' /C calc'!A0": "'=cmd|' /C calc'!A0", "+1": "'+1", "-1+1": "'-1+1", "@SUM(A1)": "'@SUM(A1)",
		"\t=1": "' =1", "\r\n=1": "'  =1", " =1": "' =1", "＝1": "'＝1", "\x1b=1": "�=1", "a\nb\u202e": "a b�", "a=1": "a=1",
	} {
		if got := guard(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
