package host

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
	"github.com/prometheus/procfs/blockdevice"
)

// part names what is read with one call and can be lacking by itself.
type part string

const (
	partStat    part = "stat"
	partMeminfo part = "meminfo"
	partDisks   part = "diskstats"
	partFreq    part = "cpufreq"
	partClient  part = "rusage"
)

// edge is everything as read at one moment; counters are still cumulative.
type edge struct {
	CPU         procfs.CPUStat  `json:"cpu"` // seconds
	CPUs        int             `json:"cpus"`
	Switches    uint64          `json:"context_switches"`
	Interrupts  uint64          `json:"interrupts"`
	Running     uint64          `json:"procs_running"`
	DirtyKB     uint64          `json:"dirty_kb"`
	WritebackKB uint64          `json:"writeback_kb"`
	Disks       map[string]disk `json:"disks"`
	MHz         float64         `json:"mhz"`
	ClientUser  int64           `json:"client_user_us"`
	ClientSys   int64           `json:"client_system_us"`
	// Lacks has the reason of each part that could not be read.
	Lacks map[part]string `json:"lacks,omitempty"`
}

type disk struct {
	Reads        uint64 `json:"reads"`
	ReadSectors  uint64 `json:"read_sectors"` // of 512 bytes, whatever the disk's own
	Writes       uint64 `json:"writes"`
	WriteSectors uint64 `json:"write_sectors"`
}

type reader struct {
	fs       procfs.FS
	sys      string
	block    blockdevice.FS
	blockErr error
	disks    []string
}

// begin reads the slowest first (the frequency of an idle CPU can take
// milliseconds), finish the other way round.
func (r *reader) begin() edge {
	e := edge{Lacks: map[part]string{}}
	r.readFreq(&e)
	r.readDisks(&e)
	r.readMeminfo(&e)
	r.readStat(&e)
	readClient(&e)
	return e
}

func (r *reader) finish() edge {
	e := edge{Lacks: map[part]string{}}
	readClient(&e)
	r.readStat(&e)
	r.readMeminfo(&e)
	r.readDisks(&e)
	r.readFreq(&e)
	return e
}

func (r *reader) readStat(e *edge) {
	s, err := r.fs.Stat()
	if err == nil && s.BootTime == 0 {
		// procfs reads 1 MiB of it, and tells nothing of the lines it has not seen.
		err = errors.New("/proc/stat has no line btime: it was not read to its end")
	}
	if err != nil {
		e.Lacks[partStat] = err.Error()
		return
	}
	e.CPU, e.CPUs, e.Switches, e.Interrupts, e.Running = s.CPUTotal, len(s.CPU), s.ContextSwitches, s.IRQTotal, s.ProcessesRunning
}

func (r *reader) readMeminfo(e *edge) {
	m, err := r.fs.Meminfo()
	switch {
	case err != nil:
		e.Lacks[partMeminfo] = err.Error()
	case m.Dirty == nil || m.Writeback == nil:
		e.Lacks[partMeminfo] = "/proc/meminfo has no Dirty or no Writeback line"
	default:
		e.DirtyKB, e.WritebackKB = *m.Dirty, *m.Writeback
	}
}

func (r *reader) readDisks(e *edge) {
	err := r.blockErr
	var all []blockdevice.Diskstats
	if err == nil {
		all, err = r.block.ProcDiskstats()
	}
	if err != nil {
		e.Lacks[partDisks] = err.Error()
		return
	}
	e.Disks = map[string]disk{}
	for _, d := range all {
		if slices.Contains(r.disks, d.DeviceName) {
			e.Disks[d.DeviceName] = disk{d.ReadIOs, d.ReadSectors, d.WriteIOs, d.WriteSectors}
		}
	}
}

func (r *reader) readFreq(e *edge) {
	files, _ := filepath.Glob(filepath.Join(r.sys, "devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"))
	if len(files) == 0 {
		e.Lacks[partFreq] = "this machine has no cpufreq driver (a guest has none)"
		return
	}
	var sum, n float64
	for _, name := range files {
		b, err := os.ReadFile(name)
		if errors.Is(err, syscall.EBUSY) || errors.Is(err, os.ErrNotExist) { // went offline
			continue
		}
		khz, perr := strconv.ParseUint(strings.TrimSpace(string(b)), 10, 64)
		if err := errors.Join(err, perr); err != nil {
			e.Lacks[partFreq] = fmt.Sprintf("%s: %v", name, err)
			return
		}
		sum += float64(khz) / 1000
		n++
	}
	if n == 0 {
		e.Lacks[partFreq] = "no CPU says its frequency"
		return
	}
	e.MHz = sum / n
}

func readClient(e *edge) {
	var ru syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &ru); err != nil {
		e.Lacks[partClient] = err.Error()
		return
	}
	e.ClientUser, e.ClientSys = ru.Utime.Nano()/1000, ru.Stime.Nano()/1000
}

// notDisks are devices whose reads and writes end on another device, in memory
// or in an optical drive; nvme0c1n1 is one path of nvme0n1.
var notDisks = regexp.MustCompile(`^(loop|ram|zram|sr|fd)\d+$|^nvme\d+c\d+n\d+$`)

// wholeDisks are the devices of /sys/block (partitions are not listed there)
// that are not made of other devices, as dm and md are.
func wholeDisks(sys string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(sys, "block"))
	if err != nil {
		return nil, err
	}
	var out []string
	for _, d := range entries {
		made, _ := os.ReadDir(filepath.Join(sys, "block", d.Name(), "slaves"))
		if len(made) == 0 && !notDisks.MatchString(d.Name()) {
			out = append(out, d.Name())
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s/block has no disk", sys)
	}
	return out, nil
}
