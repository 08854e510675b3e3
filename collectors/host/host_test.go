package host

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"opcost/collectors"
	"opcost/collectors/probe"
	"opcost/perfctl/result"
)

// fake is a /proc and /sys of our own making.
type fake struct {
	t    *testing.T
	root string
}

func newFake(t *testing.T) *fake {
	f := &fake{t, t.TempDir()}
	f.stat("100 10 50 1000 20 5 6 7 3 0", "cpu0 1 0 0 0 0 0 0 0 0 0\ncpu2 1 0 0 0 0 0 0 0 0 0", 7000, 300)
	f.put("proc/meminfo", "MemTotal: 8000000 kB\nDirty: 120 kB\nWriteback: 8 kB\n")
	f.put("proc/diskstats", disks(1000, 8000, 400, 1600))
	// sda with a partition, dm-0 on it, a loop device and a memory device.
	f.put("sys/block/sda/size", "1\n")
	f.put("sys/block/nvme0n1/size", "1\n")
	f.put("sys/block/nvme0c0n1/size", "1\n")
	f.put("sys/block/dm-0/slaves/sda1", "")
	f.put("sys/block/loop0/size", "1\n")
	f.put("sys/block/zram0/size", "1\n")
	return f
}

// disks is /proc/diskstats; what is no whole disk has numbers that would show.
func disks(r, rs, w, ws int) string {
	return fmt.Sprintf(`   8       0 sda %[1]d 0 %[2]d 9 %[3]d 0 %[4]d 9 0 9 9
   8       1 sda1 %[1]d 0 %[2]d 9 %[3]d 0 %[4]d 9 0 9 9 0 0 0 0
 253       0 dm-0 %[1]d 0 %[2]d 9 %[3]d 0 %[4]d 9 0 9 9 0 0 0 0 5 6
   7       0 loop0 %[1]d 0 %[2]d 9 %[3]d 0 %[4]d 9 0 9 9 0 0 0 0
 252       0 zram0 %[1]d 0 %[2]d 9 %[3]d 0 %[4]d 9 0 9 9 0 0 0 0
 259       0 nvme0n1 7 0 70 9 8 0 80 9 0 9 9 0 0 0 0 5 6
 259       9 nvme0c0n1 %[1]d 0 %[2]d 9 %[3]d 0 %[4]d 9 0 9 9 0 0 0 0
`, r, rs, w, ws)
}

func (f *fake) put(name, text string) {
	f.t.Helper()
	name = filepath.Join(f.root, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		f.t.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		f.t.Fatal(err)
	}
}

func (f *fake) stat(total, cpus string, switches, interrupts int) {
	f.put("proc/stat", fmt.Sprintf("cpu  %s\n%s\nintr %d 1 2\nctxt %d\nbtime 1\nprocesses 9\nprocs_running 2\nprocs_blocked 0\n", total, cpus, interrupts, switches))
}

func (f *fake) window(change func()) map[string]result.Reading {
	f.t.Helper()
	c := collector{proc: filepath.Join(f.root, "proc"), sys: filepath.Join(f.root, "sys")}
	return measure(f.t, c, change)
}

func measure(t *testing.T, c collectors.Collector, load func()) map[string]result.Reading {
	t.Helper()
	target := collectors.Target{Evidence: t.TempDir(), Tag: "w1"}
	a, err := c.Arm(t.Context(), target, probe.Caps{})
	if err != nil {
		t.Fatal(err)
	}
	if err := a.Begin(t.Context()); err != nil {
		t.Fatal(err)
	}
	load()
	if err := a.End(t.Context()); err != nil {
		t.Fatal(err)
	}
	rs, err := a.Close()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(target.Evidence, "w1-host.json")); err != nil {
		t.Error(err)
	}
	out := map[string]result.Reading{}
	for _, r := range rs {
		if (r.Value != nil) != r.State.Usable() || r.State != result.OK && r.Reason == "" {
			t.Errorf("state, value and reason do not fit: %+v", r)
		}
		out[r.Name] = r
	}
	return out
}

func want(t *testing.T, got map[string]result.Reading, values map[string]float64) {
	t.Helper()
	have := map[string]float64{}
	for name := range values {
		if r := got[name]; r.Value != nil {
			have[name] = *r.Value
		} else {
			t.Errorf("%s: no value: %+v", name, r)
		}
	}
	if d := cmp.Diff(values, have, cmpopts.EquateApprox(0, 1e-3)); d != "" {
		t.Errorf("values (-want +got):\n%s", d)
	}
}

func TestWindow(t *testing.T) {
	f := newFake(t)
	f.put("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "1200000\n")
	f.put("sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "3600000\n")
	got := f.window(func() {
		f.stat("130 11 60 1100 23 7 10 8 3 0", "cpu0 1 0 0 0 0 0 0 0 0 0\ncpu2 1 0 0 0 0 0 0 0 0 0", 7500, 340)
		f.put("proc/meminfo", "Dirty: 200 kB\nWriteback: 0 kB\n")
		f.put("proc/diskstats", disks(1010, 8100, 425, 1700))
	})
	want(t, got, map[string]float64{
		"host_cpu_user_us": 310_000, "host_cpu_system_us": 100_000, "host_cpu_irq_us": 60_000, "host_cpu_steal_us": 10_000,
		"host_cpu_idle_us": 1_000_000, "host_cpu_iowait_us": 30_000, "host_context_switches": 500, "host_interrupts": 40,
		"host_reads": 10, "host_read_kb": 50, "host_writes": 25, "host_write_kb": 50, "host_disks": 2,
		"host_dirty_kb_begin": 120, "host_dirty_kb_end": 200, "host_writeback_kb_begin": 8, "host_writeback_kb_end": 0,
		"host_run_queue_begin": 2, "host_run_queue_end": 2, "host_cpus": 2, "host_cpu_mhz_begin": 2400, "host_cpu_mhz_end": 2400,
	})
	if r := got["host_disks"].Reason; !strings.Contains(r, "nvme0n1, sda") {
		t.Errorf("disks summed: %q", r)
	}
	if !got["host_cpus"].Gauge || !got["host_dirty_kb_end"].Gauge || got["host_reads"].Gauge {
		t.Error("levels are gauges, differences are none")
	}
	if got["client_cpu_us"].Source != result.SourceClient || got["host_reads"].Source != result.SourceHost {
		t.Error("wrong source")
	}
	var rs []result.Reading
	for _, r := range got {
		rs = append(rs, r)
	}
	rates, ok := VMStat(rs, 2)
	// us+sy of 1.51 s: 0.31 user and nice, 0.16 system and interrupts.
	wantRates := Rates{CPUPercent: 100 * 0.47 / 1.51, StealPercent: 100 * 0.01 / 1.51, Switches: 250, Reads: 5, ReadKB: 25, WriteKB: 25}
	if d := cmp.Diff(wantRates, rates, cmpopts.EquateApprox(1e-9, 0)); d != "" || !ok {
		t.Errorf("rates (-want +got), ok %v:\n%s", ok, d)
	}
}

func TestOddWindows(t *testing.T) {
	two := "cpu0 1 0 0 0 0 0 0 0 0 0\ncpu2 1 0 0 0 0 0 0 0 0 0"
	for _, c := range []struct {
		name, reading string
		change        func(*fake)
		state         result.State
		word          string
	}{
		{"iowait back", "host_cpu_iowait_us", func(f *fake) { f.stat("100 10 50 1000 19 5 6 7 3 0", two, 7000, 300) }, result.Partial, "backwards"},
		{"switches back", "host_context_switches", func(f *fake) { f.stat("100 10 50 1000 20 5 6 7 3 0", two, 6999, 300) }, result.Failed, "went back"},
		{"a CPU went offline", "host_cpu_user_us", func(f *fake) {
			f.stat("101 10 50 1000 20 5 6 7 3 0", "cpu0 1 0 0 0 0 0 0 0 0 0", 7000, 300)
		}, result.Partial, "2 CPUs"},
		{"a disk was unplugged", "host_reads", func(f *fake) {
			f.put("proc/diskstats", "   8       0 sda 1001 0 8000 9 400 0 1600 9 0 9 9\n")
		}, result.Partial, "nvme0n1"},
		{"a disk began anew", "host_read_kb", func(f *fake) { f.put("proc/diskstats", disks(1, 1, 1, 1)) }, result.Failed, "went back"},
		{"no meminfo", "host_dirty_kb_end", func(f *fake) { f.put("proc/meminfo", "MemTotal: 1 kB\n") }, result.Failed, "Dirty"},
		{"no cpufreq", "host_cpu_mhz_begin", func(*fake) {}, result.Unsupported, "cpufreq"},
		{"stat nonsense", "host_cpu_user_us", func(f *fake) { f.put("proc/stat", "cpu  1 2 x 4\n") }, result.Failed, "x"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			got := f.window(func() { c.change(f) })
			if r := got[c.reading]; r.State != c.state || !strings.Contains(r.Reason, c.word) {
				t.Errorf("%+v, want %s because of %q", r, c.state, c.word)
			}
			if got["client_cpu_us"].State != result.OK {
				t.Error("the rest is not intact")
			}
		})
	}
	t.Run("no /sys", func(t *testing.T) {
		f := newFake(t)
		if err := os.RemoveAll(filepath.Join(f.root, "sys")); err != nil {
			t.Fatal(err)
		}
		got := f.window(func() {})
		if got["host_reads"].State != result.Failed || got["host_disks"].State != result.Failed || got["host_context_switches"].State != result.OK {
			t.Errorf("%+v", got["host_reads"])
		}
	})
}

func TestRatesNeedAll(t *testing.T) {
	if r, ok := VMStat([]result.Reading{result.Got("host_reads", 1, "count", result.SourceHost, "")}, 1); ok {
		t.Errorf("rates from one reading: %+v", r)
	}
}
