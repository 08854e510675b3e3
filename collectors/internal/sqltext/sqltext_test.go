package sqltext

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestNormalise(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"select k from t where id=17", "select k from t where id = ?"},
		{"SELECT  *\n\tFROM `my table` WHERE a='x' AND b=\"y\"", "SELECT * FROM `my table` WHERE a = ? AND b = ?"},
		{"select 'it''s', 1", "select ?, ..."},
		{`select 'a\\', b`, "select ?, b"},
		{`select 'a\'b', secret`, "select ? ..."}, // read differently under NO_BACKSLASH_ESCAPES
		{"select 'unfinished", "select ? ..."},
		{"select `unfinished", "select ..."},
		{"select /* a 'comment' */ 1 -- the rest 'is\n, 2 # too '\n, k", "select ?, ..., k"},
		{"select a--1", "select a - - ?"},
		{"select /*! straight_join 'x' */ k", "select ..."},
		{"select /*!50000 '*/ secret' */ k", "select ..."},
		{"select /*!99999 it's */ 'secret'", "select ..."}, // an older server skips it
		{"select /*!50000 straight_join*/ /*M!100100 k + 1 */, 'y'", "select straight_join k + ?, ..."},
		{"create function f() returns int language javascript as $$ it's $$", "create function f () returns int language javascript as ..."},
		{"select /*+ SET_VAR(sql_mode='*/ secret') */ k", "select ..."},
		{"select /*+ NO_ICP(t) */ k", "select k"},
		{"select /* unfinished", "select ..."},
		{"select 0x1F, x'4D', b'01', N'x', 1.5e-7, .5, 1e5", "select ?, ..."},
		{"select t1.col2, t.1col from db1.t1", "select t1.col2, t.? from db1.t1"},
		{"select _utf8mb4'abc' collate utf8mb4_bin", "select _utf8mb4 ? collate utf8mb4_bin"},
		{"insert into t values (1,'a'),(2,'b'),(3,'c')", "insert into t values (?, ...), ..."},
		{"insert into t values (1),(2)", "insert into t values (?), ..."},
		{"insert into t (a, b) values (1, now())", "insert into t (a, b) values (?, now ())"},
		{"select k from t where id in (1, 2,3)", "select k from t where id in (?, ...)"},
		{"select k from t where a>=1 and b<>2 and c:=3", "select k from t where a >= ? and b <> ? and c := ?"},
		{"set password = 'secret'", "set password = ?"},
		{"create user 'bob'@'host' identified by 'secret'", "create user ? @? identified by ?"},
		{"select @x, @'secret', null, true", "select @x, @?, null, true"},
		{"select k from t where name = 'Zoë' and größe = 7", "select k from t where name = ? and größe = ?"},
		{"select `a\x1b[31m`", "select `a?[31m`"},
		{"select 2*/*/ \" */1, 's3cret'", "select ? * ?, ..."},
		{"select /*!40001 sql_no_cache */ k", "select sql_no_cache k"},
		{"select \xff, k", "select \ufffd, k"},
		{"\xbf\u0091\xbf, k", "\ufffd\ufffd\ufffd, k"},
		{"", ""},
		{"'", "? ..."},
	} {
		if got := Normalise(c.in); got != c.want {
			t.Errorf("%q:\n got %q\nwant %q", c.in, got, c.want)
		}
	}
	long := Normalise("select " + strings.Repeat("größe + ", 1000))
	if len(long) > MaxBytes || !utf8.ValidString(long) || !strings.HasSuffix(long, cut) {
		t.Errorf("a long text became %d bytes, %q", len(long), long[len(long)-20:])
	}
}

// FuzzNormalise puts a secret into a literal behind any text that leaves no
// literal open, and cuts the whole anywhere.
func FuzzNormalise(f *testing.F) {
	for _, s := range []string{"select ", "a = 'x' and ", `a = 'x\\' and `, `'\'`, "/* ' */", "/*! '*/", "-- '\n", "# \"\n", "`'`", "x'", "1e", "((", "\"'\"", "\xe2\x80", "b''", "'' ''", "/*+ ' */"} {
		f.Add(s, 10)
	}
	f.Fuzz(func(t *testing.T, text string, at int) {
		for _, s := range []string{text, text + "'s3cret'", text + "\"s3cret\"", text + " 73313"} {
			if at >= 0 && at < len(s) {
				s = s[:at]
			}
			got := Normalise(s)
			if len(got) > MaxBytes || !utf8.ValidString(got) || strings.IndexFunc(got, unicode.IsControl) >= 0 {
				t.Fatalf("%q became %q", s, got)
			}
			if again := Normalise(got); len(again) > len(got)+len(cut)+1 {
				t.Fatalf("%q grows to %q", got, again)
			}
		}
		// Whatever a server with either setting reads as a string is not shown:
		// each of the two is followed by itself.
		const secret = "s3cret"
		if strings.Contains(text, secret) {
			return
		}
		for setting := range 4 {
			escapes, skips := setting&1 > 0, setting&2 > 0
			if open(text, escapes, skips) {
				continue
			}
			for _, quote := range []string{"'", "\""} {
				if got := Normalise(text + " " + quote + secret + quote); strings.Contains(got, secret) {
					t.Fatalf("%q: a literal behind it is shown: %q (backslash escapes: %v, /*! skipped: %v)", text, got, escapes, skips)
				}
			}
		}
	})
}

// open says whether a server would take what follows the text for a part of a
// string, a name or a comment. It is written from the manual ("String Literals",
// "Comments") and apart from the code under test. Two settings matter: whether
// a backslash escapes, and whether the server is too old for a /*! comment.
func open(s string, escapes, skips bool) bool {
	for i := 0; i < len(s); {
		rest := s[i:]
		switch {
		case rest[0] == '\'' || rest[0] == '"' || rest[0] == '`':
			q := rest[0]
			j := 1
			for ; ; j++ {
				if j >= len(rest) {
					return true
				}
				if rest[j] == '\\' && escapes && q != '`' {
					j++
					continue
				}
				if rest[j] == q {
					if j+1 < len(rest) && rest[j+1] == q {
						j++
						continue
					}
					break
				}
			}
			i += j + 1
		case rest[0] == '#', strings.HasPrefix(rest, "--") && (len(rest) == 2 || rest[2] <= ' '):
			j := strings.IndexByte(rest, '\n')
			if j < 0 {
				return true
			}
			i += j + 1
		case !skips && (strings.HasPrefix(rest, "/*!") || strings.HasPrefix(rest, "/*M!")):
			i += 3
		case strings.HasPrefix(rest, "/*"):
			j := strings.Index(rest[2:], "*/")
			if j < 0 {
				return true
			}
			i += j + 4
		default:
			i++
		}
	}
	return false
}
