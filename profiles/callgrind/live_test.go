package callgrind

import (
	"os"
	"os/exec"
	"testing"
)

// live skips the test where a program is lacking, or fails it where the set-up
// has promised to install everything.
func live(t *testing.T, programs ...string) {
	t.Helper()
	if testing.Short() {
		t.Skip("a live test, left out by -short")
	}
	for _, p := range programs {
		if _, err := exec.LookPath(p); err != nil {
			if os.Getenv("OPCOST_TEST_ALL") == "1" {
				t.Fatalf("%s is not installed", p)
			}
			t.Skipf("%s is not installed", p)
		}
	}
}
