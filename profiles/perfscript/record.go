package perfscript

import (
	"bytes"
	"strconv"
	"strings"
)

// record takes what else perf prints between samples when it is asked to
// (--show-mmap-events, --show-task-events, --show-lost-events): where files lie
// in a process's memory, and how many samples were lost. Others are left out.
func (p *parser) record(h header) {
	rest := string(h.rest)
	if !bytes.HasPrefix(h.event, []byte("PERF_RECORD_LOST")) {
		p.places = nil
		p.recent.forget()
	}
	switch string(h.event) {
	case "PERF_RECORD_LOST", "PERF_RECORD_LOST_SAMPLES":
		if _, after, ok := strings.Cut(rest, "lost "); ok {
			word, _, _ := strings.Cut(after, " ")
			if n, ok := number([]byte(word)); ok && n < 1<<50 && p.lost < 1<<60 {
				p.lost += n
			}
		}
	case "PERF_RECORD_THROTTLE":
		p.throttled++
	case "PERF_RECORD_MMAP", "PERF_RECORD_MMAP2":
		if pid, r, ok := parseMmap(rest); ok {
			p.processOf(pid).insert(r)
		}
	case "PERF_RECORD_COMM":
		if strings.HasPrefix(strings.TrimSpace(rest), "exec:") { // a new program: nothing of the old one is mapped
			if i := strings.LastIndexByte(rest, ':'); i >= 0 {
				pid, _, _ := strings.Cut(rest[i+1:], "/")
				delete(p.maps, pid)
			}
		}
	case "PERF_RECORD_FORK":
		if child, parent, ok := parseFork(rest); ok && child != parent {
			p.maps[child] = p.processOf(parent).fork()
		}
	case "PERF_RECORD_EXIT":
		if pid, tid, ok := strings.Cut(strings.TrimPrefix(strings.SplitN(rest, ")", 2)[0], "("), ":"); ok && pid == tid {
			delete(p.maps, pid)
		}
	}
}

func (p *parser) processOf(pid string) *mapping {
	m := p.maps[pid]
	if m == nil {
		m = &mapping{}
		p.maps[strings.Clone(pid)] = m
	}
	return m
}

// parseFork reads (child:thread):(parent:thread).
func parseFork(s string) (child, parent string, ok bool) {
	a, b, ok := strings.Cut(s, "):(")
	if !ok {
		return "", "", false
	}
	child, _, _ = strings.Cut(strings.TrimPrefix(a, "("), ":")
	parent, _, _ = strings.Cut(b, ":")
	return child, parent, isNumber([]byte(child)) && isNumber([]byte(parent))
}

// parseMmap reads "12/12: [0x55d0(0x1000) @ 0x2000 08:01 123 0]: r-xp /path",
// and the older "12/12: [0x55d0(0x1000) @ 0]: x /path". Only code that lies in
// a file is of use.
func parseMmap(s string) (pid string, r region, ok bool) {
	ids, s, ok := strings.Cut(strings.TrimSpace(s), ": [")
	if !ok {
		return "", r, false
	}
	pid, _, _ = strings.Cut(ids, "/")
	where, s, ok := strings.Cut(s, "]: ")
	if !ok {
		return "", r, false
	}
	prot, path, _ := strings.Cut(s, " ")
	if !strings.Contains(prot, "x") || !strings.HasPrefix(path, "/") || strings.HasPrefix(path, "//anon") {
		return "", r, false
	}
	at, offset, ok := strings.Cut(where, " @ ")
	start, length, ok2 := strings.Cut(at, "(")
	if !ok || !ok2 {
		return "", r, false
	}
	offset, _, _ = strings.Cut(offset, " ")
	var size uint64
	for _, f := range []struct {
		text string
		to   *uint64
	}{{start, &r.start}, {strings.TrimSuffix(length, ")"), &size}, {offset, &r.offset}} {
		n, err := strconv.ParseUint(f.text, 0, 64)
		if err != nil {
			return "", r, false
		}
		*f.to = n
	}
	r.end, r.path = r.start+size, path
	return pid, r, r.end > r.start
}
