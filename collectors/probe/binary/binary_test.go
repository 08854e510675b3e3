package binary

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Of the 60 leaves, which make no frame, none counts; the C library's start-up
// functions may.
func TestFramePointers(t *testing.T) {
	source := functionsOf(60)
	for _, c := range []struct {
		name      string
		flags     []string
		low, high float64
	}{
		{"kept", []string{"-fno-omit-frame-pointer"}, 0.95, 1},
		{"omitted", []string{"-fomit-frame-pointer"}, 0, 0.05},
		{"kept, stripped", []string{"-fno-omit-frame-pointer", "-s"}, 0.95, 1},
		{"omitted, stripped", []string{"-fomit-frame-pointer", "-s"}, 0, 0.05},
	} {
		p := facts(t, compile(t, source, c.flags...)).FramePointers
		if p.Unknown != "" || p.Frames < 60 || p.Frames > 80 || p.Share < c.low || p.Share > c.high || p.WithPointer > p.Frames || p.Frames > p.Functions {
			t.Errorf("%s: %+v", c.name, p)
		}
	}
}

// objdump shows the same functions' instructions: a second way to the share.
func TestFramePointersByObjdump(t *testing.T) {
	exe := compile(t, functionsOf(60), "-fno-omit-frame-pointer")
	listing := do(t, "objdump", "-d", "--no-show-raw-insn", exe)
	push := regexp.MustCompile(`<(work\d+)>:\n[^\n]*push +%rbp\n`)
	if strings.Contains(do(t, "uname", "-m"), "aarch64") {
		push = regexp.MustCompile(`<(work\d+)>:\n[^\n]*stp\tx29, x30`)
	}
	if n := len(push.FindAllString(listing, -1)); n != 60 {
		t.Fatalf("objdump shows %d functions that keep the frame pointer, 60 were written", n)
	}
	if p := facts(t, exe).FramePointers; p.WithPointer < 60 {
		t.Errorf("%+v", p)
	}
}

// Words as the Arm manual encodes them (C6.2), in the file's order.
func TestPrologueARM64(t *testing.T) {
	const (
		bti     = "\x5f\x24\x03\xd5" // bti c
		stp     = "\xfd\x7b\xbf\xa9" // stp x29, x30, [sp, #-16]!
		stpOff  = "\xfd\x7b\x02\xa9" // stp x29, x30, [sp, #32]
		movFP   = "\xfd\x03\x00\x91" // mov x29, sp
		addFP   = "\xfd\x83\x00\x91" // add x29, sp, #32
		strLR   = "\xfe\x0f\x1f\xf8" // str x30, [sp, #-16]!
		stpLR19 = "\xfe\x4f\xbe\xa9" // stp x30, x19, [sp, #-32]!
		stp19   = "\xf3\x53\xbe\xa9" // stp x19, x20, [sp, #-32]!
		sub     = "\xff\x83\x01\xd1" // sub sp, sp, #96
		ret     = "\xc0\x03\x5f\xd6"
	)
	for _, c := range []struct {
		name, code     string
		frame, pointer bool
	}{
		{"pushed", bti + stp + movFP + ret, true, true},
		{"stored", sub + stpOff + addFP + ret, true, true},
		{"later", sub + stp19 + stp + movFP, true, true},
		{"no pointer", strLR + ret, true, false},
		{"pair without", stpLR19 + ret, true, false},
		{"stored, not set", stp + ret, true, false},
		{"leaf", ret, false, false},
		{"leaf, then another function", ret + stp + movFP, false, false},
		{"short", "\xfd\x7b", false, false},
	} {
		if frame, pointer := prologueARM64([]byte(c.code)); frame != c.frame || pointer != c.pointer {
			t.Errorf("%s: frame %v, pointer %v", c.name, frame, pointer)
		}
	}
}

func TestPrologueAMD64(t *testing.T) {
	for _, c := range []struct {
		name, code     string
		frame, pointer bool
	}{
		{"plain", "\x55\x48\x89\xe5\x41\x57", true, true},
		{"endbr64, other encoding", "\xf3\x0f\x1e\xfa\x55\x48\x8b\xec", true, true},
		{"one between", "\x55\x31\xc0\x48\x89\xe5", true, true},
		{"after an early return", "\x85\xff\x74\x10\x55\x48\x89\xe5\x41\x57", true, true},
		{"rbp as any register", "\x55\x53\x48\x83\xec\x18\x48\x89\xfd\xe8\x00\x00\x00\x00\x5b\x5d\xc3\x90", true, false},
		{"r15 first", "\x41\x57\x41\x56", true, false},
		{"sub only", "\x48\x83\xec\x08\xe8", true, false},
		{"sub of much", "\x48\x81\xec\x00\x10\x00\x00", true, false},
		{"leaf", "\x48\x8d\x47\x01\xc3", false, false},
		{"short", "\x55", false, false},
		{"nothing", "", false, false},
	} {
		if frame, pointer := prologueAMD64([]byte(c.code)); frame != c.frame || pointer != c.pointer {
			t.Errorf("%s: frame %v, pointer %v", c.name, frame, pointer)
		}
	}
}

func TestSymbolsAndDebug(t *testing.T) {
	exe := compile(t, functionsOf(5), "-g", "-Wl,--build-id=0x00112233445566778899aabbccddeeff")
	f := facts(t, exe)
	if f.BuildID != "00112233445566778899aabbccddeeff" || !f.Debug.Inside || f.Symbols.Table < 11 || len(f.Compilers) == 0 || !strings.HasPrefix(f.Compilers[0], "GCC: ") {
		t.Errorf("with all: %+v", f)
	}
	dir := filepath.Dir(exe)
	debug := filepath.Join(dir, "p.debug")
	do(t, "objcopy", "--only-keep-debug", exe, debug)
	do(t, "strip", exe)
	f = facts(t, exe)
	if f.Symbols.Table != 0 || f.Debug.Inside || f.Debug.File != "" || len(f.Debug.Looked) != 1 || f.Debug.Looked[0] != "/usr/lib/debug/.build-id/00/112233445566778899aabbccddeeff.debug" {
		t.Errorf("stripped: %+v", f)
	}
	do(t, "objcopy", "--add-gnu-debuglink="+debug, exe)
	f = facts(t, exe)
	if f.Debug.File != debug || !f.Symbols.Separate || f.LTO.Seen != "no" {
		t.Errorf("linked: %+v", f)
	}
	other := compile(t, functionsOf(6), "-g", "-Wl,--build-id=0xff112233445566778899aabbccddeeff")
	do(t, "objcopy", "--only-keep-debug", other, debug)
	if f = facts(t, exe); f.Debug.File != "" || !strings.Contains(f.Debug.Unreadable, "another build") {
		t.Errorf("of another build: %+v", f.Debug)
	}
	if err := os.WriteFile(debug, []byte("not ELF"), 0o644); err != nil {
		t.Fatal(err)
	}
	if f = facts(t, exe); f.Debug.File != "" || f.Debug.Unreadable == "" {
		t.Errorf("damaged: %+v", f.Debug)
	}
	if f := facts(t, compile(t, functionsOf(1), "-Wl,--build-id=none")); f.BuildID != "" {
		t.Errorf("no build id: %s", f.BuildID)
	}
}

// By build id below a root that is not ours, as with a container.
func TestSeparateFileInARoot(t *testing.T) {
	exe := compile(t, functionsOf(5), "-g", "-Wl,--build-id=0x0123456789")
	root := t.TempDir()
	debug := filepath.Join(root, "usr/lib/debug/.build-id/01/23456789.debug")
	if err := os.MkdirAll(filepath.Dir(debug), 0o755); err != nil {
		t.Fatal(err)
	}
	do(t, "objcopy", "--only-keep-debug", exe, debug)
	do(t, "strip", exe)
	f, err := read(exe, "/srv/mysqld", root, t.TempDir())
	if err != nil || f.Path != "/srv/mysqld" || f.Debug.File != "/usr/lib/debug/.build-id/01/23456789.debug" || !f.Symbols.Separate {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestLTO(t *testing.T) {
	source := functionsOf(5)
	for _, c := range []struct {
		name  string
		flags []string
		want  string
	}{
		{"with debug information", []string{"-flto", "-g"}, "yes"},
		{"without LTO", []string{"-g", "-fno-lto"}, "no"},
		{"stripped", []string{"-flto", "-s"}, ""},
		{"no debug information", []string{"-fno-lto"}, ""},
	} {
		if l := facts(t, compile(t, source, c.flags...)).LTO; l.Seen != c.want || l.Evidence == "" {
			t.Errorf("%s: %+v", c.name, l)
		}
	}
}

func TestAllocatorInProgram(t *testing.T) {
	for function, want := range map[string]string{"mi_malloc": "mimalloc", "mallctl": "jemalloc", "tc_malloc": "tcmalloc", "my_malloc": ""} {
		f := facts(t, compile(t, functionsOf(1)+"void *"+function+"(unsigned long n) { return (void *)n; }\n"))
		name, evidence := f.AllocatorOf()
		if f.Allocator != want || (want != "" && (name != want || evidence == "")) || (want == "" && name != "glibc" && name != "musl") {
			t.Errorf("%s: %q, %q, %q", function, f.Allocator, name, evidence)
		}
	}
	if name, evidence := (Facts{}).AllocatorOf(); name != "" || evidence != "" {
		t.Errorf("unknown: %q %q", name, evidence)
	}
}

func TestLibraryAllocator(t *testing.T) {
	for library, want := range map[string]string{
		"/usr/lib/x86_64-linux-gnu/libjemalloc.so.2": "jemalloc", "/usr/lib64/libtcmalloc_minimal.so.4.5.9": "tcmalloc",
		"/opt/libmimalloc-secure.so": "mimalloc", "/lib/libc-2.31.so": "glibc", "/lib/ld-musl-x86_64.so.1": "musl", "/lib/libcrypt.so.1": "",
	} {
		if name, _ := libraryAllocator([]string{"", "[heap]", library}); name != want {
			t.Errorf("%s: %q", library, name)
		}
	}
	if name, from := libraryAllocator([]string{"/lib/libc.so.6", "/lib/libjemalloc.so.2"}); name != "jemalloc" || from != "/lib/libjemalloc.so.2" {
		t.Errorf("both: %q %q", name, from)
	}
}

// No file makes the reader panic, and none that is no program passes for one.
func TestDamagedFiles(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte("#!/bin/sh\nexec mysqld\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, p := range []string{text, dir, filepath.Join(dir, "absent")} {
		if _, err := Binary(p); err == nil || strings.Count(err.Error(), p) != 1 {
			t.Errorf("%s: %v", p, err)
		}
	}
	whole, err := os.ReadFile(compile(t, functionsOf(2), "-g"))
	if err != nil {
		t.Fatal(err)
	}
	damaged := filepath.Join(dir, "damaged")
	for i := range 400 {
		b := append([]byte(nil), whole[:len(whole)-i*len(whole)/800]...)
		for j := range 8 {
			b[(i*7919+j*104729)%len(b)] ^= byte(i + 1)
		}
		if err := os.WriteFile(damaged, b, 0o755); err != nil {
			t.Fatal(err)
		}
		f, err := Binary(damaged)
		if err == nil && f.FramePointers.WithPointer > f.FramePointers.Frames {
			t.Errorf("%d: %+v", i, f.FramePointers)
		}
	}
}
