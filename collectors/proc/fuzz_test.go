package proc

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/procfs"

	"opcost/perfctl/result"
	"opcost/testbed/linear"
)

// read are the files of a process that an edge is made of.
var read = []string{"100/stat", "100/io", "100/cgroup", "self/mountinfo", "cpu.stat", "100/task/100/status", "100/task/100/schedstat"}

// Whatever the kernel prints: an edge, and readings that go into a record.
func FuzzFiles(f *testing.F) {
	f.Add(uint8(0), "100 (my (sql) d) S 1) S 1 100 100 0 -1 4194304 1 0 2 0 3 4 0 0 20 0 3 0 5 6 7 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 22 0 0\n")
	f.Add(uint8(1), "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 18446744073709551615\nwrite_bytes: 6\ncancelled_write_bytes: -7\n")
	f.Add(uint8(2), "4:memory:/m\n3:cpu,cpuacct:/db/../..\n0::/../x\n")
	f.Add(uint8(3), "31 30 0:28 / /cg/cpu rw - cgroup cgroup rw,cpu,cpuacct\n40 30 0:37 /a /cg rw shared:1 - cgroup2 cgroup2 rw\n")
	f.Add(uint8(4), "nr_throttled 3\nthrottled_usec 139381\nthrottled_time 1\n")
	f.Add(uint8(5), "Name:\tx\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t2\n")
	f.Add(uint8(6), "18446744073709551615 1 1\n")
	root := f.TempDir()
	f.Fuzz(func(t *testing.T, which uint8, text string) {
		name := read[int(which)%len(read)]
		if end := strings.LastIndexByte(text, ')'); name == "100/stat" && end >= 0 && end+2 > len(text) {
			return // procfs 0.23 takes what the kernel writes behind the name for granted
		}
		if err := errors.Join(os.MkdirAll(filepath.Join(root, filepath.Dir(name)), 0o755), os.WriteFile(filepath.Join(root, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
		fs, err := procfs.NewFS(root)
		if err != nil {
			t.Fatal(err)
		}
		r := reader{fs: fs, root: root, pid: pid, clock: func(int) (time.Duration, error) { return 1, nil }, cgroups: []cgroupFile{cgroupFile(filepath.Join(root, "cpu.stat"))}}
		begin := r.begin(nil)
		end := r.finish(&begin)
		readings := window{begin: begin, end: end}.readings()
		for _, reading := range readings {
			if v := reading.Value; v != nil && (math.IsNaN(*v) || math.IsInf(*v, 0)) || reading.State != result.OK && reading.Reason == "" {
				t.Errorf("%+v", reading)
			}
		}
		if _, err := json.Marshal(readings); err != nil {
			t.Error(err)
		}
		files, lacks := cgroupFiles(fs, pid)
		if (len(files) == 0) == (lacks == nil) {
			t.Errorf("%q, and %+v", files, lacks)
		}
		for _, file := range files {
			if !strings.HasSuffix(string(file), "/cpu.stat") && file != "cpu.stat" {
				t.Errorf("%q would be read", file)
			}
		}
	})
}

func TestLongCPUStat(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		var b strings.Builder
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, "another_line_%d %d\nnr_throttled %d\n", i, i, i)
		}
		return b.String()
	}, func(s string) {
		if _, err := parseCPUStat(strings.NewReader(s)); err != nil {
			t.Error(err)
		}
	})
}
