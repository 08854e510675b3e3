package perfctl

import (
	"os"
	"testing"
)

func TestPace(t *testing.T) {
	dir := t.TempDir()
	p, err := measurePace(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("CPU work takes %.2f of the time it took on the machine of the constants; a synced write %v", p.cpu, p.fsync)
	// Machines of the last ten years are within this.
	if p.cpu < 0.1 || p.cpu > 30 || p.fsync <= 0 {
		t.Errorf("%+v", p)
	}
	if left, _ := os.ReadDir(dir); len(left) > 0 {
		t.Errorf("left: %v", left)
	}
	if _, err := measurePace(dir + "/none"); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
