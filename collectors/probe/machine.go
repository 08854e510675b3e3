package probe

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/prometheus/procfs"
	"golang.org/x/sys/unix"
)

// machine reads what needs no program to be run.
func (a asker) machine() Caps {
	c := Caps{
		Kernel:   a.word("proc/sys/kernel/osrelease"),
		Paranoid: ParanoidUnknown,
		CPUs:     countCPUs(a.word("sys/devices/system/cpu/online")),
	}
	if n, err := strconv.Atoi(a.word("proc/sys/kernel/perf_event_paranoid")); err == nil {
		c.Paranoid = n
	}
	c.Host.NMIWatch = a.word("proc/sys/kernel/nmi_watchdog") == "1"
	c.Host.Product = a.word("sys/class/dmi/id/product_name")
	c.Host.PMUs = a.corePMUs()
	c.User.UID = -1
	if fs, err := procfs.NewFS(filepath.Join(a.root, "proc")); err == nil {
		a.fromProc(fs, &c)
	}
	c.Hyper = a.hypervisor(c.Host.Product, c.Hyper)
	return c
}

func (a asker) fromProc(fs procfs.FS, c *Caps) {
	if l, err := fs.LoadAvg(); err == nil {
		c.Host.Load1 = l.Load1
	}
	if m, err := fs.Meminfo(); err == nil && m.MemTotal != nil {
		c.Host.MemoryKB = int64(*m.MemTotal)
	}
	if cpus, err := cpuInfo(fs); err == nil && len(cpus) > 0 {
		c.Host.CPUModel = cpus[0].ModelName
		if slices.Contains(cpus[0].Flags, "hypervisor") {
			c.Hyper = unnamedHypervisor
		}
		if c.CPUs == 0 {
			c.CPUs = len(cpus)
		}
	}
	if c.Host.CPUModel == "" {
		// No model name on arm64; the device tree may have one of the board.
		c.Host.CPUModel = strings.TrimRight(a.word("proc/device-tree/model"), "\x00")
	}
	if p, err := fs.Self(); err == nil {
		if s, err := p.NewStatus(); err == nil {
			c.User.UID = int(s.UIDs[1]) // effective
			c.User.Perfmon = has(s.CapEff, unix.CAP_PERFMON) || has(s.CapEff, unix.CAP_SYS_ADMIN)
			c.User.Ptrace = has(s.CapEff, unix.CAP_SYS_PTRACE)
		}
	}
}

// cpuInfo reads /proc/cpuinfo. procfs 0.23 panics where a line lacks the value
// that its kernels write, which those of emulators and containers may not.
func cpuInfo(fs procfs.FS) (cpus []procfs.CPUInfo, err error) {
	defer func() {
		if r := recover(); r != nil {
			cpus, err = nil, fmt.Errorf("/proc/cpuinfo has a line that is not understood: %v", r)
		}
	}()
	return fs.CPUInfo()
}

func has(set uint64, capability int) bool { return set&(1<<capability) != 0 }

// word is a file's text without the newline; "" when it cannot be read.
func (a asker) word(file string) string {
	b, err := os.ReadFile(filepath.Join(a.root, file))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(b))
}

// countCPUs counts a list such as 0-3,6; 0 when it is none.
func countCPUs(list string) int { return len(cpuList(list)) }

func cpuList(list string) []int {
	var cpus []int
	for part := range strings.SplitSeq(list, ",") {
		from, to, isRange := strings.Cut(part, "-")
		if !isRange {
			to = from
		}
		a, err1 := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err1 != nil || err2 != nil || b < a || b > 1<<16 {
			return nil
		}
		for ; a <= b; a++ {
			cpus = append(cpus, a)
		}
	}
	return cpus
}

// corePMUs are the PMUs of CPU cores where there is more than one kind: such a
// PMU lists its cores in a file "cpus" (those of other devices have "cpumask"),
// and the only one of a CPU with one kind of core is "cpu", which has none.
func (a asker) corePMUs() []string {
	found, _ := filepath.Glob(filepath.Join(a.root, "sys/bus/event_source/devices/*/cpus"))
	var pmus []string
	for _, f := range found {
		pmus = append(pmus, filepath.Base(filepath.Dir(f)))
	}
	return pmus
}

const unnamedHypervisor = "a hypervisor without a name"

// hypervisors are known by words in the DMI vendor or product name. A product
// of a cloud's bare metal machine ends in "metal".
var hypervisors = []struct{ word, name string }{
	{"VMware", "VMware"}, {"VirtualBox", "VirtualBox"}, {"KVM", "KVM"}, {"QEMU", "QEMU/KVM"}, {"BHYVE", "bhyve"},
	{"Microsoft Corporation Virtual Machine", "Hyper-V"}, {"HVM domU", "Xen"}, {"Google Compute Engine", "Google Compute Engine"},
	{"Amazon EC2", "Amazon EC2"}, {"OpenStack", "OpenStack"}, {"Alibaba Cloud", "Alibaba Cloud"}, {"DigitalOcean", "DigitalOcean"},
	{"Parallels", "Parallels"}, {"Apple Virtualization", "Apple Virtualization"},
}

func (a asker) hypervisor(product, seen string) string {
	dmi := a.word("sys/class/dmi/id/sys_vendor") + " " + product
	if strings.HasSuffix(strings.ToLower(product), "metal") {
		return seen
	}
	for _, h := range hypervisors {
		if strings.Contains(dmi, h.word) {
			return h.name
		}
	}
	if a.word("sys/hypervisor/type") == "xen" {
		return "Xen"
	}
	return seen
}

// schedStat: a kernel without scheduling statistics gives a file of zeros, and
// we have certainly run.
func (a asker) schedStat() Ability {
	const remedy = "sysctl kernel.task_delayacct=1 (kernel 5.14 or newer; before, a kernel with CONFIG_SCHEDSTATS)"
	files, _ := filepath.Glob(filepath.Join(a.root, "proc/self/task/*/schedstat"))
	if len(files) == 0 {
		return no("the kernel has no /proc/PID/task/TID/schedstat", "a kernel with CONFIG_SCHED_INFO, as every distribution's is")
	}
	for _, f := range files {
		rel, err := filepath.Rel(a.root, f)
		if err != nil {
			continue
		}
		var ran, waited, slices int64
		if n, _ := fmt.Sscan(a.word(rel), &ran, &waited, &slices); n == 3 && ran > 0 && slices > 0 {
			return yes()
		}
	}
	return no("/proc/PID/task/TID/schedstat holds only zeros", remedy)
}

// install is the command that installs a tool on this distribution.
func (a asker) install(debian, ubuntu, other string) string {
	id := a.word("etc/os-release")
	is := func(name string) bool {
		for line := range strings.Lines(id) {
			k, v, _ := strings.Cut(strings.TrimSpace(line), "=")
			if (k == "ID" || k == "ID_LIKE") && slices.Contains(strings.Fields(strings.Trim(v, `"'`)), name) {
				return true
			}
		}
		return false
	}
	switch {
	case is("ubuntu"): // before debian, which it says to be like
		return "apt-get install " + ubuntu
	case is("debian"):
		return "apt-get install " + debian
	case is("fedora"), is("rhel"), is("centos"):
		return "dnf install " + other
	case is("suse"), is("opensuse"):
		return "zypper install " + other
	}
	return fmt.Sprintf("install the package %s of your distribution (%s)", other, runtime.GOOS)
}
