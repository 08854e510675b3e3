package probe

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode"

	"opcost/testbed/linear"
)

// Whatever perf prints: what is taken for a count has a value and an event's
// name, and an error of it can be printed.
func FuzzLine(f *testing.F) {
	for _, s := range []string{
		`{"counter-value" : "7.000000", "unit" : "", "event" : "cycles", "event-runtime" : 1, "pcnt-running" : 100.00}`,
		`{"counter-value" : "<not supported>", "event" : "instructions:u"}`, `{"counter-value" : 7, "event" : null}`,
		"123;;cycles;1;100.00;;", "<not counted>;;x;0;0;;", "12.5;msec;task-clock", ";;", "Error:\n\xff\x1b[31m", "12,5;;x",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, line string, csv bool) {
		row, ok := readLine(strings.TrimSpace(line), csv)
		if ok && (row.event == "" || row.value == "") {
			t.Errorf("%+v", row)
		}
		if ok {
			_ = question{}.judge("cycles", true, row)
		}
		if said := firstLine(line); said == "" || strings.ContainsFunc(said, unicode.IsControl) {
			t.Errorf("it is said to be %q", said)
		}
	})
}

// asked are the files of /proc, /sys and /etc that the machine is told by.
var asked = []string{
	"proc/sys/kernel/osrelease", "proc/sys/kernel/perf_event_paranoid", "proc/cpuinfo", "proc/meminfo", "proc/loadavg", "proc/stat", "proc/self/status",
	"proc/self/task/1/schedstat", "proc/kallsyms", "sys/devices/system/cpu/online", "sys/devices/system/node/has_memory",
	"sys/kernel/mm/transparent_hugepage/enabled", "sys/class/dmi/id/product_name", "etc/os-release", "sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq",
	"sys/devices/system/cpu/vulnerabilities/meltdown", "sys/devices/system/cpu/cpu0/topology/thread_siblings_list",
}

// What any of these files holds is known, or unknown with a reason; and goes
// into a record.
func FuzzMachine(f *testing.F) {
	files := machineFiles("hypervisor")
	for i, name := range asked {
		f.Add(uint8(i), files[name])
	}
	f.Add(uint8(4), "NaN inf 1e999 1/2 3\n")
	f.Add(uint8(9), "0-65536,7-3,-1,99999999999999999999-1\n")
	f.Add(uint8(5), "cpu  1 2 3 -4 nan\ncpu18446744073709551615 1\nintr 9\n")
	f.Add(uint8(2), "processor\t:")
	f.Add(uint8(6), "Uid:\t1\nCapEff:\tzz\n")
	dir := root(f, files)
	a := asker{root: dir, run: func(context.Context, ...string) (string, string, error) { return "", "", errors.New("not asked") },
		look: func(string) (string, error) { return "", os.ErrNotExist }}
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		name := filepath.Join(dir, asked[int(which)%len(asked)])
		if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		defer os.Remove(name)
		c := a.machine()
		c.System, c.SchedStat = a.system(t.Context()), a.schedStat()
		c.System.Steal = steal(a.cpuTime(), a.cpuTime())
		if c.CPUs < 0 || c.CPUs > 1<<16+1 {
			t.Errorf("%d CPUs", c.CPUs)
		}
		if _, err := json.Marshal(c); err != nil {
			t.Error(err)
		}
	})
}

func TestLongList(t *testing.T) {
	linear.Check(t, func(bytes int) string { return strings.Repeat("1-9,", bytes/4) + "11" }, func(s string) { countCPUs(s) })
}
