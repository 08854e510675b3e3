package main

import (
	"bytes"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// TestLongDist makes what is given away, into a folder of its own, and looks at
// it as whoever downloads it would.
func TestLongDist(t *testing.T) {
	long(t)
	for _, tool := range []string{"make", "sha256sum", "tar"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skipf("%s is not installed", tool)
		}
	}
	made := t.TempDir()
	dist, version := filepath.Join(made, "dist"), "v0-test"
	in := func(dir string, argv ...string) string {
		t.Helper()
		cmd := exec.Command(argv[0], argv[1:]...)
		cmd.Dir = dir
		var errs bytes.Buffer
		cmd.Stderr = &errs
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%q: %v\n%s%s", argv, err, out, errs.String())
		}
		return string(out)
	}
	in(projectDir, "make", "dist", "BIN="+filepath.Join(made, "bin"), "DIST="+dist, "VERSION="+version)
	names := strings.Fields(in(dist, "ls"))
	want := []string{"README.md", "SHA256SUMS", "opcost.1", "opcost.bash", "opcost.fish", "opcost.zsh"}
	for _, arch := range []string{"amd64", "arm64"} {
		name := "opcost-" + version + "-linux-" + arch
		want = append(want, name, name+".tar.gz")
	}
	for _, w := range want {
		if !slices.Contains(names, w) {
			t.Errorf("dist has no %s but %q", w, names)
		}
	}
	sums := in(dist, "cat", "SHA256SUMS")
	if n := strings.Count(sums, "\n"); n != len(names)-1 { // all but itself
		t.Errorf("%d sums of %d files", n, len(names)-1)
	}
	in(dist, "sha256sum", "--check", "--strict", "SHA256SUMS")
	if page, err := os.ReadFile(filepath.Join(dist, "opcost.1")); err != nil || !bytes.Contains(page, []byte("opcost v0\\-test")) {
		t.Errorf("the manual page: %v", err)
	}
	for arch, machine := range map[string]elf.Machine{"amd64": elf.EM_X86_64, "arm64": elf.EM_AARCH64} {
		name := "opcost-" + version + "-linux-" + arch
		static(t, filepath.Join(dist, name), machine)
		listed := strings.Fields(in(dist, "tar", "-tzf", name+".tar.gz"))
		for _, f := range []string{"opcost", "opcost.1", "opcost.bash", "opcost.zsh", "opcost.fish", "README.md"} {
			if !slices.Contains(listed, name+"/"+f) {
				t.Errorf("%s.tar.gz has no %s but %q", name, f, listed)
			}
		}
		unpacked := t.TempDir()
		in(unpacked, "tar", "-xzf", filepath.Join(dist, name+".tar.gz"))
		packed, err := os.ReadFile(filepath.Join(unpacked, name, "opcost"))
		if err == nil {
			var alone []byte
			if alone, err = os.ReadFile(filepath.Join(dist, name)); err == nil && !bytes.Equal(packed, alone) {
				t.Errorf("%s.tar.gz has another program than the one beside it", name)
			}
		}
		if err != nil {
			t.Error(err)
		}
		if arch == runtime.GOARCH {
			if said := in(dist, "./"+name, "--version"); said != version+"\n" {
				t.Errorf("--version: %q", said)
			}
		}
	}
}

// static fails for a program that needs a loader or a library.
func static(t *testing.T, path string, machine elf.Machine) {
	t.Helper()
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	libs, err := f.ImportedLibraries()
	if err != nil || len(libs) > 0 || f.Machine != machine {
		t.Errorf("%s: %v, for %v, needs %q: %v", path, f.Type, f.Machine, libs, err)
	}
	for _, p := range f.Progs {
		if p.Type == elf.PT_INTERP {
			t.Errorf("%s needs a loader", path)
		}
	}
}
