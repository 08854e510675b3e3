package callgrind

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// header reads a line "key: value". Keys that do not matter here are skipped:
// the format allows any.
func (p *parser) header(key, value string) (err error) {
	if p.beginsPart(key) {
		if p.out.Parts != nil && p.part().Events == nil {
			return fmt.Errorf("a part before this line has no line \"events:\"")
		}
		p.newPart()
	}
	part := p.part()
	switch key {
	case "version":
		p.out.Version = value
	case "creator":
		p.out.Creator = value
	case "cmd":
		part.Cmd = value
	case "pid":
		part.PID, err = strconv.Atoi(value)
	case "part":
		part.Number, err = strconv.Atoi(value)
	case "thread":
		part.Thread, err = strconv.Atoi(value)
	case "desc":
		if trigger, ok := strings.CutPrefix(value, "Trigger: "); ok {
			part.Trigger = strings.TrimSpace(trigger)
		}
	case "positions":
		p.positions = len(strings.Fields(value))
		if p.positions == 0 || p.positions > 3 { // instr, bb, line
			err = fmt.Errorf("%d positions", p.positions)
		}
	case "events":
		if part.Events != nil {
			return errors.New("a second line \"events:\" in one part")
		}
		part.Events = strings.Fields(value)
		if n := len(part.Events); n == 0 || n > maxEvents {
			err = fmt.Errorf("%d events; 1 to %d can be read", n, maxEvents)
		}
	case "summary":
		part.Summary, err = p.costs(strings.Fields(value))
	case "totals":
		p.ended = true
		part.Totals, err = p.costs(strings.Fields(value))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", key, err)
	}
	return nil
}

// beginsPart reports whether a header line is the first of a part. Callgrind
// writes several parts into one file with --combine-dumps=yes, each with its
// own headers; xdebug writes "summary:" in the middle of its only part.
func (p *parser) beginsPart(key string) bool {
	if p.out.Parts == nil || p.ended {
		return true
	}
	switch key {
	case "version", "creator", "pid", "cmd", "part", "thread", "positions", "events":
		return p.body
	}
	return false
}
