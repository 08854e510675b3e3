package perfscript

import (
	"bytes"
	"math"
)

// header is a sample's first line, in slices of it. perf prints its fields in
// this order, each of them optional by -F (tools/perf/builtin-script.c,
// perf_sample__fprintf_start and process_event):
//
//	comm  pid/tid [cpu] time: period event: the rest
type header struct {
	comm      []byte
	pid, tid  []byte // digits; one number alone is the tid
	event     []byte // without the colon behind it; or PERF_RECORD_…
	rest      []byte // what is behind the event on the same line
	period    int64
	hasPeriod bool
	hasTime   bool
}

const (
	maxComm     = 15 // what the kernel keeps of a thread's name (TASK_COMM_LEN)
	periodWidth = 10 // perf pads a period to it, and a pid to 5: a number alone is told by that
)

// parseHeader takes a sample's first line apart. A thread's name may hold
// anything, so every number in the line could be where the name ends. What can
// be nothing but a header wins: first with a time, then with pid/tid, then with
// a cpu; and among equals the longest name that the kernel would keep where
// there is a time, which a name can only imitate in front of the true one; else
// the shortest.
func parseHeader(line []byte) (header, bool) {
	var best header
	bestScore, found := -1, false
	for at := 0; at < len(line); {
		for at < len(line) && line[at] == ' ' || at < len(line) && line[at] == '\t' {
			at++
		}
		if at == len(line) {
			break
		}
		if isDigit(line[at]) || line[at] == '-' {
			if h, score, ok := fields(line[at:]); ok {
				h.comm = bytes.TrimSpace(line[:at])
				if score == 0 && !h.hasPeriod && at-len(h.comm)-1+len(h.tid) >= periodWidth {
					h.period, h.hasPeriod = number(h.tid)
					h.tid = nil
				}
				better := score > bestScore || score == bestScore && h.hasTime && len(h.comm) <= maxComm
				if better {
					best, bestScore, found = h, score, true
				}
			}
		}
		next := bytes.IndexByte(line[at:], ' ')
		if next < 0 || at > 4*maxComm {
			break
		}
		at += next
	}
	if found {
		return best, true
	}
	return withoutIDs(line)
}

// fields reads a header from its pid on, and says how sure it is to be one.
func fields(b []byte) (h header, score int, ok bool) {
	word, b := token(b)
	slash := bytes.IndexByte(word, '/')
	switch {
	case slash < 0 && isNumber(word):
		h.tid = word
	case slash > 0 && isNumber(word[:slash]) && isNumber(word[slash+1:]):
		h.pid, h.tid = word[:slash], word[slash+1:]
		score += 2
	default:
		return header{}, 0, false
	}
	word, b = token(b)
	if len(word) > 2 && word[0] == '[' && word[len(word)-1] == ']' && isNumber(word[1:len(word)-1]) {
		score++
		word, b = token(b)
	}
	if isTime(word) {
		h.hasTime = true
		score += 4
		word, b = token(b)
	}
	if n, isNum := number(word); isNum {
		h.period, h.hasPeriod = n, true
		word, b = token(b)
	}
	if !h.takeEvent(word, b) {
		return header{}, 0, false
	}
	return h, score, true
}

// takeEvent accepts an event's name, with its colon, or a record's.
func (h *header) takeEvent(word, rest []byte) bool {
	switch {
	case len(word) > 1 && word[len(word)-1] == ':' && !isNumber(word[:len(word)-1]):
		h.event = word[:len(word)-1]
	case bytes.HasPrefix(word, []byte("PERF_RECORD_")):
		h.event = word
		if i := bytes.IndexByte(word, '('); i > 0 { // PERF_RECORD_FORK(1:1):(0:0)
			h.event, rest = word[:i], word[i:]
		}
	default:
		return false
	}
	h.rest = rest
	return true
}

// withoutIDs reads a header without pid and tid (-F comm,event): the event is
// the last word, and behind it is nothing.
func withoutIDs(line []byte) (h header, ok bool) {
	line = bytes.TrimRight(line, " ")
	if len(line) < 2 || line[len(line)-1] != ':' || line[0] == '\t' {
		return h, false
	}
	cut := bytes.LastIndexByte(line, ' ')
	event := line[cut+1:]
	if isTime(event) || !h.takeEvent(event, nil) || !eventLike(h.event) {
		return header{}, false
	}
	if cut > 0 {
		h.comm = bytes.TrimSpace(line[:cut])
	}
	return h, true
}

// eventLike tells an event's name from prose that ends in a colon.
func eventLike(name []byte) bool {
	for _, c := range name {
		if !isAlnum(c) && bytes.IndexByte([]byte("_-:/.,=+*@"), c) < 0 {
			return false
		}
	}
	return len(name) > 0
}

// token cuts the first word off.
func token(b []byte) (word, rest []byte) {
	i := 0
	for i < len(b) && b[i] == ' ' {
		i++
	}
	j := i
	for j < len(b) && b[j] != ' ' {
		j++
	}
	return b[i:j], b[j:]
}

// isTime accepts 28075374.517811: with micro- or nanoseconds.
func isTime(b []byte) bool {
	dot := bytes.IndexByte(b, '.')
	return dot > 0 && len(b) > dot+2 && b[len(b)-1] == ':' && isNumber(b[:dot]) && isNumber(b[dot+1:len(b)-1])
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isAlnum(c byte) bool {
	return isDigit(c) || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// isNumber accepts digits, and -1, the pid of what belongs to no process.
func isNumber(b []byte) bool {
	if len(b) > 1 && b[0] == '-' {
		b = b[1:]
	}
	for _, c := range b {
		if !isDigit(c) {
			return false
		}
	}
	return len(b) > 0
}

// number is a decimal number that fits.
func number(b []byte) (int64, bool) {
	var n int64
	for _, c := range b {
		d := int64(c - '0')
		if !isDigit(c) || n > (math.MaxInt64-d)/10 {
			return 0, false
		}
		n = n*10 + d
	}
	return n, len(b) > 0
}
