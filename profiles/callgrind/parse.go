package callgrind

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
)

const (
	// maxLine holds the longest C++ names many times over.
	maxLine = 1 << 20
	// maxEvents is above what valgrind can count at once (cache and branch
	// simulation give 13) and keeps a hostile header from making each function
	// huge.
	maxEvents = 64
)

// Parse reads a file in callgrind's format. Source lines and addresses are
// checked and not kept; jumps are skipped. An error names the line. Memory is
// bounded by the file's size; a reader of files from elsewhere limits that.
func Parse(r io.Reader) (*File, error) {
	p := &parser{objects: newNames(), files: newNames(), functions: newNames(), function: -1}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxLine)
	line := 0
	for sc.Scan() {
		line++
		if err := p.line(strings.TrimRight(sc.Text(), " \t\r")); err != nil {
			return nil, fmt.Errorf("line %d: %w", line, err)
		}
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("line %d: %w", line+1, err)
	}
	if p.call != nil {
		return nil, fmt.Errorf("line %d: the file ends where the cost of a call should follow", line)
	}
	if len(p.out.Parts) == 0 || p.part().Events == nil {
		return nil, errors.New("no line \"events:\": not a file in callgrind's format, or cut short in its header")
	}
	return &p.out, nil
}

// parser is the state between lines.
type parser struct {
	out                       File
	objects, files, functions *names

	// Of the current part:
	index     map[functionKey]int // into Functions
	calls     map[[2]int]int      // caller, callee: into the caller's Calls
	positions int                 // columns in front of the costs
	body      bool                // something but headers was seen
	ended     bool                // "totals:" was seen

	// The current function, and where it is.
	object, file int
	function     int // into Functions; -1 before the first
	callee       callee
	call         *pendingCall
}

// functionKey are indexes into the three spaces of names.
type functionKey struct{ object, file, name int }

// callee is what cob=, cfi= and cfn= have said of the next call; 0 is not said.
type callee struct{ object, file, name int }

// pendingCall is a "calls=" line whose cost is the next line.
type pendingCall struct {
	callee int
	count  uint64
}

func (p *parser) part() *Part { return &p.out.Parts[len(p.out.Parts)-1] }

func (p *parser) newPart() {
	p.out.Parts = append(p.out.Parts, Part{})
	p.index, p.calls = map[functionKey]int{}, map[[2]int]int{}
	p.positions = 1 // "positions: line" is the default
	p.body, p.ended = false, false
	p.object, p.file, p.function = 0, 0, -1
	p.callee = callee{}
}

func (p *parser) line(s string) error {
	if s == "" || s[0] == '#' {
		return nil
	}
	if isCost(s[0]) {
		return p.cost(s)
	}
	if p.call != nil {
		return fmt.Errorf("%.60q where the cost of a call should follow", s)
	}
	// "fn=" and the like first: a name may hold a colon, a header's key no "=".
	if key, value, ok := strings.Cut(s, "="); ok && !strings.ContainsAny(key, ": ") {
		return p.keyed(key, value)
	}
	if key, value, ok := strings.Cut(s, ":"); ok {
		return p.header(key, strings.TrimSpace(value))
	}
	return fmt.Errorf("%.60q is no line of callgrind's format", s)
}

// isCost tells a line of positions and costs by its first byte.
func isCost(c byte) bool { return c >= '0' && c <= '9' || c == '+' || c == '-' || c == '*' }
