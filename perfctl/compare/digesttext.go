package compare

import (
	"strings"
	"unicode"
)

// digestKey brings a digest's text into the form by which two servers' digests
// are joined: MySQL and MariaDB write the same statement with other spaces and
// letter case, and with or without backticks. Names that differ in nothing else
// are taken for one.
func digestKey(schema, text string) string {
	var b strings.Builder
	b.WriteString(strings.ToLower(schema))
	b.WriteByte(0)
	word, space := false, false // the last rune written; whether space follows it
	for _, r := range strings.ToValidUTF8(strings.TrimRight(text, "; \t\r\n"), "\uFFFD") {
		switch {
		case r == '`':
			continue
		case unicode.IsSpace(r):
			space = true
			continue
		}
		w := r == '_' || r == '$' || r >= 0x80 || unicode.IsLetter(r) || unicode.IsDigit(r)
		if w && word && space {
			b.WriteByte(' ')
		}
		b.WriteRune(unicode.ToLower(r))
		word, space = w, false
	}
	return b.String()
}

// textLimit is where a record cuts a digest's text, see [result.Digest]. Servers
// cut at max_digest_length and performance_schema_max_sql_text_length, as a rule
// at 1024 too, and may end such a text with "...".
const textLimit = 1024

// isCut: further statements may begin with the same text.
func isCut(text string) bool {
	return len(text) >= textLimit-4 // a whole character less
}
