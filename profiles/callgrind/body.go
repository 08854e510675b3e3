package callgrind

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// keyed reads a line "key=value": where the following costs belong.
func (p *parser) keyed(key, value string) (err error) {
	if p.out.Parts == nil || p.part().Events == nil {
		return errors.New("a function before the line \"events:\"")
	}
	p.body = true
	switch key {
	case "ob":
		p.object, err = p.objects.read(value)
	case "fl", "fi", "fe":
		// fi and fe: the following costs are of code from another file (inlined),
		// or from the function's own again. The function stays.
		p.file, err = p.files.read(value)
	case "fn":
		var name int
		if name, err = p.functions.read(value); err == nil {
			p.function = p.intern(functionKey{p.object, p.file, name})
		}
	case "cob":
		p.callee.object, err = p.objects.read(value)
	case "cfi", "cfl":
		p.callee.file, err = p.files.read(value)
	case "cfn":
		p.callee.name, err = p.functions.read(value)
	case "calls":
		err = p.callsLine(value)
	case "jfi":
		_, err = p.files.read(value) // may define a number
	case "jfn":
		_, err = p.functions.read(value)
	case "jump", "jcnd":
		// The line after it holds the jump's own position and no cost, and so
		// adds nothing.
	default:
		err = errors.New("is no line of callgrind's format")
	}
	if err != nil {
		return fmt.Errorf("%s=%.60s: %w", key, value, err)
	}
	return nil
}

func (p *parser) intern(k functionKey) int {
	i, ok := p.index[k]
	if !ok {
		part := p.part()
		i = len(part.Functions)
		part.Functions = append(part.Functions, Function{
			Object: p.objects.list[k.object], File: p.files.list[k.file], Name: p.functions.list[k.name],
			Self: make([]uint64, len(part.Events)),
		})
		p.index[k] = i
	}
	return i
}

// callsLine reads "calls=COUNT POSITION…". A callee whose object or file was
// not said is in those of the code that calls.
func (p *parser) callsLine(value string) error {
	fields := strings.Fields(value)
	if len(fields) == 0 {
		return errors.New("without a count")
	}
	count, err := number(fields[0])
	if err != nil {
		return err
	}
	if p.function < 0 {
		return errors.New("a call before the first fn=")
	}
	k := functionKey(p.callee)
	if k.name == 0 {
		return errors.New("a call without cfn=")
	}
	if k.object == 0 {
		k.object = p.object
	}
	if k.file == 0 {
		k.file = p.file
	}
	p.call = &pendingCall{callee: p.intern(k), count: count}
	p.callee = callee{}
	return nil
}

// cost reads a line of positions and costs: of the current function itself, or
// behind "calls=" of that call.
func (p *parser) cost(s string) error {
	if p.function < 0 {
		return errors.New("a cost before the first fn=")
	}
	fields := strings.Fields(s)
	if len(fields) < p.positions {
		return fmt.Errorf("%.60q: a cost line begins with %d positions", s, p.positions)
	}
	for _, f := range fields[:p.positions] {
		if err := position(f); err != nil {
			return err
		}
	}
	costs, err := p.costs(fields[p.positions:])
	if err != nil {
		return err
	}
	f := &p.part().Functions[p.function]
	if p.call == nil {
		return add(f.Self, costs)
	}
	call := *p.call
	p.call = nil
	key := [2]int{p.function, call.callee}
	i, ok := p.calls[key]
	if !ok {
		i = len(f.Calls)
		f.Calls = append(f.Calls, Call{Callee: call.callee, Inclusive: make([]uint64, len(costs))})
		p.calls[key] = i
	}
	c := &f.Calls[i]
	if c.Count+call.count < c.Count {
		return errors.New("the number of calls does not fit 64 bits")
	}
	c.Count += call.count
	return add(c.Inclusive, costs)
}

// costs reads the costs of one line, a column an event; columns left out at
// the end are 0.
func (p *parser) costs(fields []string) ([]uint64, error) {
	events := p.part().Events
	if len(fields) > len(events) {
		return nil, fmt.Errorf("%d costs for %d events", len(fields), len(events))
	}
	costs := make([]uint64, len(events))
	for i, f := range fields {
		var err error
		if costs[i], err = number(f); err != nil {
			return nil, err
		}
	}
	return costs, nil
}

func add(sum, costs []uint64) error {
	for i, c := range costs {
		if sum[i]+c < sum[i] {
			return errors.New("a sum of costs does not fit 64 bits")
		}
		sum[i] += c
	}
	return nil
}

// position checks a source line or address: a number, one relative to that of
// the line before (+3, -3), or the same (*).
func position(s string) error {
	if s == "*" {
		return nil
	}
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	_, err := number(s)
	return err
}

// number reads decimal or 0x hexadecimal.
func number(s string) (uint64, error) {
	digits, base := s, 10
	if hex, ok := strings.CutPrefix(s, "0x"); ok {
		digits, base = hex, 16
	}
	n, err := strconv.ParseUint(digits, base, 64)
	if errors.Is(err, strconv.ErrRange) {
		return 0, fmt.Errorf("%.40q does not fit 64 bits", s)
	}
	if err != nil {
		return 0, fmt.Errorf("%.40q is no number", s)
	}
	return n, nil
}
