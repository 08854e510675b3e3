package binary

import (
	"os"
	"strings"
	"testing"
	"time"
)

// Programs of gcc, made in known ways.
func TestAbout(t *testing.T) {
	tool(t, "gcc")
	source := functionsOf(12)
	check := func(name string, want map[string]string, flags ...string) {
		t.Helper()
		got := facts(t, compile(t, source, flags...)).About()
		for k, v := range want {
			if v == "unknown" && strings.HasPrefix(got[k], "unknown: ") {
				continue
			}
			if got[k] != v {
				t.Errorf("%s: %s is %q, want %q", name, k, got[k], v)
			}
		}
		if !strings.HasPrefix(got["compiler"], "GCC: ") || got["allocator"] != "glibc" {
			t.Errorf("%s: compiler %q, allocator %q", name, got["compiler"], got["allocator"])
		}
	}
	check("plain", map[string]string{"flags": "unknown", "lto": "unknown", "pgo": "unknown", "frame_pointers": "no", "debug": "none", "symbols": "all"})
	check("debug", map[string]string{"lto": "no", "pgo": "no", "debug": "inside"}, "-g")
	check("frame pointers", map[string]string{"frame_pointers": "yes"}, "-fno-omit-frame-pointer")
	check("lto", map[string]string{"lto": "yes"}, "-g", "-flto", "-ffat-lto-objects")
	check("stripped", map[string]string{"symbols": "only those for plugins", "flags": "unknown"}, "-s")
	recorded := facts(t, compile(t, source, "-g", "-O3", "-march=native", "-fprofile-use", "-Wno-missing-profile", "-fno-omit-frame-pointer"))
	all := strings.Join(recorded.Flags, " ")
	for _, w := range []string{"-O3", "-fno-omit-frame-pointer", "-march="} {
		if !strings.Contains(all, w) {
			t.Errorf("the compiler's options are %q, without %s", all, w)
		}
	}
	if got := recorded.About()["pgo"]; got != "yes" {
		t.Errorf("made with -fprofile-use, pgo is %q; options %q", got, all)
	}
	if stripped := facts(t, compile(t, source, "-s", "-frecord-gcc-switches", "-O3")).Flags; !strings.Contains(strings.Join(stripped, " "), "-O3") {
		t.Errorf("recorded options of a stripped program: %q", stripped)
	}
}

func TestTelling(t *testing.T) {
	got := strings.Join(telling([]string{"GNU", "C++17", "-O2", "-g", "-I/home/x/secret", "-fprofile-use=/home/x/profiles", "-O2", `"-flto=4"`, "-DPASSWORD=x"}), " ")
	if got != "-O2 -flto=4 -fprofile-use" {
		t.Errorf("got %q", got)
	}
}

// Our own process runs with glibc or without any; the kernel's maps decide.
func TestMallocOfProcess(t *testing.T) {
	path := compile(t, functionsOf(3))
	p, err := os.StartProcess(path, []string{path, "sleep"}, &os.ProcAttr{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = p.Kill(); _, _ = p.Wait() }()
	// The loader maps libraries after the start.
	for until := time.Now().Add(time.Minute); time.Now().Before(until); time.Sleep(10 * time.Millisecond) {
		if name, from := Malloc(p.Pid); name == "glibc" && strings.Contains(from, "libc") {
			return
		}
	}
	t.Error("the allocator of a program of glibc was not found")
}
