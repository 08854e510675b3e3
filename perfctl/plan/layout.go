package plan

import (
	"regexp"
	"strings"
)

// maxNesting is more than any plan needs. The parser's work grows with the
// square of the nesting.
const maxNesting = 50

var blockNesting = regexp.MustCompile(`^[ ]*([-?] +){20}`)

// layout finds what the parser had better not see: tabs in the indentation,
// which YAML does not allow and a parser stumbles over in another way at each
// place, and nesting without end.
func layout(file, text string) []Problem {
	var ps []Problem
	open := 0
	n := 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		indent := line[:len(line)-len(strings.TrimLeft(line, " \t"))]
		if tab := strings.IndexByte(indent, '\t'); tab >= 0 && strings.TrimSpace(line) != "" {
			ps = append(ps, Problem{File: file, Line: n, Col: tab + 1, Text: "a tab in the indentation", Instead: "spaces"})
		}
		deep := Problem{File: file, Line: n, Col: 1, Text: "nested more deeply than any plan is; a bracket may not be closed"}
		if blockNesting.MatchString(line) {
			return append(ps, deep)
		}
		for i, c := range line {
			switch c {
			case '[', '{':
				open++
			case ']', '}':
				open = max(0, open-1)
			}
			if open > maxNesting {
				deep.Col = i + 1
				return append(ps, deep)
			}
		}
	}
	return ps
}
