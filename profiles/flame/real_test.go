package flame

import (
	"bufio"
	"compress/gzip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"opcost/profiles"
)

// realFolded reads a profile of a real mysqld that others recorded.
func realFolded(t *testing.T, name string) *profiles.Profile {
	t.Helper()
	cases := os.Getenv("OPCOST_CASES")
	if cases == "" {
		cases = filepath.Join("..", "..", "..", "shared", "cases")
	}
	if _, err := os.Stat(cases); err != nil {
		t.Skip("the folder of real inputs is not here; OPCOST_CASES names it:", err)
	}
	f, err := os.Open(filepath.Join(cases, "02-perf-script", "mysqld-folded", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	b := profiles.NewBuilder(profiles.Event{Name: "cycles", Unit: profiles.Cycles})
	in := bufio.NewScanner(z)
	in.Buffer(nil, 1<<20)
	for in.Scan() {
		line := in.Text()
		cut := strings.LastIndexByte(line, ' ')
		weight, err := strconv.ParseInt(line[cut+1:], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		names := strings.Split(line[:cut], ";")
		var stack []int32
		for i := len(names) - 1; i > 0; i-- {
			stack = append(stack, b.Frame(profiles.Frame{Function: names[i]}))
		}
		// 997 a second at about 4 GHz: what one sample of that machine weighs.
		if err := b.Add(names[0], stack, weight, max(1, weight/4_000_000)); err != nil {
			t.Fatal(err)
		}
	}
	if err := in.Err(); err != nil {
		t.Fatal(err)
	}
	return b.Profile()
}
