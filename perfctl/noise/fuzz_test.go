package noise

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"opcost/testbed/linear"
)

// signed is a noise file with these entries and the right checksum.
func signed(entries string) []byte {
	sum, err := checksum(json.RawMessage(entries))
	if err != nil {
		sum = "none"
	}
	return fmt.Appendf(nil, `{"kind": %q, "schema": %d, "entries": %s, "checksum": %q}`, fileKind, Schema, entries, sum)
}

// What is believed of a file can be written and read again, and is the same.
func FuzzParse(f *testing.F) {
	for _, s := range []string{"[]", "null", `[{"metric": "cpu_us_per_query", "source": "proc", "sd": 0.01, "df": 3, "machine": {"host": "h"}}]`,
		`[{"sd": 1e308, "df": -1}]`, "[[[[", `{"sd": "x"}`, `[{"metric":"m","sd":1e-320,"df":1e300,"machine":{"host":"\ud800"}}]`} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, sign bool) {
		file := []byte(text)
		if sign {
			file = signed(text)
		}
		entries, err := parse(strings.NewReader(string(file)))
		if err != nil {
			return
		}
		again, err := encode(entries)
		if err != nil {
			t.Fatal(err)
		}
		back, err := parse(strings.NewReader(string(again)))
		if err != nil || len(back) != len(entries) || len(entries) > 0 && !reflect.DeepEqual(back, entries) {
			t.Errorf("%+v became %+v, %v", entries, back, err)
		}
		Merge(entries, back)
	})
}

func TestManyEntries(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		var b strings.Builder
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, `%c{"metric":"m%d","source":"proc","sd":0.01,"df":3,"machine":{"host":"h"}}`, "[,"[min(i, 1)], i)
		}
		return string(signed(b.String() + "]"))
	}, func(s string) {
		entries, err := parse(strings.NewReader(s))
		if err != nil {
			t.Fatal(err)
		}
		Merge(entries, entries)
	})
}
