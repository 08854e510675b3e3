package tasks

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParse(t *testing.T) {
	got, err := ParseStatus([]byte("Name:\todd \\n name\nUmask:\t0022\nTgid:\t7\nNSpid:\t4711\t38\t5\nGroups:\t0 \n" +
		"voluntary_ctxt_switches:\t12\nnonvoluntary_ctxt_switches:\t3\n"))
	if d := cmp.Diff(Status{Name: `odd \n name`, NSTID: 5, Voluntary: 12, Involuntary: 3}, got); d != "" || err != nil {
		t.Errorf("%v (-want +got):\n%s", err, d)
	}
	// Linux before 4.1 has no NSpid.
	if got, err = ParseStatus([]byte("Name:\tx\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t0\n")); got.NSTID != 0 || err != nil {
		t.Errorf("%+v, %v", got, err)
	}
	for _, bad := range []string{"", "Name:\tx\n", "\nvoluntary_ctxt_switches:\tmany\nnonvoluntary_ctxt_switches:\t0\n",
		"\nNSpid:\tx\nvoluntary_ctxt_switches:\t1\nnonvoluntary_ctxt_switches:\t0\n"} {
		if s, err := ParseStatus([]byte(bad)); err == nil {
			t.Errorf("status %q gives %+v", bad, s)
		}
	}
	if s, err := ParseSchedstat([]byte("1000 20 3\n")); s != (Schedstat{1000, 20, 3}) || err != nil {
		t.Errorf("%+v, %v", s, err)
	}
	for _, bad := range []string{"", "1 2\n", "1 2 x\n", "1 2 3 4\n"} {
		if s, err := ParseSchedstat([]byte(bad)); err == nil {
			t.Errorf("schedstat %q gives %+v", bad, s)
		}
	}
}

func TestDir(t *testing.T) {
	root := t.TempDir()
	long := strings.Repeat("x", 50_000) // longer than the buffer
	for name, text := range map[string]string{"7/task/7/status": long, "7/task/9/status": "short", "7/task/odd/status": ""} {
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	d, err := Open(root, 7)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	ids, err := d.IDs()
	if err != nil || len(ids) != 2 {
		t.Errorf("%v, %v", ids, err)
	}
	for tid, want := range map[int]string{7: long, 9: "short"} {
		if b, err := d.Read(tid, "status"); string(b) != want || err != nil {
			t.Errorf("thread %d: %d bytes, %v", tid, len(b), err)
		}
	}
	if _, err := d.Read(8, "status"); !Gone(err) {
		t.Errorf("a thread that is not there: %v", err)
	}
	if _, err := Open(root, 8); err == nil {
		t.Error("a process that is not there was opened")
	}
}

// TestLive takes the numbers of this very process.
func TestLive(t *testing.T) {
	d, err := Open("/proc", os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	b, err := d.Read(os.Getpid(), "status")
	if err != nil {
		t.Fatal(err)
	}
	if s, err := ParseStatus(b); err != nil || s.NSTID != os.Getpid() || s.Name == "" {
		t.Errorf("%+v, %v", s, err)
	}
}
