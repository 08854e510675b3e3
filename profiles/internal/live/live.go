// Package live is for tests that run real programs.
package live

import (
	"os"
	"os/exec"
	"testing"
)

// Needs skips a test where a program is lacking, or fails it where the set-up has
// promised to install everything.
func Needs(t testing.TB, programs ...string) {
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
