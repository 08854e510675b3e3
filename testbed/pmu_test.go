package testbed

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// TestPMU boots the machine once and judges everything that it measured.
func TestPMU(t *testing.T) {
	form := os.Getenv("OPCOST_PMU")
	if form != "short" && form != "long" {
		t.Skip("boots an emulated machine: set OPCOST_PMU=short or OPCOST_PMU=long (make test-pmu)")
	}
	out := boot(t, form == "long")
	t.Run("the machine counts", func(t *testing.T) { knownLoop(t, out) })
	t.Run("doctor finds the counters", func(t *testing.T) { doctorSays(t, out) })
	short := readReport(t, out, "short")
	t.Run("run gives hardware counters", func(t *testing.T) { hardware(t, short) })
	t.Run("a profile of instructions", func(t *testing.T) { sampled(t, out) })
	if form == "short" {
		return
	}
	t.Run("three starts agree", func(t *testing.T) { threeStarts(t, filepath.Join(out, "long")) })
	t.Run("an ordinary user", func(t *testing.T) { ordinaryUser(t, out, short) })
	t.Run("inside", func(t *testing.T) {
		t.Log(read(t, out, "guest.stdout"))
		if status(t, out, "guest") != 0 {
			t.Error("the tests inside failed, or could not run")
		}
	})
}

// boot builds the programs and the machine, runs pmu-job.sh in it, and gives
// the folder with what it wrote.
func boot(t *testing.T, long bool) (out string) {
	t.Helper()
	name := map[bool]string{false: "short", true: "long"}[long]
	out, err := filepath.Abs(filepath.Join("out", name))
	if err == nil {
		err = os.RemoveAll(out)
	}
	if err != nil {
		t.Fatal(err)
	}
	bin := t.TempDir()
	files := []string{"plans/short.yaml", "plans/profile.yaml", filepath.Join(bin, "opcost"), filepath.Join(bin, "loop")}
	goTool(t, "build", "-trimpath", "-o", files[2], "../cmd/opcost")
	goTool(t, "build", "-trimpath", "-o", files[3], "./loop")
	if long {
		guest := filepath.Join(bin, "guest.test")
		goTool(t, "test", "-c", "-trimpath", "-o", guest, "./guest")
		files = append(files, "plans/long.yaml", guest)
	}
	machine(t, out, "build")
	began := time.Now()
	machine(t, out, append([]string{"run", "pmu-job.sh"}, files...)...)
	t.Logf("the machine ran for %.0f s", time.Since(began).Seconds())
	return out
}

func goTool(t *testing.T, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", args...)
	cmd.Env = append(os.Environ(), "GOOS=linux", "GOARCH=arm64", "CGO_ENABLED=0")
	if b, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(cmd.Args, " "), err, b)
	}
}

func machine(t *testing.T, out string, args ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, "./pmu-machine", args...)
	cmd.Env = append(os.Environ(), "OPCOST_PMU_OUT="+out, "OPCOST_PMU_TIMEOUT=1500")
	// Ended this way it ends its emulator too.
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = 20 * time.Second
	b, err := cmd.CombinedOutput()
	t.Logf("pmu-machine %s:\n%s", args[0], b)
	if err != nil {
		t.Fatalf("pmu-machine %s: %v", args[0], err)
	}
}

// knownLoop: two lengths of a loop of two instructions a turn. What starting
// and ending a Go program costs is in both; it varies by up to 100,000.
func knownLoop(t *testing.T, out string) {
	const turns = 210_000_000 - 10_000_000
	const want = 2 * turns
	got := loopCount(t, out, "loop-210000000.csv") - loopCount(t, out, "loop-10000000.csv")
	t.Logf("%d turns: %d user instructions, by the assembly %d", turns, got, want)
	if d := got - want; d < -want/1000 || d > want/1000 {
		t.Errorf("the machine's counter is wrong by more than 0.1%%, so nothing below means anything")
	}
}

// loopCount is the one value of a perf stat -x, file: VALUE,UNIT,EVENT,...
func loopCount(t *testing.T, out, name string) int {
	t.Helper()
	for line := range strings.Lines(read(t, out, name)) {
		if value, rest, _ := strings.Cut(line, ","); strings.HasPrefix(rest, ",instructions:u,") {
			n, err := strconv.Atoi(value)
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			return n
		}
	}
	t.Fatalf("%s has no count of instructions:u", name)
	return 0
}

func read(t *testing.T, out, name string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(out, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// status is the exit status of a command of the job.
func status(t *testing.T, out, name string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(read(t, out, name+".status")))
	if err != nil {
		t.Fatalf("%s.status: %v", name, err)
	}
	return n
}
