package host

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"

	"opcost/testbed/casefiles"
)

func (f *fake) edge() edge {
	f.t.Helper()
	fs, err := procfs.NewFS(filepath.Join(f.root, "proc"))
	if err != nil {
		f.t.Fatal(err)
	}
	r := reader{fs: fs, sys: filepath.Join(f.root, "sys")}
	r.block, r.blockErr = blockdevice.NewFS(filepath.Join(f.root, "proc"), r.sys)
	r.disks = []string{"sda", "sdb", "sdc", "vda", "nvme0n1", "mmcblk0"}
	return r.begin()
}

// TestCaseFiles reads /proc/stat and diskstats of real machines.
func TestCaseFiles(t *testing.T) {
	read := 0
	for _, c := range casefiles.Index(t, "06-procfs") {
		busy := regexp.MustCompile(`busy = ?[\d+]*=? ?.*?(\d+)(?: \(with steal\)|\. Also)`).FindStringSubmatch(c.Expected)
		switch base := filepath.Base(c.File); {
		case busy != nil:
			read++
			casefiles.Used(t, casefiles.Compared, c.Path)
			f := newFake(t)
			text := c.Read(t)
			if !strings.Contains(text, "\nbtime ") { // the first line alone
				text += "btime 1\n"
			}
			f.put("proc/stat", text)
			checkBusy(t, c.File, f.edge(), busy[1])
			// The same with the interrupts' line beyond what a default
			// bufio.Scanner takes.
			f.put("proc/stat", regexp.MustCompile(`(?m)^(intr .*)$`).ReplaceAllString(text, "${1}"+strings.Repeat(" 0", 40_000)))
			checkBusy(t, c.File+" stretched", f.edge(), busy[1])
		case strings.HasPrefix(c.File, "jc/stat"):
			read++
			checkJC(t, c)
		case base == "cpu_linux_424_proc_stat":
			read++
			casefiles.Used(t, casefiles.Compared, c.Path)
			f := newFake(t)
			f.put("proc/stat", c.Read(t))
			// By eye: "cpu  23644 6695 4764 134931750 22115 0 473 5892 0 0".
			e := f.edge()
			if c := e.CPU; e.CPUs != 4 || ticks(c.User) != 23644 || ticks(c.Nice) != 6695 || ticks(c.System) != 4764 || ticks(c.SoftIRQ) != 473 || ticks(c.Steal) != 5892 || e.Interrupts != 32552791 {
				t.Errorf("%+v", e)
			}
		case base == "proc_stat" && strings.Contains(c.Expected, "ctxt"):
			read++
			casefiles.Used(t, casefiles.Compared, c.Path)
			f := newFake(t)
			f.put("proc/stat", c.Read(t))
			e := f.edge()
			if e.CPUs != 8 || e.Switches != 38014093 || e.Running != 2 || len(e.Lacks) != 1 { // cpufreq
				t.Errorf("%s: %+v, want %s", c.File, e, c.Expected)
			}
		case base == "diskstats" && strings.HasPrefix(c.File, "jc/"):
			read++
			casefiles.Used(t, casefiles.Compared, c.Path)
			f := newFake(t)
			f.put("proc/diskstats", c.Read(t))
			// By eye: "8 0 sda 14200 3361 892828 5058 18736 13416 715384 ...".
			if e := f.edge(); e.Disks["sda"] != (disk{14200, 892828, 18736, 715384}) || len(e.Disks) != 1 {
				t.Errorf("%s: %+v", c.File, e.Disks)
			}
		case base == "proc_diskstats":
			read++
			casefiles.Used(t, casefiles.Compared, c.Path)
			f := newFake(t)
			f.put("proc/diskstats", c.Read(t))
			// By eye: kernels with 14, 18 and 20 columns in one file.
			e := f.edge()
			if e.Disks["nvme0n1"] != (disk{47114, 4643973, 1078320, 39451633}) || e.Disks["sdc"] != (disk{14202, 579164, 2995, 180500}) || len(e.Disks) != 6 {
				t.Errorf("%s: %+v", c.File, e.Disks)
			}
		}
	}
	if read < 5 {
		t.Errorf("only %d files were read: the index has changed", read)
	}
}

// ticks of seconds, of which a second has 100.
func ticks(seconds float64) int { return int(math.Round(100 * seconds)) }

// checkJC compares with what another project has read of the same file.
func checkJC(t *testing.T, c casefiles.Case) {
	t.Helper()
	casefiles.Used(t, casefiles.Compared, c.Path)
	casefiles.Used(t, casefiles.Reference, c.Path+".json")
	text, err := os.ReadFile(c.Path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var want struct {
		CPU             struct{ User, Nice, System, Idle, IOWait, IRQ, SoftIRQ, Steal, Guest int }
		Interrupts      []uint64
		ContextSwitches uint64 `json:"context_switches"`
		Running         uint64 `json:"processes_running"`
	}
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	f := newFake(t)
	f.put("proc/stat", c.Read(t))
	e := f.edge()
	got, w := e.CPU, want.CPU
	if [9]int{ticks(got.User), ticks(got.Nice), ticks(got.System), ticks(got.Idle), ticks(got.Iowait), ticks(got.IRQ), ticks(got.SoftIRQ), ticks(got.Steal), ticks(got.Guest)} !=
		[9]int{w.User, w.Nice, w.System, w.Idle, w.IOWait, w.IRQ, w.SoftIRQ, w.Steal, w.Guest} {
		t.Errorf("%s: %+v, want %+v", c.File, got, w)
	}
	if e.Switches != want.ContextSwitches || e.Running != want.Running || e.Interrupts != want.Interrupts[0] || e.CPUs != strings.Count(string(text), `"cpu`)-1 {
		t.Errorf("%s: %+v", c.File, e)
	}
}

// checkBusy compares with ticks of all but idle and iowait; a guest's are
// within user.
func checkBusy(t *testing.T, name string, e edge, want string) {
	t.Helper()
	if reason, lacks := e.Lacks[partStat]; lacks {
		t.Fatalf("%s: %s", name, reason)
	}
	var sum float64
	for _, q := range quantities {
		switch q.name {
		case "host_cpu_user_us", "host_cpu_system_us", "host_cpu_irq_us", "host_cpu_steal_us":
			sum += q.of(e) / tickUS
		}
	}
	var ticks float64
	for _, d := range want {
		ticks = 10*ticks + float64(d-'0')
	}
	if math.Abs(sum-ticks) > 0.5 {
		t.Errorf("%s: %.1f busy ticks, want %s", name, sum, want)
	}
}
