package binary

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// tool finds a program that a test needs.
func tool(t testing.TB, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("no %s on PATH: apt-get install gcc binutils", name)
	}
}

func do(t testing.TB, name string, args ...string) string {
	t.Helper()
	tool(t, name)
	out, err := exec.Command(name, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
	return string(out)
}

// functionsOf is a program of n functions that call each other and need a stack
// frame, and of as many leaves that need none.
func functionsOf(n int) string {
	var b strings.Builder
	b.WriteString("#include <stdlib.h>\n#include <unistd.h>\n")
	b.WriteString("__attribute__((noinline)) long hold(char *p, long n) { __asm__ volatile(\"\" : : \"r\"(p) : \"memory\"); return n; }\n")
	for i := range n {
		fmt.Fprintf(&b, "__attribute__((noinline)) long leaf%d(long x) { return x * %d + 1; }\n", i, i+3)
		fmt.Fprintf(&b, "__attribute__((noinline)) long work%d(long x) { char a[40]; long k = hold(a, x); long s = 0; for (long j = 0; j < k; j++) s += hold(a, j) + leaf%d(j); return s + k; }\n", i, i)
	}
	b.WriteString("int main(int c, char **v) { long s = 0; (void)v;\n")
	for i := range n {
		fmt.Fprintf(&b, "s += work%d(c);\n", i)
	}
	b.WriteString("char *p = malloc(100); if (p) s += p[s & 63]; if (c > 1) sleep(60); return s & 1; }\n")
	return b.String()
}

// compile makes a program with gcc and gives its path.
func compile(t testing.TB, source string, flags ...string) string {
	t.Helper()
	dir := t.TempDir()
	c, exe := filepath.Join(dir, "p.c"), filepath.Join(dir, "p")
	if err := os.WriteFile(c, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	do(t, "gcc", append(append([]string{"-O2", "-o", exe, c}, "-Wno-unused-result"), flags...)...)
	return exe
}

func facts(t *testing.T, path string) Facts {
	t.Helper()
	f, err := Binary(path)
	if err != nil {
		t.Fatal(err)
	}
	return f
}
