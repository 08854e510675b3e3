package bundle

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// removed stands for what was taken out.
const removed = "REMOVED"

// scrubber takes out what must not leave the machine.
type scrubber struct {
	names []name
}

// name is a host, or a text, that is known.
type name struct {
	what    string
	find    *regexp.Regexp
	instead string
}

func newScrubber(in Input) *scrubber {
	s := &scrubber{}
	for _, text := range in.Secrets {
		s.know("a secret", text, removed)
	}
	hosts := slices.Clone(in.Hosts)
	for _, r := range slices.Concat(in.Base.Runs, in.New.Runs) {
		hosts = append(hosts, r.Host, r.Server.Variables["hostname"])
	}
	slices.Sort(hosts)
	n := 0
	for _, h := range slices.Compact(hosts) {
		if h == "" || h == "localhost" || h == "unknown" {
			continue
		}
		n++
		instead := fmt.Sprintf("host-%d", n)
		s.know("a host's name", h, instead)
		if short, _, long := strings.Cut(h, "."); long {
			s.know("a host's name", short, instead)
		}
	}
	// The longest first: a name may be part of another.
	slices.SortStableFunc(s.names, func(a, b name) int { return cmp.Compare(len(b.find.String()), len(a.find.String())) })
	return s
}

// know adds a text. It is found as a whole word, in whatever case unless it is
// very short.
func (s *scrubber) know(what, text, instead string) {
	if text = strings.TrimSpace(text); text == "" {
		return
	}
	quoted := regexp.QuoteMeta(text)
	fold := "(?i)"
	if len(text) <= 2 { // vm is a host, and a VM is not
		fold = ""
	}
	s.names = append(s.names, name{what, regexp.MustCompile(fold + `(^|[^A-Za-z0-9])(` + quoted + `)($|[^A-Za-z0-9])`), instead})
}

// secretKey is what names a secret, of options, variables of the environment,
// keys of plans.
const secretKey = `[\w.-]*(?:passwor[dt]|passwd|passphrase|pwd|secret|token|credential|api[_-]?key|private[_-]?key|filekey|auth[_-]?string)[\w.-]*`

var patterns = []struct {
	find    *regexp.Regexp
	instead string
}{
	// --password=x, MYSQL_PWD=x, password: "x", "password": "x", password x
	{regexp.MustCompile(`(?i)(` + secretKey + `["'\s]*[=:]\s*)("(?:[^"\\]|\\.)*"?|'(?:[^'\\]|\\.)*'?|[^\s,;&|}\]"']+)`), "${1}" + removed},
	{regexp.MustCompile(`(?i)(--` + secretKey + `\s+)("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|[^\s-][^\s]*)`), "${1}" + removed},
	{regexp.MustCompile(`(?i)(identified\s+(?:with\s+\S+\s+)?(?:by|as)\s+)('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\S+)`), "${1}" + removed},
	// mysql -psecret, -u name
	{regexp.MustCompile(`((?:mysql|mariadb|mysqlslap|mariadb-slap|mysqladmin|mysqldump)\b[^|;\n]*?\s-p)([^\s"']+)`), "${1}" + removed},
	{regexp.MustCompile(`((?:mysql|mariadb|mysqlslap|mariadb-slap|mysqladmin|mysqldump)\b[^|;\n]*?\s-u)([^\s"']+)`), "${1}USER"},
	{regexp.MustCompile(`(\s(?:-u |--user[ =]|--mysql-user[ =]|user=))([^\s"',]+)`), "${1}USER"},
	// user:password@tcp(host), scheme://user:password@host
	{regexp.MustCompile(`[^\s"'/@:]+:[^\s"'@]+@(tcp|unix)\([^)]*\)`), removed + "@${1}(" + removed + ")"},
	{regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*://)[^\s"'/@]+@[^\s"'/]+`), "${1}" + removed},
	{regexp.MustCompile(`[\w.+-]+@[\w-]+(\.[\w-]+)*\.[A-Za-z]{2,}\b`), removed},
	{regexp.MustCompile(`'[^'\s]*'@'[^'\s]*'`), "'USER'@'HOST'"},
	{regexp.MustCompile(`(/home|/Users)/[^/\s"':;,|)]+`), "${1}/USER"},
	{regexp.MustCompile(`(?i)\b[a-z0-9_](?:[a-z0-9_-]*[a-z0-9])?(?:\.[a-z0-9_-]+)*\.(?:com|net|org|edu|gov|local|localdomain|internal|intranet|lan|corp|home|example|invalid|arpa|cloud)\b`), "HOST"},
	{regexp.MustCompile(`\b[0-9A-Fa-f]{1,4}(?:::?[0-9A-Fa-f]{1,4}){3,7}\b`), "ADDRESS"},
}

var (
	// place is --report-host=db1, wsrep_cluster_address=gcomm://...
	place = regexp.MustCompile(`(?i)([\w-]*(?:[_-]host|_hostname|[_-]address|[_-]url|[_-]uri|[_-]dsn)\s*=\s*)([^\s,;"']+)`)
	ipv4  = regexp.MustCompile(`(^|[^0-9A-Za-z.])((?:25[0-5]|2[0-4]\d|1?\d?\d)(?:\.(?:25[0-5]|2[0-4]\d|1?\d?\d)){3})($|[^0-9A-Za-z.-])`)
	// sqlText is what looks like a statement.
	sqlText = regexp.MustCompile(`(?is)\bselect\b.+\bfrom\b|\b(?:insert|replace)\s+(?:ignore\s+)?into\b|\bupdate\b.+\bset\b|\bdelete\s+from\b|\bexecute\b.+\busing\b|\bcall\s+\w+\s*\(`)
	// literals of a statement: texts, numbers, hexadecimal and bit strings.
	literals = regexp.MustCompile(`(?i)\b[xb]?'(?:[^'\\]|\\.|'')*'|'(?:[^'\\]|\\.|'')*'|"(?:[^"\\]|\\.|"")*"|\b0x[0-9a-f]+\b|(^|[^\w.?` + "`" + `])[-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?\b`)
	// A text that is cut off leaves a quote without its partner.
	openText = regexp.MustCompile(`'[^']*$|"[^"]*$`)
)

// text scrubs one text.
func (s *scrubber) text(t string) string {
	t = s.words(t)
	if sqlText.MatchString(t) {
		t = statement(t)
	}
	return t
}

// statement takes the values out of one.
func statement(t string) string {
	t = literals.ReplaceAllStringFunc(t, func(m string) string {
		if strings.ContainsAny(m[:1], "'\"") || len(m) > 1 && strings.ContainsAny(m[1:2], "'xX") && strings.ContainsAny(m[:1], "xXbB0") {
			return "?"
		}
		// What stands in front of a number stays.
		if i := strings.IndexAny(m, "+-0123456789"); i > 0 {
			return m[:i] + "?"
		}
		return "?"
	})
	return openText.ReplaceAllString(t, "?")
}

var (
	// inProse are texts and numbers where a statement has values, in a sentence
	// that has other numbers and apostrophes.
	inProse = regexp.MustCompile(`(?i)((?:^|[^\w'"])[xbn]?)(?:'(?:[^'\\]|\\.|'')*(?:'|$)|"(?:[^"\\]|\\.|"")*(?:"|$))|` +
		`((?:[=<>(,+*%-]|\b(?:select|where|having|on|and|or|not|xor|between|in|like|limit|offset|then|else|when|interval|div|mod|using|values|returning))\s*)(?:0x[0-9a-f]+|[-+]?\d[\d.]*(?:e[-+]?\d+)?)\b`)
	// planKey is the key of a plan with its length: range k_1(4).
	planKey = regexp.MustCompile(`\b((?:const|eq_ref|ref|ref_or_null|range|index|index_merge|fulltext|unique_subquery|index_subquery) [^\s()]+)\((\d+(?:,\d+)*)\)`)
	keptKey = regexp.MustCompile("\x00([0-9,]+)\x00")
)

// sentence takes the values out of a statement within other words.
func sentence(t string) string {
	t = planKey.ReplaceAllString(strings.ReplaceAll(t, "\x00", ""), "${1}\x00${2}\x00")
	for range 2 { // two values that share the character between them
		t = inProse.ReplaceAllString(t, "${1}${2}?")
	}
	return keptKey.ReplaceAllString(t, "(${1})")
}

// words takes out names, secrets and addresses.
func (s *scrubber) words(t string) string {
	for _, n := range s.names {
		for range 2 { // two that share the character between them
			t = n.find.ReplaceAllString(t, "${1}"+n.instead+"${3}")
		}
	}
	for _, p := range patterns {
		t = p.find.ReplaceAllString(t, p.instead)
	}
	t = place.ReplaceAllStringFunc(t, func(m string) string {
		p := place.FindStringSubmatch(m)
		if slices.Contains([]string{"127.0.0.1", "0.0.0.0", "localhost", "*", "::", "::1"}, p[2]) {
			return m
		}
		return p[1] + removed
	})
	for range 2 {
		t = ipv4.ReplaceAllStringFunc(t, func(m string) string {
			p := ipv4.FindStringSubmatch(m)
			if strings.HasPrefix(p[2], "127.") || p[2] == "0.0.0.0" {
				return m
			}
			return p[1] + "ADDRESS" + p[3]
		})
	}
	return t
}

// lines scrubs a text line by line, and a row of a table cell by cell, so that
// the numbers beside a statement stay.
func (s *scrubber) lines(t string) string {
	var b strings.Builder
	for line := range strings.Lines(t) {
		body, end := strings.TrimSuffix(line, "\n"), ""
		if len(body) < len(line) {
			end = "\n"
		}
		cells := strings.Split(s.words(body), "|")
		for i, c := range cells {
			if sqlText.MatchString(c) {
				cells[i] = sentence(c)
			}
		}
		b.WriteString(strings.Join(cells, "|") + end)
	}
	return b.String()
}

// name is a file's; its folders are of runs.
func (s *scrubber) name(n string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == '\\' {
			return '_'
		}
		return r
	}, s.words(n))
}

// leaks names what is still in a file, of what is known.
func (s *scrubber) leaks(f File) string {
	text, err := plain(f)
	if err != nil {
		return "what cannot be read: " + err.Error()
	}
	for _, n := range s.names {
		if n.find.MatchString(f.Name) || n.find.Match(bytes.ReplaceAll(text, []byte(n.instead), nil)) {
			return n.what
		}
	}
	return ""
}
