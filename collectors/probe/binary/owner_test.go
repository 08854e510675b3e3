package binary

import (
	"os/exec"
	"testing"
)

func TestOwner(t *testing.T) {
	if _, err := exec.LookPath("dpkg"); err != nil {
		t.Skip("this machine has no dpkg")
	}
	// On Debian and its kin these files are of these packages.
	for path, want := range map[string]string{"/bin/cat": "coreutils", "/usr/bin/dpkg": "dpkg", "/usr/share/doc/dpkg/copyright": "dpkg", "/nowhere/at/all": ""} {
		manager, name := Owner(t.Context(), path)
		if name != want || (manager == "dpkg") != (want != "") {
			t.Errorf("%s: %q of %q, not %q", path, name, manager, want)
		}
	}
	rpm := managers[1].parse
	if got := rpm("mysql-community-server\n"); got != "mysql-community-server" {
		t.Errorf("rpm: %q", got)
	}
	if got := rpm("file /x is not owned by any package\n"); got != "" {
		t.Errorf("rpm: %q", got)
	}
}
