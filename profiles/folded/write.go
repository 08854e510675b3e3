package folded

import (
	"bufio"
	"errors"
	"io"
	"strconv"

	"opcost/profiles"
)

// WriteOptions say what goes into a line.
type WriteOptions struct {
	Thread   bool // the thread's name as the first frame
	Annotate bool // _[k] behind the names of kernel frames, _[i] behind inlined ones
	Address  bool // the address, or its function's start, of frames without a name
}

// Write writes one profile, weighted in its event's unit. A profile of counted
// calls has no stacks but functions alone: that is what is written of it.
// Stacks that become the same text stay lines of their own, which every reader
// adds up. A weight of 0 is left out.
func Write(w io.Writer, p *profiles.Profile, o WriteOptions) error {
	out := bufio.NewWriter(w)
	texts := make([]string, len(p.Frames))
	for i, f := range p.Frames {
		texts[i] = o.text(f)
	}
	var line []byte
	for _, s := range p.Stacks {
		if s.Weight == 0 {
			continue
		}
		line = line[:0]
		if o.Thread {
			line = append(line, or(clean(s.Thread), "[unknown thread]")...)
		}
		for i := len(s.Frames) - 1; i >= 0; i-- {
			if len(line) > 0 {
				line = append(line, ';')
			}
			line = append(line, texts[s.Frames[i]]...)
		}
		if len(line) == 0 {
			line = append(line, "[no stack]"...)
		}
		line = strconv.AppendInt(append(line, ' '), s.Weight, 10)
		if _, err := out.Write(append(line, '\n')); err != nil {
			return errors.Join(errors.New("write folded stacks"), err)
		}
	}
	return out.Flush()
}

func or(s, other string) string {
	if s == "" {
		return other
	}
	return s
}
