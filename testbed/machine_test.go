package testbed

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeQEMU finds the disk that /out comes back on, and does what the test says.
const fakeQEMU = `#!/bin/bash
for a; do case $a in if=none,id=out,*) disk=${a##*file=}; disk=${disk%%,*};; esac; done
`

// TestMachineEndings: how a run ends is its exit status, and words that help.
// QEMU is a script here; TestPMU has the real one.
func TestMachineEndings(t *testing.T) {
	for _, tool := range []string{"bash", "cpio", "setpriv", "timeout"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("no %s on PATH, which pmu-machine needs: testbed/install.sh %s", tool, tool)
		}
	}
	job := filepath.Join(t.TempDir(), "job")
	if err := os.WriteFile(job, []byte("exit 7\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	const leaves = `d=$(mktemp -d); echo 7 >"$d/.status"; echo seen >"$d/value"; tar -c -C "$d" . | dd of="$disk" conv=notrunc status=none; rm -r "$d"` + "\n"
	for _, c := range []struct {
		name, qemu string
		args       []string
		unbuilt    bool
		status     int
		says       string
	}{
		{name: "no command", status: 2, says: "pmu-machine build"},
		{name: "no job", args: []string{"run"}, status: 2, says: "pmu-machine run JOB"},
		{name: "a job that is not there", args: []string{"run", "nosuch"}, status: 1, says: "no job nosuch"},
		{name: "a file that is not there", args: []string{"run", job, "nosuch"}, status: 1, says: "cannot copy nosuch"},
		{name: "not built", args: []string{"run", job}, unbuilt: true, status: 1, says: "pmu-machine build"},
		{name: "the job's status", args: []string{"run", job}, qemu: leaves, status: 7},
		{name: "no end", args: []string{"run", job}, qemu: "echo no such cpu >&2; exit 1\n", status: 125, says: "no such cpu"},
		{name: "too long", args: []string{"run", job}, qemu: "exec sleep 60\n", status: 124, says: "not done after 1 s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, out, bin := t.TempDir(), t.TempDir(), t.TempDir()
			files := map[string]string{
				filepath.Join(bin, "qemu-system-aarch64"): fakeQEMU + c.qemu,
				filepath.Join(dir, "tree.cpio"):           "",
				filepath.Join(dir, "kernel"):              "",
			}
			if !c.unbuilt {
				files[filepath.Join(dir, "built")] = "yes"
			}
			for name, text := range files {
				if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			seconds := "60"
			if c.status == 124 {
				seconds = "1"
			}
			cmd := exec.CommandContext(t.Context(), "./pmu-machine", c.args...)
			cmd.Env = append(os.Environ(), "OPCOST_PMU_DIR="+dir, "OPCOST_PMU_OUT="+out, "OPCOST_PMU_TIMEOUT="+seconds,
				"PATH="+bin+":"+os.Getenv("PATH"))
			b, err := cmd.CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != c.status {
				t.Fatalf("ended with %v, want status %d\n%s", err, c.status, b)
			}
			if !strings.Contains(string(b), c.says) {
				t.Errorf("said %q, want %q", b, c.says)
			}
			if left, _ := filepath.Glob(filepath.Join(dir, "run.*")); len(left) > 0 {
				t.Errorf("left %v", left)
			}
			if c.qemu == leaves {
				if got := read(t, out, "value"); got != "seen\n" {
					t.Errorf("/out/value holds %q", got)
				}
			}
		})
	}
}

// TestMachineDiesWithTheScript: a run that is killed leaves no emulator.
func TestMachineDiesWithTheScript(t *testing.T) {
	if _, err := exec.LookPath("setpriv"); err != nil {
		t.Skip("no setpriv on PATH")
	}
	dir, bin := t.TempDir(), t.TempDir()
	pidFile := filepath.Join(dir, "pid")
	for name, text := range map[string]string{
		filepath.Join(bin, "qemu-system-aarch64"): "#!/bin/bash\necho $$ >" + pidFile + ".new && mv " + pidFile + ".new " + pidFile + "\nexec sleep 300\n",
		filepath.Join(dir, "tree.cpio"):           "",
		filepath.Join(dir, "built"):               "",
		filepath.Join(dir, "job"):                 "",
	} {
		if err := os.WriteFile(name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.CommandContext(t.Context(), "./pmu-machine", "run", filepath.Join(dir, "job"))
	cmd.Env = append(os.Environ(), "OPCOST_PMU_DIR="+dir, "OPCOST_PMU_OUT="+t.TempDir(), "PATH="+bin+":"+os.Getenv("PATH"))
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	pid := eventually(t, "the emulator's pid", func() (string, bool) {
		b, err := os.ReadFile(pidFile)
		return strings.TrimSpace(string(b)), err == nil
	})
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait() // killed, as asked
	eventually(t, "the emulator's end", func() (string, bool) {
		_, err := os.Stat("/proc/" + pid)
		return "", err != nil
	})
}
