package open

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// format is what a file is by its first bytes.
type format string

const (
	perfData   format = "perf.data"
	perfScript format = "perf script text"
	callgrindF format = "a callgrind file"
	foldedF    format = "folded stacks"
	pprofF     format = "a pprof profile"
	gzipped    format = "gzip"
)

// readable is for the messages.
const readable = "read are perf.data, the text of perf script, callgrind files (and a folder of them), folded stacks and pprof, each gzip compressed or not"

// others are formats that are told, so that a message can say what to do.
var others = []struct {
	magic string
	name  string
	hint  string
}{
	{"\x7fELF", "a program or library (ELF)", "profile it: perf record, or opcost attach --profile"},
	{"PERFFILE", "a perf.data of before Linux 3.0", "no perf of today reads it: record anew"},
	{"FLR\x00", "a Java flight recording", "convert it to pprof or folded stacks (jfrconv)"},
	{"PK\x03\x04", "a zip archive", "unpack it"},
	{"BZh", "bzip2", "unpack it"},
	{"\xfd7zXZ\x00", "xz", "unpack it"},
	{"\x28\xb5\x2f\xfd", "zstd", "unpack it"},
	{"SQLite format 3\x00", "an SQLite database", "export folded stacks or pprof from it"},
	{"gmon", "gprof's gmon.out", "record with perf instead"},
	{"{", "JSON", "export folded stacks or pprof from the program that wrote it (speedscope, Firefox Profiler, Chrome)"},
	{"[", "JSON", "export folded stacks or pprof from the program that wrote it"},
	{"<", "a page or picture (HTML, XML, SVG)", "give what it was made of: the folded stacks or the perf.data"},
}

// tell names the format of a file that begins with head, all of it if it is
// short. Where it is none that is read, hint says what it is and what to do.
func tell(head []byte) (f format, hint string) {
	switch {
	case len(head) == 0:
		return "", "is empty"
	case bytes.HasPrefix(head, []byte("PERFILE2")), bytes.HasPrefix(head, []byte("2ELIFREP")):
		return perfData, ""
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		return gzipped, ""
	}
	trimmed := bytes.TrimLeft(head, " \t\r\n")
	for _, o := range others {
		// "[unknown];f 3" and "<module>;f 3" are stacks.
		if bytes.HasPrefix(trimmed, []byte(o.magic)) && !foldedLine.Match(firstLine(trimmed)) {
			return "", "is " + o.name + ": " + o.hint
		}
	}
	if isText(head) {
		return tellText(head)
	}
	if len(head) > 262 && string(head[257:262]) == "ustar" {
		return "", "is a tar archive: unpack it"
	}
	// A pprof file is a message whose first field is most often its sample types
	// (0x0a), and else one of its others, each a length and then that many bytes.
	if head[0]&7 == 2 && head[0]>>3 <= 15 {
		return pprofF, ""
	}
	return "", "is a binary file of a format that is not known"
}

// isText allows what symbols may hold, and a character that head cuts.
func isText(head []byte) bool {
	if bytes.IndexByte(head, 0) >= 0 {
		return false
	}
	strange := 0
	for i := 0; i < len(head); {
		r, n := utf8.DecodeRune(head[i:])
		if r == utf8.RuneError && n == 1 || r < ' ' && r != '\n' && r != '\t' && r != '\r' {
			strange++
		}
		i += n
	}
	return strange <= 4+len(head)/100
}

var (
	callgrindKey = regexp.MustCompile(`^(version|creator|pid|cmd|part|thread|desc|positions|event|events|summary):`)
	eventsLine   = regexp.MustCompile(`(?m)^events:`)
	frameLine    = regexp.MustCompile(`^\s+[0-9a-f]+ .*\(.*\)$`)
	sampleLine   = regexp.MustCompile(`^\s*\S.*[0-9]: +(\d+ +)?\S.*:|^# (========|captured on|cmdline)`)
	foldedLine   = regexp.MustCompile(`^\S.* \d+(\.\d+)?( \d+(\.\d+)?)?$`)
)

func firstLine(b []byte) []byte {
	line, _, _ := bytes.Cut(b, []byte("\n"))
	return bytes.TrimRight(line, "\r")
}

// looked is how many lines are looked at.
const looked = 200

func tellText(head []byte) (format, string) {
	frames, samples, folds, lines := 0, 0, 0, 0
	for line := range bytes.Lines(head) {
		line = bytes.TrimRight(line, " \t\r\n")
		if len(line) == 0 {
			continue
		}
		if lines++; lines > looked {
			break
		}
		switch {
		case bytes.HasPrefix(line, []byte("# callgrind format")):
			return callgrindF, ""
		case lines == 1 && callgrindKey.Match(line) && eventsLine.Match(head):
			return callgrindF, ""
		case frameLine.Match(line):
			frames++
		case sampleLine.Match(line):
			samples++
		case foldedLine.Match(line):
			folds++
		}
	}
	switch {
	case frames == 0 && folds > samples:
		return foldedF, ""
	case frames+samples > 0:
		return perfScript, ""
	}
	return "", "is a text of a format that is not known"
}
