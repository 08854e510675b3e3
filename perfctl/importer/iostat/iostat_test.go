package iostat

import (
	"strings"
	"testing"
)

const heading = "Linux 6.1.0-13-amd64 (box) \t02/01/26 \t_x86_64_\t(4 CPU)\n\n"

const cpu = "avg-cpu:  %user   %nice %system %iowait  %steal   %idle\n          10.00    0.00    5.00    1.00    0.00   84.00\n\n"

func TestParse(t *testing.T) {
	for _, tt := range []struct {
		name, in string
		reports  int
		warn     int
		err      string
		column   string // of the last report's first device
		want     float64
	}{
		{"new layout", heading + cpu + "Device            r/s     rkB/s   w/s  wkB/s\nsda   1.50   12.00   2.00  8.00\n\n", 1, 0, "", "rkB/s", 12},
		{"old layout", heading + cpu + "Device:            r/s     rkB/s   w/s  wkB/s\nsda   1.50   12.00   2.00  8.00\n\n", 1, 0, "", "w/s", 2},
		{"columns in another order", heading + cpu + "Device   wkB/s r/s\nsda   8.00 1.50\n", 1, 0, "", "r/s", 1.5},
		{"devices alone, two reports", heading + "Device   r/s\nsda   8.00\n\nDevice   r/s\nsda   9.00\n", 2, 0, "", "r/s", 9},
		{"name last", heading + "  r/s Device\n 8.00 sda\n", 1, 0, "", "r/s", 8},
		{"for people", heading + "Device   kB_read/s kB_read\nsda   1.5M 2.0G\n", 1, 0, "", "kB_read", 2 * 1024 * 1024},
		{"a row too short", heading + "Device   r/s w/s\nsda   8.00 1.00\nsdb 1\n", 1, 1, "", "r/s", 8},
		{"no number", heading + "Device   r/s w/s\nsda   8.00 lots\n", 1, 1, "", "r/s", 8},
		{"shares that cannot be", heading + strings.Replace(cpu, "84.00", "0.00", 1) + "Device   r/s\nsda   8.00\n", 1, 1, "", "r/s", 8},
		{"JSON", `{"sysstat":{"hosts":[{"nodename":"box","number-of-cpus":4,"statistics":[{"avg-cpu":{"user":10.0,"idle":90.0},"disk":[{"disk_device":"sda","r/s":8.0}]}]}]}}`, 1, 0, "", "r/s", 8},
		{"JSON cut off", `{"sysstat":{"hosts":[`, 0, 0, "no JSON of iostat", "", 0},
		{"JSON of two hosts", `{"sysstat":{"hosts":[{},{}]}}`, 0, 0, "of 2 hosts", "", 0},
		{"a heading alone", heading, 0, 0, "no report", "", 0},
		{"nothing", "", 0, 0, "no report", "", 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			o, ws, err := Parse(strings.NewReader(tt.in))
			if (err != nil) != (tt.err != "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Fatalf("error %v, want %q", err, tt.err)
			}
			if len(o.Reports) != tt.reports || len(ws) != tt.warn {
				t.Fatalf("%d reports, %v; want %d, %d", len(o.Reports), ws, tt.reports, tt.warn)
			}
			if err == nil {
				d := o.Reports[len(o.Reports)-1].Devices[0]
				if v, ok := d.Values[tt.column]; d.Name != "sda" || !ok || v != tt.want {
					t.Errorf("%+v, want %s %v", d, tt.column, tt.want)
				}
				if o.Host != "box" || o.CPUs != 4 {
					t.Errorf("host %q, %d CPUs", o.Host, o.CPUs)
				}
			}
		})
	}
}

func TestUnits(t *testing.T) {
	for column, want := range map[string]float64{"rkB/s": 3, "kB_read/s": 3, "rMB/s": 3072, "MB_read/s": 3072, "rsec/s": 1.5, "Blk_read/s": 1.5} {
		if v, ok := (Device{Values: map[string]float64{column: 3}}).KB(true); !ok || v != want {
			t.Errorf("3 %s are %v kB/s (%v), want %v", column, v, ok, want)
		}
	}
	if _, ok := (Device{Values: map[string]float64{"tps": 3}}).Requests(true); ok {
		t.Error("tps is reads and writes together")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(heading + cpu + "Device   r/s Device\nsda 1.5k x\n")
	f.Add(heading + "Device r/s\nsda %\n")
	f.Add(`{"sysstat":{"hosts":[{"statistics":[{"disk":[{"disk_device":"sda","r/s":8.0}]}]}]}}`)
	f.Fuzz(func(t *testing.T, in string) {
		o, _, err := Parse(strings.NewReader(in))
		if (err == nil) != (len(o.Reports) > 0) {
			t.Errorf("%d reports, %v", len(o.Reports), err)
		}
		for _, r := range o.Reports {
			for _, d := range r.Devices {
				for c, v := range d.Values {
					if v < 0 || c == "" {
						t.Errorf("%q is %v", c, v)
					}
				}
			}
		}
	})
}
