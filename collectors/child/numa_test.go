package child

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestMemoryNode: the kernel's own account of a program's memory names the node.
func TestMemoryNode(t *testing.T) {
	if _, err := os.Stat("/proc/self/numa_maps"); err != nil {
		t.Skipf("this kernel has no NUMA: %v", err)
	}
	run := func(node *int) (string, error) {
		out, err := os.Create(filepath.Join(t.TempDir(), "out"))
		if err != nil {
			t.Fatal(err)
		}
		defer out.Close()
		p, err := Start(Spec{Argv: []string{"cat", "/proc/self/numa_maps"}, Stdout: out, MemoryNode: node})
		if err != nil {
			return "", err
		}
		select {
		case <-p.Done():
		case <-time.After(time.Minute):
			t.Fatal("cat does not end")
		}
		text, err := os.ReadFile(out.Name())
		return string(text), err
	}
	zero, far := 0, 1023
	if text, err := run(&zero); err != nil || !strings.Contains(text, " bind:0 ") || strings.Contains(text, " default ") {
		t.Errorf("bound to node 0: %v\n%.200s", err, text)
	}
	if text, err := run(nil); err != nil || strings.Contains(text, " bind:") {
		t.Errorf("not bound: %v\n%.200s", err, text)
	}
	if _, err := run(&far); err == nil || !strings.Contains(err.Error(), "NUMA node 1023") {
		t.Errorf("a node that is not there: %v", err)
	}
}
