package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/perfctl/result"
	"opcost/testbed/casefiles"
)

// TestCaseFiles reads /proc texts of real machines.
func TestCaseFiles(t *testing.T) {
	var stats, statuses int
	for _, c := range casefiles.Index(t, "06-procfs") {
		switch base := filepath.Base(c.File); {
		case strings.Contains(c.Expected, "minflt") || strings.Contains(c.Expected, "utime"):
			stats++
			t.Run(c.File, func(t *testing.T) { checkStat(t, c) })
		case strings.HasSuffix(base, "68927_stat"):
			// By eye: of "test(cmd).sh" the index says the name alone.
			casefiles.Used(t, casefiles.Compared, c.Path)
			f := newFake(t)
			f.put("100/stat", c.Read(t))
			if e := f.edge(); e.State != "S" || e.MinorFaults != 165 || e.MajorFaults != 0 || e.NumThreads != 1 || e.StartTicks != 114413973 || e.UserTicks+e.SystemTicks != 0 {
				t.Errorf("%s: %+v", c.File, e)
			}
		case strings.HasSuffix(base, "status") && c.Path != "":
			statuses++
			t.Run(c.File, func(t *testing.T) {
				casefiles.Used(t, casefiles.Compared, c.Path)
				checkStatus(t, c.Read(t))
				if base == "pid_status" {
					checkJC(t, c, map[string]func(edge) uint64{
						"voluntary_ctxt_switches":    func(e edge) uint64 { return e.Threads[100].Voluntary },
						"nonvoluntary_ctxt_switches": func(e edge) uint64 { return e.Threads[100].Involuntary },
					})
				}
			})
		case strings.HasSuffix(base, "26231_schedstat"):
			// Right values by eye: "411605849 93680043 79".
			casefiles.Used(t, casefiles.Compared, c.Path)
			var got thread
			if err := parseSchedstat([]byte(c.Read(t)), &got); err != nil || got != (thread{CPUNS: 411605849, WaitNS: 93680043}) {
				t.Errorf("%s: %+v, %v", c.File, got, err)
			}
		case strings.HasSuffix(base, "26231_io"):
			casefiles.Used(t, casefiles.Compared, c.Path)
			f := newFake(t)
			f.put("100/io", c.Read(t))
			want := procfs.ProcIO{RChar: 750339, WChar: 818609, SyscR: 7405, SyscW: 5245, ReadBytes: 1024, WriteBytes: 2048, CancelledWriteBytes: -1024}
			if e := f.edge(); e.IO != want {
				t.Errorf("%s: %+v", c.File, e.IO)
			}
		case strings.HasSuffix(base, "cpu.stat"):
			casefiles.Used(t, casefiles.Compared, c.Path)
			checkCPUStat(t, c)
		case base == "hidepid": // a fact: TestWhy has its errors
			casefiles.Used(t, casefiles.Compared, "06-procfs/"+c.File)
			if l := why(&os.PathError{Op: "open", Path: "/proc/7/stat", Err: fs.ErrNotExist}); !strings.Contains(l.Remedy, "hidepid") {
				t.Errorf("%+v", l)
			}
		}
	}
	if stats < 8 || statuses < 5 {
		t.Errorf("%d stat and %d status files were read: the index has changed", stats, statuses)
	}
}

// edge reads the fake once.
func (f *fake) edge() edge {
	fs, err := procfs.NewFS(f.root)
	if err != nil {
		f.t.Fatal(err)
	}
	r := reader{fs: fs, root: f.root, pid: pid, clock: func(int) (time.Duration, error) { return 1, nil }, noCgroup: &lack{Reason: "none"}}
	return r.begin(nil)
}

func checkStat(t *testing.T, c casefiles.Case) {
	casefiles.Used(t, casefiles.Compared, c.Path)
	f := newFake(t)
	f.put("100/stat", c.Read(t))
	e := f.edge()
	if l, lacks := e.Lacks[partStat]; lacks {
		t.Fatal(l.Reason)
	}
	got := map[string]string{"state": e.State, "minflt": fmt.Sprint(e.MinorFaults), "majflt": fmt.Sprint(e.MajorFaults),
		"utime": fmt.Sprint(e.UserTicks), "stime": fmt.Sprint(e.SystemTicks), "threads": fmt.Sprint(e.NumThreads)}
	found := 0
	for key, have := range got {
		if m := regexp.MustCompile(`\b` + key + ` (\w+)`).FindStringSubmatch(c.Expected); m != nil {
			found++
			if m[1] != have {
				t.Errorf("%s is %s, want %s", key, have, m[1])
			}
		}
	}
	if found < 3 {
		t.Errorf("only %d values found in %q", found, c.Expected)
	}
	if filepath.Base(c.File) == "pid_stat" {
		checkJC(t, c, map[string]func(edge) uint64{
			"minflt": func(e edge) uint64 { return e.MinorFaults }, "majflt": func(e edge) uint64 { return e.MajorFaults },
			"utime": func(e edge) uint64 { return e.UserTicks }, "stime": func(e edge) uint64 { return e.SystemTicks },
			"num_threads": func(e edge) uint64 { return uint64(e.NumThreads) }, "starttime": func(e edge) uint64 { return e.StartTicks },
		})
	}
}

// checkJC compares with what another project has read of the same file.
func checkJC(t *testing.T, c casefiles.Case, of map[string]func(edge) uint64) {
	t.Helper()
	casefiles.Used(t, casefiles.Reference, c.Path+".json")
	text, err := os.ReadFile(c.Path + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var want map[string]any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	f := newFake(t)
	f.thread(100, 1, 1, 1, 1)
	f.put("100/stat", c.Read(t))
	f.put("100/task/100/status", c.Read(t))
	e := f.edge()
	for key, value := range of {
		if got := float64(value(e)); got != want[key] {
			t.Errorf("%s is %v, want %v", key, got, want[key])
		}
	}
}

// checkStatus compares with the numbers that end the file's last two lines.
func checkStatus(t *testing.T, text string) {
	numbers := regexp.MustCompile(`(?m)^(?:non)?voluntary_ctxt_switches:\s+(\d+)$`).FindAllStringSubmatch(text, -1)
	var got thread
	err := parseStatus([]byte(text), &got)
	if len(numbers) != 2 {
		if err == nil {
			t.Errorf("no error, though the file has no switches: %+v", got)
		}
		return
	}
	if err != nil || strconv.FormatUint(got.Voluntary, 10) != numbers[0][1] || strconv.FormatUint(got.Involuntary, 10) != numbers[1][1] {
		t.Errorf("%+v, %v; want %v", got, err, numbers)
	}
}

// checkCPUStat compares with "throttled 0.139381 s" and "3 of 7 periods" or
// "in 3 of 7 periods".
func checkCPUStat(t *testing.T, c casefiles.Case) {
	got, err := parseCPUStat(strings.NewReader(c.Read(t)))
	if err != nil {
		t.Fatal(err)
	}
	seconds := regexp.MustCompile(`throttled ([\d.]+) s`).FindStringSubmatch(c.Expected)
	periods := regexp.MustCompile(`(\d+) of \d+ periods`).FindStringSubmatch(c.Expected)
	s, _ := strconv.ParseFloat(seconds[1], 64)
	if got.US != uint64(s*1e6) || strconv.FormatUint(got.Periods, 10) != periods[1] {
		t.Errorf("%s: %+v, want %q", c.File, got, c.Expected)
	}
}

func TestStatusOfManyGroups(t *testing.T) {
	f := newFake(t)
	f.thread(100, 1, 1, 1, 1)
	f.put("100/task/100/status", "Name:\tvoluntary_ctxt_switches:\nGroups:\t"+strings.Repeat("4294967294 ", 60_000)+
		"\nvoluntary_ctxt_switches:\t31\nnonvoluntary_ctxt_switches:\t7\n")
	if got := f.edge().Threads[100]; got.Voluntary != 31 || got.Involuntary != 7 {
		t.Errorf("%+v, want 31 and 7", got)
	}
}

func TestCgroupFiles(t *testing.T) {
	const hybrid = "31 30 0:28 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n40 30 0:37 / /cg/unified rw - cgroup2 cgroup2 rw\n"
	for _, c := range []struct {
		name, mounts, cgroup string
		want                 string
	}{
		{"version 2", "40 30 0:37 / /cg rw - cgroup2 cgroup2 rw\n", "0::/system.slice/mariadb.service\n",
			"/cg/system.slice/mariadb.service/cpu.stat /cg/system.slice/cpu.stat /cg/cpu.stat"},
		{"version 1 beside 2", hybrid, "4:memory:/m\n3:cpu,cpuacct:/db\n0::/other\n", "/cg/cpu/db/cpu.stat /cg/cpu/cpu.stat"},
		{"version 2 beside 1", hybrid, "4:memory:/m\n0::/\n", "/cg/unified/cpu.stat"},
		{"mount of a container", "40 30 0:37 /docker/abc /cg rw - cgroup2 cgroup2 rw\n", "0::/docker/abc/x\n", "/cg/x/cpu.stat /cg/cpu.stat"},
		{"a group that is not in the mount", "40 30 0:37 /docker/abc /cg rw - cgroup2 cgroup2 rw\n", "0::/docker/xyz\n", ""},
		{"outside our namespace", "40 30 0:37 / /cg rw - cgroup2 cgroup2 rw\n", "0::/../db\n", ""},
		{"no mount", "22 1 0:2 / / rw - ext4 /dev/vda rw\n", "0::/db\n", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := newFake(t)
			f.put("self/mountinfo", c.mounts)
			f.put("100/cgroup", c.cgroup)
			fs, err := procfs.NewFS(f.root)
			if err != nil {
				t.Fatal(err)
			}
			files, l := cgroupFiles(fs, pid)
			var got []string
			for _, f := range files {
				got = append(got, string(f))
			}
			if strings.Join(got, " ") != c.want || (l == nil) != (c.want != "") {
				t.Errorf("%q, lack %+v; want %q", got, l, c.want)
			}
		})
	}
}

func TestWhy(t *testing.T) {
	for _, c := range []struct {
		err    error
		state  result.State
		remedy string
	}{
		{&os.PathError{Op: "open", Path: "/proc/7/io", Err: syscall.EACCES}, result.Unsupported, "root"},
		{&os.PathError{Op: "open", Path: "/proc/7/stat", Err: fs.ErrNotExist}, result.Failed, "hidepid"},
		{fmt.Errorf("read: %w", syscall.ESRCH), result.Failed, "still runs"},
		{errors.New("strange"), result.Failed, ""},
	} {
		if l := why(c.err); l.State != c.state || !strings.Contains(l.Remedy, c.remedy) || l.Reason == "" {
			t.Errorf("%v: %+v", c.err, l)
		}
	}
}
