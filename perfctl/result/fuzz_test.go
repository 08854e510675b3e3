package result

import (
	"encoding/binary"
	"fmt"
	"testing"

	"opcost/testbed/linear"
)

// indexBody is what an index of these runs holds between its head and its sum.
func indexBody(runs ...Run) []byte {
	m := newIndexMaker(len(runs))
	m.recent = true
	for i := range runs {
		m.add(runs[i].ID, stamp{}, &runs[i])
	}
	return m.body()
}

// Whatever an index holds behind a right sum: it takes no more memory than it
// has bytes, by far, and each of its runs is one or is none.
func FuzzIndexBody(f *testing.F) {
	f.Add(indexBody())
	f.Add(indexBody(aRun("a", 0), aRun("b", 1)))
	f.Add(binary.AppendUvarint(nil, 1<<62))
	f.Add([]byte{1, 200, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, body []byte) {
		x := parseIndex(body, nil)
		if x == nil {
			return
		}
		if len(x.at) > len(body) || len(x.tables.texts) > len(body) || len(x.tables.shapes) > len(body) || len(x.tables.tables) > len(body) {
			t.Errorf("%d bytes hold %d runs, %d texts", len(body), len(x.at), len(x.tables.texts))
		}
		for _, e := range x.at {
			run, ok := x.decode(e, fields{})
			if ok && len(run.Passes) > len(body) {
				t.Errorf("%d passes", len(run.Passes))
			}
		}
	})
}

func TestLongRecords(t *testing.T) {
	const one = `{"name":"handler_%d","value":1,"unit":"count","source":"server","scope":"user","state":"ok"}`
	for name, c := range map[string]struct {
		head, part, tail string
	}{
		"readings":   {`{"schema":1,"id":"a","passes":[{"kind":"count","state":"ok","windows":[{"id":"w","readings":[` + one, "," + one, `]}]}],"checksum":"0"}`},
		"variables":  {`{"schema":1,"id":"a","server":{"variables":{"a":"b"`, `,"v%d":"%d"`, `}},"checksum":"0"}`},
		"brackets":   {`{"schema":1,"a":`, "[", ""},
		"keys":       {`{"schema":1`, `,"checksum":"%d"`, "}"},
		"backslashs": {`{"schema":1,"id":"`, `\"`, `"}`},
	} {
		t.Run(name, func(t *testing.T) {
			linear.Check(t, func(bytes int) string { return c.head + linear.Repeat(c.part, bytes) + c.tail }, func(s string) { _, _ = decode("a", []byte(s)) })
		})
	}
	t.Run("index", func(t *testing.T) {
		linear.Check(t, func(bytes int) string {
			r := aRun("a", 0)
			for i := range bytes / 200 {
				r.Server.Variables[fmt.Sprintf("variable_number_%d", i)] = fmt.Sprintf("%0180d", i)
			}
			return string(indexBody(r))
		}, func(s string) {
			if x := parseIndex([]byte(s), nil); x == nil || len(x.at) != 1 {
				t.Error("no index")
			}
		})
	})
}
