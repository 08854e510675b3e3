package tasks

import (
	"strings"
	"testing"

	"opcost/testbed/linear"
)

// A thread may have any name, and a process any number of groups and CPUs.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		"Name:\tmariadbd\nNSpid:\t7\t3\nvoluntary_ctxt_switches:\t31\nnonvoluntary_ctxt_switches:\t7\n",
		"Name:\t\\nvoluntary_ctxt_switches:\nvoluntary_ctxt_switches:\t-1\nnonvoluntary_ctxt_switches:\t18446744073709551616\n",
		"411605849 93680043 79\n", "1 2\n", "1 2 3 4", "-1 0 0", "\nNSpid:\n\nvoluntary_ctxt_switches:1\nnonvoluntary_ctxt_switches:2",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		if s, err := ParseStatus(b); err == nil && strings.Contains(s.Name, "\n") {
			t.Errorf("%+v", s)
		}
		if s, err := ParseSchedstat(b); err != nil && s.Slices != 0 {
			t.Errorf("%+v with %v", s, err)
		}
	})
}

func TestLongStatus(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		return "Name:\tx\nGroups:\t" + strings.Repeat("4294967294 ", bytes/11) + "\nNSpid:\t1\nvoluntary_ctxt_switches:\t31\nnonvoluntary_ctxt_switches:\t7\n"
	}, func(s string) {
		if got, err := ParseStatus([]byte(s)); err != nil || got.Voluntary != 31 {
			t.Errorf("%+v, %v", got, err)
		}
	})
}
