package smalldatum

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		want     string // kind, base, servers, then the numbers
		warn     int
		err      string
	}{
		{"absolute", "col-1 : x.a\ncol-2 : x.b\n\ncol-1\tcol-2\n10\t20\thot-points_range=100\n",
			"qps  [x.a x.b] | hot-points_range=100 x.a qps 10 | hot-points_range=100 x.b qps 20", 0, ""},
		{"one column", "col-1 : x.a\n\ncol-1\n10\thot-points_range=100\n", "qps  [x.a] | hot-points_range=100 x.a qps 10", 0, ""},
		{"relative", "Relative to: x.a\ncol-1 : x.b\n\ncol-1\n0.50\thot-points_range=100\n", "qps relative x.a [x.b] | hot-points_range=100 x.b qps 0.50 ratio", 0, ""},
		{"csv", "scan_range=100,10,20\nscan.warm_range=100,11,21\n",
			"qps  [] | scan_range=100 0 qps 10 | scan_range=100 1 qps 20 | scan.warm_range=100 0 qps 11 | scan.warm_range=100 1 qps 21", 0, ""},
		{"csv of ratios", "scan_range=100,0.98,1.02\n", "qps relative  [] | scan_range=100 0 qps 0.98 ratio | scan_range=100 1 qps 1.02 ratio", 0, ""},
		{"costs", "sb.met.scan.range100.pk1.dop4\n--- absolute\ncpu/o\t\tcs/o\to/s\tdbms\n0.000300\t0.010\t25500\tx.a\n0.000336\t0\t22800\tx.b\n--- relative to first result\n1.12\t\tinf\t0.89\tx.b\n\n",
			"per operation  [x.a x.b] | T x.a cpu/o 0.000300 | T x.a cs/o 0.010 | T x.a o/s 25500 | T x.b cpu/o 0.000336 | T x.b cs/o 0 | T x.b o/s 22800 | T x.b cpu/o 1.12 ratio | T x.b cs/o inf ratio | T x.b o/s 0.89 ratio", 0, ""},
		{"two tests of one block", "sb.met.scan.range100.pk1.dop4\nbase1 sb.met.scan.range100.pk1.dop4 and base2 sb.met.scan.range100.pk1.dop48\n--- absolute\no/s\tdbms\n7\tx.a\n",
			"per operation  [x.a] | T x.a o/s 7", 0, ""},
		{"by clients", "sb.r.qps.scan.range100.pk1\n10\t20\tx.a\n\n", "qps  [x.a] | sb.r.qps.scan.range100.pk1 x.a 0 qps 10 | sb.r.qps.scan.range100.pk1 x.a 1 qps 20", 0, ""},
		{"one test", "iostat, vmstat normalized by operation rate\nsamp\tr/o\to/s\n904\t0.127\t15009.79\n\nsamp\tcpu/o\n948\t0.000822\n",
			"one test  [] |   samp 904 |   r/o 0.127 |   o/s 15009.79 |   samp 948 |   cpu/o 0.000822", 0, ""},
		{"a post's words", "Numbers below:\n\ncol-1 : x.a\n\ncol-1\tpoint queries\n10\thot-points_range=100\n", "qps  [x.a] | hot-points_range=100 x.a qps 10", 1, ""},

		{"more numbers than names", "col-1 : x.a\n\ncol-1\n10\t20\thot-points_range=100\n", "", 0, "has 2 numbers, and the heading 1 names"},
		{"fewer numbers than headings", "sb.met.scan.range100.pk1.dop4\ncpu/o\to/s\tdbms\n7\tx.a\n", "", 0, "1 numbers below 2 headings"},
		{"ragged csv", "scan_range=100,10,20\nscan.warm_range=100,11\n", "", 0, "has 1 numbers, and the row before it 2"},
		{"no number", "col-1 : x.a\n\ncol-1\nmany\thot-points_range=100\n", "", 0, "is no number"},
		{"columns out of order", "col-2 : x.a\n", "", 0, "col-2 where col-1 was expected"},
		{"two columns of one name", "col-1 : x.a\ncol-2 : x.a\n", "", 0, "two columns are named"},
		{"words", "hello\nworld\n", "", 0, `no table of Small Datum's in it`},
		{"empty", "", "", 0, "no table"},
		{"binary", "col-1 : x\x00\n", "", 0, "no text"},
		{"an endless line", strings.Repeat("x", 100_000), "", 0, "longer than"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f, ws, err := Parse(strings.NewReader(tt.in))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if err != nil {
				return
			}
			got := fmt.Sprintf("%s %s %v", f.Kind, f.Base, f.Servers)
			for _, c := range f.Cells {
				who := c.Server
				if c.Server == "" && c.Test != "" {
					who = fmt.Sprint(c.Column)
				} else if strings.HasPrefix(c.Test, "sb.r.") {
					who += fmt.Sprint(" ", c.Column)
				}
				got += fmt.Sprintf(" | %s %s %s %s", strings.Replace(c.Test, "sb.met.scan.range100.pk1.dop4", "T", 1), who, c.Metric, c.Text)
				if c.Relative {
					got += " ratio"
				}
			}
			if got != tt.want || len(ws) != tt.warn {
				t.Errorf("got\n%s, %v\nwant\n%s", got, ws, tt.want)
			}
		})
	}
}

func TestAgrees(t *testing.T) {
	cell := func(s string) Cell {
		v, ok := parseNumber(s)
		if !ok {
			t.Fatal(s)
		}
		return Cell{Text: s, Value: v}
	}
	for _, tt := range []struct {
		ratio, of, base string
		agrees, exact   bool
	}{
		{"0.83", "4350", "5235", true, true},
		{"0.84", "4350", "5235", false, false},
		{"0.44", "4", "9", true, true},
		{"0.50", "4", "9", true, false}, // 4.49/8.5 is 0.53
		{"0.60", "4", "9", false, false},
		{"1", "0", "0", true, true},
		{"inf", "3", "0", true, true},
		{"1", "3", "0", false, false},
		{"0.00", "0", "7", true, true},
	} {
		if got := Agrees(cell(tt.ratio), cell(tt.of), cell(tt.base)); got != tt.agrees {
			t.Errorf("%s of %s/%s agrees: %v", tt.ratio, tt.of, tt.base, got)
		}
		if got := Recomputes(cell(tt.ratio), cell(tt.of), cell(tt.base)); got != tt.exact {
			t.Errorf("%s of %s/%s recomputes: %v", tt.ratio, tt.of, tt.base, got)
		}
	}
	if h := cell("0.0012").Half(); math.Abs(h-0.00005) > 1e-12 {
		t.Error(h)
	}
}

func TestParseServer(t *testing.T) {
	for raw, want := range map[string]string{
		"x.my5651_rel_o2nofp.z11a_c32r128.pk1":    "mysql 5.6.51 0 [rel o2nofp z11a c32r128]",
		"x.my8406_rel_o2nofp.z12a_c8r32.pk1":      "mysql 8.4.6 0 [rel o2nofp z12a c8r32]",
		"x.my9500_rel.z12a.pk1":                   "mysql 9.5.0 0 [rel z12a]",
		"x.ma110803_ent.z12b_c32r128.pk1.v2":      "mariadb 11.8.3 0 [ent z12b c32r128 v2]",
		"x.ma100244_rel_withdbg.z12a_c32r128.pk1": "mariadb 10.2.44 0 [rel withdbg z12a c32r128]",
		"ma110803_48u":                            "mariadb 11.8.3 48 []",
		"x.pg1110.x5.pk1":                         "postgresql 11.10 0 [x5]",
		"x.pg131.x5.pk1":                          "postgresql 13.1 0 [x5]",
		"x.fbmy56.x6a.pk1":                        "mysql 5.6 0 [fbmy x6a]",
		"MariaDB Enterprise 10.6.23":              "mariadb 10.6.23 0 []",
		"8.0.44":                                  " 8.0.44 0 []",
		"mybuild":                                 "  0 [mybuild]",
	} {
		s := ParseServer(raw)
		if got := fmt.Sprintf("%s %s %d %v", s.Flavor, s.Number, s.Clients, s.Rest); got != want {
			t.Errorf("%s is %q, want %q", raw, got, want)
		}
	}
}

func TestParseTest(t *testing.T) {
	for raw, want := range map[string]Test{
		"hot-points_range=100":                         {Name: "hot-points", Range: 100},
		"random-points.pre_range=1000":                 {Name: "random-points.pre", Range: 1000},
		"sb.met.read-only.pre.range10000.pk1.dop40":    {Name: "read-only.pre", Range: 10000, Clients: 40},
		"sb.r.qps.scan.range100.pk1":                   {Name: "scan", Range: 100},
		"sb.prepare.met.point-query.warm.range100.pk1": {Name: "point-query.warm", Range: 100, Load: true},
		"sb.prepare.o.point-query.warm.range100.pk1":   {Name: "point-query.warm", Range: 100, Load: true},
	} {
		if got, ok := ParseTest(raw); !ok || got != want {
			t.Errorf("%s is %+v (%v), want %+v", raw, got, ok, want)
		}
	}
	if got, ok := ParseTest("../../etc/passwd_range=1"); ok {
		t.Errorf("%+v", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add("Measured on: h, 4 clients\nRelative to: a b\ncol-1 : c\ncol-2 : d\n\ncol-1\tcol-2\n0.50\t\tpoint-query\n\n0.50\t\tmedian_point\n")
	f.Add("Relative to: x.a\ncol-1 : x.b\n\ncol-1\n0.50\thot-points_range=100\n")
	f.Add("sb.met.scan.range100.pk1.dop4\n--- absolute\ncpu/o\to/s\tdbms\n0.1\tinf\tx.a\n--- relative\n1\t1\tx.a\n")
	f.Add("scan_range=100,10,20\nsb.r.qps.scan.range100.pk1\n10\t20\tx.a\n")
	f.Add("alignment-faults 0 -1\nINF\t1.0\tcycles\nips\tqps\ttag\n1\tNA\tx\n-\n")
	f.Fuzz(func(t *testing.T, in string) {
		file, _, err := Parse(strings.NewReader(in))
		if (err == nil) != (len(file.Cells) > 0) {
			t.Errorf("%d numbers, %v", len(file.Cells), err)
		}
		for _, c := range file.Cells {
			if c.Text == "" || c.Metric == "" || c.Line < 1 {
				t.Errorf("%+v", c)
			}
			ParseTest(c.Test)
			ParseServer(c.Server)
		}
	})
}
