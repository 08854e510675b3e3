package probe

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
)

// What is said of this machine is what its own tools say, by another way where
// there is one.
func TestLiveSystem(t *testing.T) {
	a := here()
	s := a.system(t.Context())
	said := func(name string, args ...string) string {
		out, err := exec.Command(name, args...).Output()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		return strings.TrimSpace(string(out))
	}
	if got := fmt.Sprintf("%d\n%d", s.Descriptors.Value.Soft, s.Descriptors.Value.Hard); got != strings.ReplaceAll(said("sh", "-c", "ulimit -Sn; ulimit -Hn"), "unlimited", "-1") {
		t.Errorf("descriptors %s", got)
	}
	if s.KernelSymbols.Known && os.Geteuid() == 0 && s.KptrRestrict.Value < 2 && !s.KernelSymbols.Value {
		t.Error("kernel addresses are hidden from root, though kptr_restrict is below 2")
	}
	before := a.cpuTime()
	if f := steal(before, a.cpuTime()); !f.Known || f.Value.SinceBoot < 0 || f.Value.SinceBoot > 1 {
		t.Errorf("steal: %+v", f)
	}
	if ticks, err := strconv.ParseFloat(said("awk", "/^cpu /{print $9}", "/proc/stat"), 64); err != nil || ticks/100 < before.Value.stolen-1e-9 {
		t.Errorf("steal: %v s, /proc/stat says %v ticks", before.Value.stolen, ticks)
	}
	dir := t.TempDir()
	space := SpaceAt(dir)
	var blocks, size int64
	format := "%a %S"
	if os.Geteuid() == 0 { // what is kept back is for root
		format = "%f %S"
	}
	if _, err := fmt.Sscan(said("stat", "-f", "-c", format, dir), &blocks, &size); err != nil {
		t.Fatal(err)
	}
	if free := blocks * size / 1024; space.FreeKB < free/10*9 || space.FreeKB > free/9*10 {
		t.Errorf("%d kB free, stat says %d", space.FreeKB, free)
	}
}

// Go raises its own soft limit at start, and what it measures of itself is not
// what perf and the server get.
func TestLiveDescriptorsAreTheChildrens(t *testing.T) {
	needPerf(t)
	cmd := exec.Command("sh", "-c", "ulimit -Sn 512 && exec /proc/self/fd/3")
	self, err := os.Open("/proc/self/exe")
	if err != nil {
		t.Fatal(err)
	}
	defer self.Close()
	cmd.ExtraFiles = []*os.File{self}
	cmd.Env = append(os.Environ(), roleEnv+"=ask")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	var c Caps
	if err := json.Unmarshal(out, &c); err != nil {
		t.Fatal(err)
	}
	if d := c.System.Descriptors; !d.Known || d.Value.Soft != 512 {
		t.Errorf("soft limit 512 in the shell: %+v", d)
	}
}
