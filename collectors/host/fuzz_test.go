package host

import (
	"encoding/json"
	"errors"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"

	"opcost/perfctl/result"
	"opcost/testbed/linear"
)

// files are those that an edge of the machine is made of.
var files = []string{"proc/stat", "proc/meminfo", "proc/diskstats", "sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq"}

// Whatever the kernel prints: an edge, and readings that go into a record.
func FuzzFiles(f *testing.F) {
	f.Add(uint8(0), "cpu  100 10 50 1000 20 5 6 7 3 0\ncpu0 1 0 0 0 0 0 0 0 0 0\nintr 7000 1 2\nctxt 300\nprocs_running 2\n")
	f.Add(uint8(0), "cpu  1 nan inf -5 18446744073709551615 0 0 0 0 0\nctxt -1\n")
	f.Add(uint8(1), "MemTotal: 8000000 kB\nDirty: 120 kB\nWriteback: 8 kB\n")
	f.Add(uint8(2), disks(1000, 8000, 400, 1600))
	f.Add(uint8(3), "1e999")
	f.Add(uint8(3), "nan\n")
	root := f.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "sys/block/sda"), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		name := filepath.Join(root, files[int(which)%len(files)])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.MkdirAll(filepath.Join(root, "proc"), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		fs, err := procfs.NewFS(filepath.Join(root, "proc"))
		if err != nil {
			t.Fatal(err)
		}
		r := reader{fs: fs, sys: filepath.Join(root, "sys"), disks: []string{"sda", "nvme0n1"}}
		r.block, r.blockErr = blockdevice.NewFS(filepath.Join(root, "proc"), r.sys)
		w := window{begin: r.begin(), end: r.finish(), disks: r.disks}
		readings := w.readings()
		for _, reading := range readings {
			if v := reading.Value; v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) || reading.State != result.OK && reading.Reason == "" {
				t.Errorf("%+v", reading)
			}
		}
		if _, err := json.Marshal(readings); err != nil {
			t.Error(err)
		}
	})
}

// The line of interrupts alone is 128 kB on a large machine.
func TestLongStat(t *testing.T) {
	f := newFake(t)
	linear.Check(t, func(bytes int) string {
		return "cpu  100 10 50 1000 20 5 6 7 3 0\nintr 7000" + strings.Repeat(" 0", bytes/2) + "\nctxt 300\nbtime 1\n"
	}, func(s string) {
		f.put("proc/stat", s)
		if e := f.edge(); e.Switches != 300 {
			t.Errorf("%+v", e)
		}
	})
	// Beyond what is read, nothing is known: no switches are not 0 switches.
	f.put("proc/stat", "cpu  100 10 50 1000 20 5 6 7 3 0\nintr 7000"+strings.Repeat(" 0", 1<<20)+"\nctxt 300\nbtime 1\n")
	if e := f.edge(); e.Lacks[partStat] == "" {
		t.Errorf("%+v", e)
	}
}
