package pprof

import (
	"bytes"
	"compress/gzip"
	"runtime"
	"strings"
	"testing"
)

// A file of some kB that would take gigabytes is refused before it does.
func TestManyMessages(t *testing.T) {
	for name, message := range map[string]string{"samples": "\x12\x00", "locations": "\x22\x00", "texts": "\x32\x00"} {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		if _, err := z.Write([]byte("\x0a\x04\x08\x01\x10\x02" + strings.Repeat(message, maxMessages))); err != nil {
			t.Fatal(err)
		}
		if err := z.Close(); err != nil {
			t.Fatal(err)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Read(&b)
		runtime.ReadMemStats(&after)
		if err == nil || !strings.Contains(err.Error(), "more than are read") {
			t.Errorf("%s: %v", name, err)
		}
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 10*2*maxMessages {
			t.Errorf("%s: %d MB were allocated for %d MB", name, grown>>20, 2*maxMessages>>20)
		}
	}
}

func TestCountMessages(t *testing.T) {
	const three = "\x0a\x01x\x08\x80\x01\x12\x00\x09abcdefgh\x0dabcd\x32\x02ab" // 3 messages among numbers of each kind
	for data, refused := range map[string]bool{three: false, three + "\x12\x00": true, "": false, "\xff": false, "\x0a\xff": false, "\x0a\x7f": false, "\x08": false, "\x0b": false} {
		if err := countMessages([]byte(data), 3); (err != nil) != refused {
			t.Errorf("%q: %v", data, err)
		}
	}
}
