package perfscript

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestRecentLines: a text means the same, whether its lines are remembered or
// each is taken apart.
func TestRecentLines(t *testing.T) {
	const (
		frame   = "\t    7f0000000123 [unknown] (/lib/libc.so.6)\n"
		named   = "\t    7f0000000124 read+0x1f (/lib/libc.so.6)\n"
		inlined = "\t    7f0000000125 f (inlined)\n"
		first   = "w 5/5 0.1: PERF_RECORD_MMAP2 5/5: [0x7f0000000000(0x10000) @ 0x26000 <abcd>]: r-xp /lib/libc.so.6\n"
		other   = "w 5/5 0.2: PERF_RECORD_MMAP2 5/5: [0x7f0000000000(0x10000) @ 0x50000 <abcd>]: r-xp /lib/libc.so.6\n"
		lost    = "w 5/5 0.3: PERF_RECORD_LOST lost 12\n"
	)
	long := "\t    7f0000000126 " + strings.Repeat("n", recentText) + " (/lib/libc.so.6)\n"
	of := func(pid, event string, lines ...string) string {
		return "w " + pid + "/" + pid + " 1.5: 3 " + event + ": \n" + strings.Join(lines, "") + "\n"
	}
	generated, err := io.ReadAll(newTexts(1 << 20))
	if err != nil {
		t.Fatal(err)
	}
	for name, in := range map[string]string{
		"again":               of("5", "a", frame, named) + of("5", "a", named, frame),
		"two events":          of("5", "a", frame, named) + of("5", "b", named, frame) + of("5", "a", frame, named) + of("5", "b", frame),
		"mapped elsewhere":    first + of("5", "a", frame, named) + of("5", "a", frame, named) + other + of("5", "a", frame, named),
		"another process":     first + of("5", "a", frame, named) + of("6", "a", frame, named) + of("5", "a", frame),
		"lost in between":     first + of("5", "a", frame) + lost + of("5", "a", frame),
		"inlined":             of("5", "a", named) + of("5", "a", inlined, named) + of("5", "a", inlined, inlined, named) + of("5", "a", named, inlined),
		"long lines":          of("5", "a", long, named) + of("5", "a", long, long[:len(long)-1]+" \n"),
		"ends with a colon":   of("5", "a", "\t    7f0000000124 read:\n") + of("5", "a", "\t    7f0000000124 read:\n"),
		"a source line":       of("5", "a", named, "  file_of_some_length.c:12\n") + of("5", "a", named, "  file_of_some_length.c:12\n"),
		"neither":             of("5", "a", named, "\t nothing that is a frame\n") + of("5", "a", "\t nothing that is a frame\n"),
		"6,000 kinds of line": string(generated),
	} {
		for _, o := range []Options{{}, {Threads: ByThread, BuildIDs: map[string]string{"/lib/libc.so.6": "abcd"}}} {
			got, err := Parse(strings.NewReader(in), o)
			want, err2 := parse(strings.NewReader(in), o, recent{})
			if err != nil || err2 != nil {
				t.Errorf("%s: %v, %v", name, err, err2)
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s: taken apart, and by memory:\n%s", name, diff)
			}
		}
	}
}

// TestRecentIsUsed: a line that was read before is not taken apart.
func TestRecentIsUsed(t *testing.T) {
	line := []byte("\t    7f0000000124 read+0x1f (/lib/libc.so.6)")
	e, r := newEvent("a", nil), newRecent()
	s := r.slot(e, line, 1)
	if r.holds(s, e, nil, line) {
		t.Error("it was known before it was read")
	}
	*s = recentLine{line: bytes.Clone(line), event: e, frame: 7}
	if s = r.slot(e, line, 2); !r.holds(s, e, nil, line) || s.frame != 7 {
		t.Error("it was forgotten")
	}
	line[len(line)-2]++
	if s = r.slot(e, line, 3); r.holds(s, e, nil, line) {
		t.Error("another line counts as the same")
	}
}
