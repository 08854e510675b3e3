package vmstat

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const head = "procs -----------memory---------- ---swap-- -----io---- -system-- ------cpu-----\n r  b   swpd   free   buff  cache   si   so    bi    bo   in   cs us sy id wa st\n"

func row(cs, us, sy, id int) string {
	return fmt.Sprintf(" 1  0      0 100 200 300    0    0     5     7   11 %4d %2d %2d %2d  0  0\n", cs, us, sy, id)
}

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     string // means of cs and us, over how many
		warn     int
		err      string
	}{
		// The heading repeats, and is no row of zeros; the first row is since boot.
		{"heading repeats", head + row(900, 90, 5, 5) + row(10, 20, 10, 70) + head + row(30, 40, 10, 50), "20 30 2", 0, ""},
		{"a row that is none", head + row(900, 90, 5, 5) + row(10, 20, 10, 70) + "vmstat: killed\n", "10 20 1", 1, ""},
		{"shares that cannot be", head + row(900, 90, 5, 5) + row(10, 20, 10, 70) + row(30, 90, 90, 90), "10 20 1", 1, ""},
		{"another's lines before", "started\n" + head + row(900, 90, 5, 5) + row(10, 20, 10, 70), "10 20 1", 0, ""},
		{"wide numbers shift columns", head + row(900, 90, 5, 5) + "1 0 0 93858912123 200 300 0 0 5 7 11 10 20 10 70 0 0\n", "10 20 1", 0, ""},
		{"columns change", head + row(900, 90, 5, 5) + " r  b   swpd   free  inact active   si   so    bi    bo   in   cs us sy id wa\n", "", 0, "two outputs"},
		{"heading alone", head, "", 0, "no row below"},
		{"disks", "disk- ------------reads------------ ---writes---\n", "", 0, "vmstat -d"},
		{"nothing", "hello\n", "", 0, "no heading"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, ws, err := Parse(strings.NewReader(tt.in))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if err != nil {
				return
			}
			m, n := o.Means()
			if got := fmt.Sprint(m["cs"], m["us"], n); got != tt.want || len(ws) != tt.warn {
				t.Errorf("got %s, warnings %v; want %s, %d", got, ws, tt.want, tt.warn)
			}
		})
	}
}

func TestParseTimes(t *testing.T) {
	in := strings.Replace(head, "wa st\n", "wa st                 UTC\n", 1) + strings.TrimRight(row(1, 20, 10, 70), "\n") + " 2026-02-01 10:00:00\n"
	o, ws, err := Parse(strings.NewReader(in))
	if err != nil || len(ws) > 0 || o.Rows[0].Time != "2026-02-01 10:00:00" || len(o.Columns) != 17 {
		t.Errorf("%+v, %v, %v", o, ws, err)
	}
}

// What the vmstat of this machine prints.
func TestParseLive(t *testing.T) {
	program, err := exec.LookPath("vmstat")
	if err != nil {
		if os.Getenv("OPCOST_TEST_ALL") == "1" {
			t.Fatal(err)
		}
		t.Skipf("no vmstat here: %v", err)
	}
	out, err := exec.Command(program, "-w", "1", "3").Output()
	if err != nil {
		t.Fatal(err)
	}
	o, ws, err := Parse(strings.NewReader(string(out)))
	if err != nil || len(ws) > 0 || len(o.Rows) != 3 {
		t.Fatalf("%+v, %v, %v of\n%s", o, ws, err, out)
	}
	if m, n := o.Means(); n != 2 || m["cs"] <= 0 || m["free"] <= 0 {
		t.Errorf("%v of %d", m, n)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(head + row(1, 2, 3, 95) + row(1, 2, 3, 95))
	f.Add("x: r b swpd free\nx: 1 2 3 4\n")
	f.Fuzz(func(t *testing.T, in string) {
		o, _, err := Parse(strings.NewReader(in))
		if (err == nil) != (len(o.Rows) > 0) {
			t.Errorf("%d rows, %v", len(o.Rows), err)
		}
		for _, r := range o.Rows {
			for c, v := range r.Values {
				if v < 0 {
					t.Errorf("%s is %v", c, v)
				}
			}
		}
	})
}
