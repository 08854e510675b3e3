package pprof

import (
	"math"
	"regexp"
	"strconv"
	"strings"

	"github.com/google/pprof/profile"

	"opcost/profiles"
)

// framesOf are a location's functions, the innermost first.
func framesOf(l *profile.Location, ours bool) []profiles.Frame {
	var base profiles.Frame
	if m := l.Mapping; m != nil {
		base.Object, base.BuildID, base.Space = m.File, m.BuildID, space(m, ours)
	}
	if len(l.Line) == 0 {
		base.Address = l.Address
		if m := l.Mapping; m != nil && base.Space == profiles.User && l.Address >= m.Start && l.Address < m.Limit {
			base.Address, base.InFile = l.Address-m.Start+m.Offset, true
		}
		return []profiles.Frame{base}
	}
	var frames []profiles.Frame
	for i, line := range l.Line {
		f := base
		if ours {
			ourFrame(&f, line.Function)
		} else {
			if f.Function = line.Function.Name; f.Function == "" {
				f.Function = line.Function.SystemName
			}
			if f.Function == "" {
				f.Address = l.Address
			}
			f.Inlined = i < len(l.Line)-1
		}
		frames = append(frames, f)
	}
	return frames
}

func space(m *profile.Mapping, ours bool) profiles.Space {
	switch {
	case m.Start >= kernelStart, !ours && strings.HasPrefix(m.File, "[kernel"):
		return profiles.Kernel
	case ours && m.Limit == 0:
		return profiles.UnknownSpace
	}
	return profiles.User
}

var (
	// place is what unnamed writes behind the object's name.
	place = regexp.MustCompile(`^( fn 0x([0-9a-f]+))?(?:([+ ])0x([0-9a-f]+))?('\d+)?$`)
	// depth is what function writes behind the name of a recursion's inner call.
	depth = regexp.MustCompile(`'(\d+)$`)
)

// ourFrame reads what function has written.
func ourFrame(f *profiles.Frame, fn *profile.Function) {
	f.Inlined = strings.HasSuffix(fn.Filename, inlined)
	f.Function = fn.SystemName
	if rest, ok := strings.CutPrefix(fn.Name, fn.SystemName); ok {
		if m := depth.FindStringSubmatch(rest); m != nil {
			if n, err := strconv.Atoi(m[1]); err == nil && n <= math.MaxUint16 {
				f.Recursion = uint16(n)
			}
		}
	}
	if f.Function != "" {
		return
	}
	m := place.FindStringSubmatch(strings.TrimPrefix(fn.Name, short(f.Object)))
	if m == nil {
		f.Function = fn.Name // another program has changed the file
		return
	}
	f.Start, _ = strconv.ParseUint(m[2], 16, 64) // "" is 0
	f.Address, _ = strconv.ParseUint(m[4], 16, 64)
	f.InFile = m[3] == "+"
}
