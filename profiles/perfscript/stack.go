package perfscript

import (
	"bytes"
	"strings"

	"opcost/profiles"
)

// frame reads a line of the open sample's stack.
func (p *parser) frame(line []byte) error {
	s := p.recent.slot(p.event, line, p.in.n)
	if s != nil && len(p.inlined) == 0 && len(p.frames) < maxFrames && p.recent.holds(s, p.event, p.process, line) {
		p.push(s.frame)
		return nil
	}
	addr, text, ok := address(line)
	if !ok {
		if sourceLine(line) {
			return nil
		}
		return p.junk(line, "no frame, inside a sample")
	}
	before := len(p.frames)
	k := p.place(addr, text)
	if s != nil && len(p.frames) > before {
		*s = recentLine{line: append(s.line[:0], line...), event: p.event, frame: k.frame}
		if k.unnamed {
			s.generation, s.process = p.recent.generation, p.process
		}
	}
	return nil
}

// push adds a frame that is known to the open sample.
func (p *parser) push(frame int32) {
	p.frames = append(p.frames, frame)
	p.event.callers = p.event.callers || len(p.frames) > 1
}

// place adds a frame to the open sample, or, where it is inlined, keeps its name
// until the function comes that it was inlined into. It gives what was added.
func (p *parser) place(addr uint64, text []byte) (k known) {
	if len(p.frames)+len(p.inlined) >= maxFrames {
		if !p.cut {
			p.cut = true
			p.warnings.add(p.in.n, "a stack of over 65,536 frames was cut", text)
		}
		return known{}
	}
	e := p.event
	if bytes.HasSuffix(text, inlinedMark) {
		p.inlined = append(p.inlined, e.text(parsePlace(text).symbol))
		return known{}
	}
	k, isNew := e.lookup(addr, text)
	if isNew {
		p.addresses.see(k.object, addr)
	}
	if len(p.inlined) > 0 {
		p.takeInlined(k.object, spaceOf(k.object, addr))
	}
	if k.unnamed {
		k.frame = p.unnamed(k.object, addr)
	}
	p.push(k.frame)
	return k
}

// takeInlined puts the inlined functions into the stack, as of the object of
// the function that they were inlined into.
func (p *parser) takeInlined(object string, space profiles.Space) {
	for _, name := range p.inlined {
		p.frames = append(p.frames, p.event.builder.Frame(profiles.Frame{
			Function: name, Object: object, BuildID: p.event.buildIDs[object], Inlined: true, Space: space,
		}))
	}
	p.inlined = p.inlined[:0]
}

// unnamedKey is what tells a frame without a name, as long as the mappings stay.
type unnamedKey struct {
	event   *event
	process *mapping
	object  string
	addr    uint64
}

// maxUnnamed bounds the frames kept by their key.
const maxUnnamed = 1 << 17

// unnamed is the index of a frame that only its address tells.
func (p *parser) unnamed(object string, addr uint64) int32 {
	key := unnamedKey{p.event, p.process, object, addr}
	if i, ok := p.places[key]; ok {
		return i
	}
	f := profiles.Frame{Object: object, BuildID: p.event.buildIDs[object], Address: addr, Space: spaceOf(object, addr)}
	if f.Space == profiles.User && p.process != nil && strings.HasPrefix(object, "/") {
		at, inMemory := p.process.at(addr, object)
		inFile := p.process.holds(addr, object)
		switch {
		case inFile && (!inMemory || p.addresses.inFile()):
			f.InFile = true
		case inMemory:
			f.Address, f.InFile = at, true
		}
	}
	i := p.event.builder.Frame(f)
	if p.places == nil || len(p.places) >= maxUnnamed {
		p.places = map[unnamedKey]int32{}
		p.recent.forget()
	}
	p.places[key] = i
	return i
}

// addresses is what is known of the addresses that perf printed of user space:
// before 5.17 where the code is in memory, since then where it is in its file.
type addresses struct{ memory, file int64 }

// libraries tell: they are mapped far above any file's size.
func (a *addresses) see(object string, addr uint64) {
	if !strings.HasPrefix(object, "/") || !strings.Contains(object[strings.LastIndexByte(object, '/'):], ".so") {
		return
	}
	if addr >= 1<<40 {
		a.memory++
	} else {
		a.file++
	}
}

func (a addresses) inFile() bool { return a.file > a.memory }

// settle marks the addresses of a text that did not tell the mappings.
func (a addresses) settle(p *profiles.Profile) {
	if !a.inFile() || a.memory > 0 {
		return
	}
	for i, f := range p.Frames {
		if !f.Named() && f.Space == profiles.User && strings.HasPrefix(f.Object, "/") && f.Address < 1<<40 {
			p.Frames[i].InFile = true
		}
	}
}

// sourceLine accepts what -F srcline prints below a frame: file.c:12.
func sourceLine(line []byte) bool {
	line = bytes.TrimLeft(line, " \t")
	i := bytes.LastIndexByte(line, ':')
	return i > 0 && i+1 < len(line) && isNumber(line[i+1:]) && bytes.IndexByte(line[:i], ' ') < 0
}
