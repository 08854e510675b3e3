package boundaries

import (
	"bufio"
	"cmp"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"opcost/collectors/child"
	"opcost/profiles/internal/live"
)

// run gives what a program prints, however much.
func run(t *testing.T, argv ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stdout")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	p, err := child.Start(child.Spec{Argv: argv, Stdout: f})
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if p.Err() != nil {
		t.Fatalf("%q: %v", argv, p.Err())
	}
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// binaries are real programs and libraries, stripped ones.
func binaries(t *testing.T) []string {
	t.Helper()
	var paths []string
	if p, err := exec.LookPath("mariadbd"); err == nil {
		paths = append(paths, p)
	}
	for _, pattern := range []string{"/lib/*-linux-gnu/libc.so.6", "/lib/*-linux-gnu/libstdc++.so.6", "/lib64/libc.so.6"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, found...)
	}
	if paths == nil {
		t.Skip("neither a server nor a C library where a package puts it")
	}
	return paths
}

func hexNumber(t *testing.T, s string) uint64 {
	t.Helper()
	n, err := strconv.ParseUint(s, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// Each function of real files is where readelf says it is, and readelf knows no
// other.
func TestAgreesWithReadelf(t *testing.T) {
	live.Needs(t, "readelf")
	fde := regexp.MustCompile(` FDE .*pc=([0-9a-f]+)\.\.([0-9a-f]+)$`)
	id := regexp.MustCompile(`Build ID: ([0-9a-f]+)`)
	for _, path := range binaries(t) {
		table, err := Of(path)
		if err != nil {
			t.Fatal(err)
		}
		var want []span
		sc := bufio.NewScanner(strings.NewReader(run(t, "readelf", "--debug-dump=frames,no-follow-links", path)))
		sc.Buffer(nil, 1<<20)
		for sc.Scan() {
			if m := fde.FindStringSubmatch(sc.Text()); m != nil {
				if s := (span{hexNumber(t, m[1]), hexNumber(t, m[2])}); s.start != 0 && s.end > s.start {
					want = append(want, s)
				}
			}
		}
		if err := sc.Err(); err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(want, func(a, b span) int { return cmp.Compare(a.start, b.start) })
		overlaps := 0
		for i := 0; i+1 < len(want); i++ {
			if want[i].end > want[i+1].start {
				overlaps++
			}
		}
		t.Logf("%s: %d functions, %d of them overlap, %d entries skipped", path, table.Len(), overlaps, table.Skipped)
		if table.Skipped != 0 || overlaps != 0 || !slices.Equal(want, table.functions) {
			t.Errorf("%s: %d functions, readelf says %d", path, table.Len(), len(want))
		}
		if m := id.FindStringSubmatch(run(t, "readelf", "-n", path)); m == nil || m[1] != table.BuildID {
			t.Errorf("%s: build id %q, readelf says %q", path, table.BuildID, m)
		}
		for _, s := range want {
			for _, a := range []uint64{s.start, s.start + (s.end-s.start)/2, s.end - 1} {
				if start, end, ok := table.Find(a); !ok || start != s.start || end != s.end {
					t.Fatalf("%s: %#x is in %#x to %#x (%v), want %+v", path, a, start, end, ok, s)
				}
			}
		}
	}
}

// Exported functions are the other source: nearly each begins where a boundary
// is, and has the name that nm says.
func TestAgreesWithNM(t *testing.T) {
	live.Needs(t, "nm")
	line := regexp.MustCompile(`(?m)^([0-9a-f]+) ([0-9a-f]+) [TWi] ([^@\n]+)`)
	for _, path := range binaries(t) {
		table, err := Of(path)
		if err != nil {
			t.Fatal(err)
		}
		at, n := 0, 0
		names := map[uint64][]string{}
		for _, m := range line.FindAllStringSubmatch(run(t, "nm", "-D", "-S", "--defined-only", path), -1) {
			a := hexNumber(t, m[1])
			n++
			if start, _, ok := table.Find(a); ok && start == a {
				at++
			}
			names[a] = append(names[a], m[3])
		}
		t.Logf("%s: %d functions are exported, %d begin at a boundary", path, n, at)
		if n < 1000 || float64(at) < 0.97*float64(n) {
			t.Errorf("%s: %d of %d exported functions begin at a boundary", path, at, n)
		}
		for a, of := range names {
			if got := table.Name(a); !slices.Contains(of, got) {
				t.Errorf("%s: %#x is %q, nm says %q", path, a, got, of)
			}
		}
	}
}

// Where the code of a file is, objdump prints beside its position in the file.
func TestAddressAgreesWithObjdump(t *testing.T) {
	live.Needs(t, "objdump")
	row := regexp.MustCompile(`(?m)^ *\d+ (\.text|\.rodata|\.data) +([0-9a-f]+)  ([0-9a-f]+)  [0-9a-f]+  ([0-9a-f]+) `)
	for _, path := range binaries(t) {
		table, err := Of(path)
		if err != nil {
			t.Fatal(err)
		}
		rows := row.FindAllStringSubmatch(run(t, "objdump", "-h", path), -1)
		if len(rows) != 3 {
			t.Fatalf("%s: %q", path, rows)
		}
		for _, m := range rows {
			size, address, offset := hexNumber(t, m[2]), hexNumber(t, m[3]), hexNumber(t, m[4])
			for _, skip := range []uint64{0, size / 2, size - 1} {
				if got, ok := table.Address(offset + skip); !ok || got != address+skip {
					t.Errorf("%s %s: position %#x is at %#x (%v), want %#x", path, m[1], offset+skip, got, ok, address+skip)
				}
			}
		}
		if a, ok := table.Address(1 << 60); ok {
			t.Errorf("a position behind the file's end is at %#x", a)
		}
	}
}

// A file without a table of sections has the loader's header to .eh_frame.
func TestWithoutSections(t *testing.T) {
	live.Needs(t, "readelf")
	path := binaries(t)[0]
	want, err := Of(path)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int{0x28, 0x29, 0x2a, 0x2b, 0x2c, 0x2d, 0x2e, 0x2f, 0x3c, 0x3d, 0x3e, 0x3f} {
		data[i] = 0 // ELF64's e_shoff, e_shnum, e_shstrndx
	}
	got, err := Read(strings.NewReader(string(data)))
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(want.functions, got.functions) || want.BuildID != got.BuildID {
		t.Errorf("%d functions without sections, %d with", got.Len(), want.Len())
	}
}
