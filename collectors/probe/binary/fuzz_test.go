package binary

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Whatever a program's file holds: facts, or an error that names it.
func FuzzBinary(f *testing.F) {
	f.Add([]byte("#!/bin/sh\n"))
	f.Add([]byte("\x7fELF\x02\x01\x01\x00"))
	if _, err := exec.LookPath("gcc"); err == nil {
		for _, flags := range [][]string{{"-g"}, {"-s", "-fno-omit-frame-pointer"}} {
			b, err := os.ReadFile(compile(f, functionsOf(1), flags...))
			if err != nil {
				f.Fatal(err)
			}
			f.Add(b)
		}
	}
	path := filepath.Join(f.TempDir(), "program")
	f.Fuzz(func(t *testing.T, b []byte) {
		if err := os.WriteFile(path, b, 0o600); err != nil {
			t.Fatal(err)
		}
		facts, err := Binary(path)
		if err != nil {
			if strings.Count(err.Error(), path) != 1 {
				t.Error(err)
			}
			return
		}
		if p := facts.FramePointers; p.WithPointer > p.Frames || p.Frames > len(b) {
			t.Errorf("%d frames, %d with a pointer", p.Frames, p.WithPointer)
		}
		for key, text := range facts.About() {
			if key == "" {
				t.Errorf("something is %q", text)
			}
		}
	})
}
