package server

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestLiveNotRoot runs another test again as nobody: nothing of a server's life
// may need root.
func TestLiveNotRoot(t *testing.T) {
	mariadbd(t)
	if os.Geteuid() != 0 {
		t.Skip("not root: the other tests are this one")
	}
	const nobody = 65534
	// The test binary lies in a folder that only root may enter.
	dir, err := os.MkdirTemp("/tmp", "opcost-nobody-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	binary := filepath.Join(dir, "server.test")
	if err := copyProgram(binary, os.Args[0]); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, nobody, nobody); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(binary, "-test.run=^(TestLiveServer|TestLiveLaunchers|TestLiveInstallScript)$", "-test.v")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "TMPDIR="+dir, "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	out, err := cmd.CombinedOutput()
	if err != nil || strings.Count(string(out), "--- PASS") < 2 {
		t.Errorf("as nobody: %v\n%s", err, out)
	}
}

func copyProgram(to, from string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		return err
	}
	if _, err := io.Copy(out, in); err != nil {
		_ = out.Close()
		return err
	}
	return out.Close()
}
