package pprof

import (
	"bytes"
	"fmt"
	"testing"

	"opcost/profiles"
	"opcost/testbed/linear"
)

// A profile four times as long takes four times the work.
func TestLongProfiles(t *testing.T) {
	linear.Check(t, func(size int) string {
		b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
		for i := range size / 80 {
			f := b.Frame(profiles.Frame{Function: fmt.Sprintf("function_number_%d", i), Object: "/x"})
			if err := b.Add(fmt.Sprint("thread ", i), []int32{f, 0}, 1, 1); err != nil {
				t.Fatal(err)
			}
		}
		var out bytes.Buffer
		if err := Write(&out, &profiles.Set{Profiles: []*profiles.Profile{b.Profile()}}); err != nil {
			t.Fatal(err)
		}
		data, err := unpack(&out)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}, func(s string) {
		if _, err := Read(bytes.NewReader([]byte(s))); err != nil {
			t.Error(err)
		}
	})
}
