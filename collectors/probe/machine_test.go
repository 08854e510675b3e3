package probe

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// root makes a folder with these files, to be asked in place of "/".
func root(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		p := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(p), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(p, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const cpuinfo = `processor	: 0
vendor_id	: GenuineIntel
cpu family	: 6
model		: 143
model name	: Xeon of the Test
stepping	: 8
cpu MHz		: 2000.000
flags		: fpu vme %s

`

func machineFiles(flag string) map[string]string {
	return map[string]string{
		"proc/sys/kernel/osrelease":           "6.8.0-31-generic\n",
		"proc/sys/kernel/perf_event_paranoid": "4\n",
		"proc/sys/kernel/nmi_watchdog":        "1\n",
		"proc/cpuinfo":                        fmt.Sprintf(cpuinfo, flag),
		"proc/meminfo":                        "MemTotal:       16303908 kB\nMemFree:  1 kB\n",
		"proc/loadavg":                        "1.25 0.50 0.25 1/200 4711\n",
		"sys/devices/system/cpu/online":       "0-3,6\n",
	}
}

func TestMachine(t *testing.T) {
	a := asker{root: root(t, machineFiles("hypervisor"))}
	c := a.machine()
	want := Caps{
		Kernel: "6.8.0-31-generic", Paranoid: 4, CPUs: 5, Hyper: unnamedHypervisor, User: User{UID: -1},
		Host: Host{CPUModel: "Xeon of the Test", MemoryKB: 16303908, Load1: 1.25, NMIWatch: true},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("got  %+v\nwant %+v", c, want)
	}
	m := c.Machine()
	if m.CPUs != 5 || m.MemoryKB != 16303908 || m.Load1 != 1.25 || m.CPUModel != "Xeon of the Test" || m.Kernel != c.Kernel {
		t.Errorf("%+v", m)
	}
}

// A machine that shows nothing of itself is unknown, not 0 CPUs of load 0 by
// accident of an error.
func TestMachineThatShowsNothing(t *testing.T) {
	c := asker{root: t.TempDir()}.machine()
	if want := (Caps{Paranoid: ParanoidUnknown, User: User{UID: -1}}); !reflect.DeepEqual(c, want) {
		t.Errorf("got %+v", c)
	}
}

func TestHypervisor(t *testing.T) {
	tests := []struct{ vendor, product, flag, want string }{
		{"VMware, Inc.", "VMware Virtual Platform", "hypervisor", "VMware"},
		{"QEMU", "Standard PC (Q35 + ICH9, 2009)", "hypervisor", "QEMU/KVM"},
		{"Microsoft Corporation", "Virtual Machine", "hypervisor", "Hyper-V"},
		{"Microsoft Corporation", "Surface Pro 7", "", ""},
		{"innotek GmbH", "VirtualBox", "hypervisor", "VirtualBox"},
		{"Amazon EC2", "m5.large", "hypervisor", "Amazon EC2"},
		{"Amazon EC2", "m5.metal", "", ""},
		{"Dell Inc.", "PowerEdge R750", "", ""},
		{"", "", "hypervisor", unnamedHypervisor},
	}
	for _, tt := range tests {
		files := machineFiles(tt.flag)
		files["sys/class/dmi/id/sys_vendor"] = tt.vendor + "\n"
		files["sys/class/dmi/id/product_name"] = tt.product + "\n"
		if got := (asker{root: root(t, files)}).machine().Hyper; got != tt.want {
			t.Errorf("%s %s: got %q, want %q", tt.vendor, tt.product, got, tt.want)
		}
	}
	if got := (asker{root: root(t, map[string]string{"sys/hypervisor/type": "xen\n"})}).machine().Hyper; got != "Xen" {
		t.Errorf("xen: %q", got)
	}
}

func TestHybrid(t *testing.T) {
	const devices = "sys/bus/event_source/devices/"
	a := asker{root: root(t, map[string]string{
		devices + "cpu_core/cpus": "0-15\n", devices + "cpu_atom/cpus": "16-23\n",
		devices + "uncore_imc/cpumask": "0\n", devices + "software/type": "1\n",
	})}
	if h := a.machine().Host; !h.Hybrid() || !reflect.DeepEqual(h.PMUs, []string{"cpu_atom", "cpu_core"}) {
		t.Errorf("got %+v", h.PMUs)
	}
	if (Host{}).Hybrid() || (Host{PMUs: []string{"armv8_pmuv3_0"}}).Hybrid() {
		t.Error("one kind of core is no hybrid")
	}
	if got := HybridName("cpu_core", "cycles:u") + HybridName("cpu_atom", "cycles"); got != "cpu_core/cycles/ucpu_atom/cycles/" {
		t.Error(got)
	}
}

func TestSchedStat(t *testing.T) {
	tests := []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"counts", map[string]string{"proc/self/task/1/schedstat": "0 0 0\n", "proc/self/task/2/schedstat": "1838160 380847 9\n"}, ""},
		{"zeros", map[string]string{"proc/self/task/1/schedstat": "0 0 0\n"}, "only zeros"},
		{"garbage", map[string]string{"proc/self/task/1/schedstat": "eh\n"}, "only zeros"},
		{"absent", nil, "no /proc"},
	}
	for _, tt := range tests {
		got := (asker{root: root(t, tt.files)}).schedStat()
		if got.OK != (tt.want == "") || !strings.Contains(got.Reason, tt.want) || (!got.OK && got.Remedy == "") {
			t.Errorf("%s: %+v", tt.name, got)
		}
	}
}

func TestInstallCommand(t *testing.T) {
	tests := []struct{ release, want string }{
		{"ID=debian\n", "apt-get install linux-perf"},
		{"NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n", "apt-get install linux-tools-generic linux-tools-6.8.0-31-generic"},
		{"ID=\"rocky\"\nID_LIKE=\"rhel centos fedora\"\n", "dnf install perf"},
		{"ID=\"opensuse-leap\"\nID_LIKE=\"suse opensuse\"\n", "zypper install perf"},
		{"", "install the package perf"},
	}
	for _, tt := range tests {
		files := machineFiles("")
		files["etc/os-release"] = tt.release
		a := asker{root: root(t, files), look: func(string) (string, error) { return "", errors.New("not there") }}
		tool, _, _ := a.perf(t.Context())
		if tool.OK || tool.Reason != "perf is not installed" || !strings.HasPrefix(tool.Remedy, tt.want) {
			t.Errorf("%q: %+v", tt.release, tool)
		}
	}
}

func TestCPUList(t *testing.T) {
	for in, want := range map[string]int{"0": 1, "0-3,6": 5, "": 0, "3-1": 0, "0-99999999": 0, "a-b": 0} {
		if got := countCPUs(in); got != want {
			t.Errorf("%q: %d, want %d", in, got, want)
		}
	}
}
