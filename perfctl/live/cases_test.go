package live

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"opcost/testbed/casefiles"
)

// A shell script may be named like a line of /proc/PID/stat.
func TestProcessCase(t *testing.T) {
	dir := filepath.Join(casefiles.Folder(t, "06-procfs"), "gopsutil")
	proc := t.TempDir()
	of := filepath.Join(proc, "68927")
	err := errors.Join(os.Mkdir(of, 0o700), os.WriteFile(filepath.Join(of, "cmdline"), []byte("/bin/sh\x00/x/test(cmd).sh\x00"), 0o600), os.Symlink("/bin/dash", filepath.Join(of, "exe")))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"stat", "comm"} {
		path := filepath.Join(dir, "process_linux_68927_"+name)
		casefiles.Used(t, casefiles.Compared, path)
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(of, name), text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p, err := readProcess(proc, 68927)
	if err != nil || p.comm != "test(cmd).sh" || p.stat.Starttime != 114413973 || p.stat.State != "S" || p.kernel() || p.zombie() {
		t.Errorf("%+v, %v", p, err)
	}
	if name, loaded := p.serverProgram(); name != "" || loaded {
		t.Errorf("it is taken for the server %q", name)
	}
}
