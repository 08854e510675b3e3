package result

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "yesterday")
	run := Run{Schema: Schema, Version: "10.11.19", Workload: "live", Driver: Attached, Started: time.Unix(1, 0)}
	if err := WriteFile(path, run); err != nil {
		t.Fatal(err)
	}
	if got, err := ReadFile(path); err != nil || got.Version != "10.11.19" {
		t.Errorf("read back: %+v, %v", got, err)
	}
	if err := WriteFile(path, run); err == nil || !strings.Contains(err.Error(), "left as it is") {
		t.Errorf("a file that exists: %v", err)
	}
	text, _ := os.ReadFile(path)
	for name, damaged := range map[string]string{
		"ends too soon": string(text[:len(text)/2]),
		"changed after": strings.Replace(string(text), "10.11.19", "10.11.18", 1),
		"newer opcost":  strings.Replace(string(text), `"schema":1`, `"schema":99`, 1),
		"no record":     "hello",
	} {
		if err := os.WriteFile(path, []byte(damaged), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadFile(path); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
