package open

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"opcost/collectors/child"
	"opcost/profiles"
	"opcost/profiles/boundaries"
	"opcost/profiles/cost"
	"opcost/profiles/internal/live"
	"opcost/profiles/pprof"
)

// source is a program that spends 60, 30 and 10 parts in three functions; with
// other parts for the third if its argument says so.
const source = `
#include <stdlib.h>
static volatile unsigned long sink;
#define WORK(n) for (unsigned long i = 0; i < (n); i++) sink += i * 3
static __attribute__((noinline)) void sixty(unsigned long n) { WORK(n); }
static __attribute__((noinline)) void thirty(unsigned long n) { WORK(n); sink++; }
static __attribute__((noinline)) void ten(unsigned long n) { WORK(n); sink--; }
static __attribute__((noinline)) void dive(unsigned long n, int depth) { if (depth > 0) dive(n, depth - 1); else sink += n; }
int main(int argc, char **argv) {
	unsigned long n = strtoul(argv[1], 0, 10);
	for (int round = 0; round < 20; round++) {
		sixty(6 * n);
		thirty(3 * n);
		ten(n * strtoul(argv[2], 0, 10));
		dive(n, 3);
	}
	return 0;
}
`

// program compiles the source, and gives it stripped and not, with the address
// of each function by nm.
func program(t *testing.T) (full, stripped string, at map[string]uint64) {
	t.Helper()
	dir := t.TempDir()
	full, stripped = filepath.Join(dir, "full"), filepath.Join(dir, "stripped")
	text := filepath.Join(dir, "known.c")
	if err := os.WriteFile(text, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	var nm string
	for _, argv := range [][]string{
		{"gcc", "-O0", "-fno-omit-frame-pointer", "-fno-optimize-sibling-calls", "-o", full, text},
		{"strip", "-o", stripped, full},
		{"nm", full},
	} {
		stdout, stderr, err := child.Output(t.Context(), argv...)
		if err != nil {
			t.Fatalf("%q: %v\n%s", argv, err, stderr)
		}
		nm = stdout
	}
	at = map[string]uint64{}
	for _, m := range regexp.MustCompile(`(?m)^([0-9a-f]+) [tT] (\w+)$`).FindAllStringSubmatch(nm, -1) {
		a, err := strconv.ParseUint(m[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		at[m[2]] = a
	}
	return full, stripped, at
}

// count runs the program under callgrind and opens what it counted.
func count(t *testing.T, path string, tenth int) *profiles.Profile {
	t.Helper()
	dir := t.TempDir()
	_, stderr, err := child.Output(t.Context(), "valgrind", "--tool=callgrind", "--callgrind-out-file="+filepath.Join(dir, "callgrind.out.%p"), path, "2000", strconv.Itoa(tenth))
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	set := open(t, dir)
	if len(set.Profiles) != 1 || set.Warnings != nil {
		t.Fatalf("%+v", set)
	}
	return set.Profiles[0]
}

// named are the rows of one object by function.
func named(p *profiles.Profile, object string) map[string]cost.Row[profiles.Frame] {
	m := map[string]cost.Row[profiles.Frame]{}
	for _, r := range cost.Of(p).Rows {
		if r.Key.Object == object && r.Key.Named() {
			m[r.Key.Function] = r
		}
	}
	return m
}

// The known answer: 60, 30 and 10% within 2 points, and what is made twice as
// costly costs twice as much, and nothing else more.
func TestKnownAnswer(t *testing.T) {
	live.Needs(t, "gcc", "valgrind", "strip", "nm")
	full, _, _ := program(t)
	p := count(t, full, 1)
	once := named(p, full)
	whole := once["main"].Total
	for f, want := range map[string]float64{"sixty": 60, "thirty": 30, "ten": 10} {
		r := once[f]
		if got := 100 * float64(r.Self) / float64(whole); math.Abs(got-want) > 2 || r.Self != r.Total || r.Calls != 20 {
			t.Errorf("%s: %.2f%% of main's %d, want %v%%; %+v", f, got, whole, want, r)
		}
	}
	if r := once["dive"]; r.Calls != 20*4 || r.Total != r.Self || r.Bound {
		t.Errorf("a function that calls itself three times, 20 times: %+v", r)
	}
	twice := named(count(t, full, 2), full)
	for f, r := range twice {
		ratio := float64(r.Self) / float64(once[f].Self)
		want := 1.0
		if f == "ten" {
			want = 2
		}
		if once[f].Self > 1000 && math.Abs(ratio-want) > 0.01 {
			t.Errorf("%s: %d, then %d: %.3f times", f, once[f].Self, r.Self, ratio)
		}
	}
	stacks, note, err := cost.Unfold(p, 0)
	if err != nil || note == "" {
		t.Fatalf("%q, %v", note, err)
	}
	for _, r := range cost.Of(stacks).Rows {
		if r.Key.Object == full && r.Key.Named() && r.Self != once[r.Key.Function].Self {
			t.Errorf("as stacks: %+v, counted %+v", r, once[r.Key.Function])
		}
	}
}

// begins are the beginnings of unnamed functions of an object, with what they
// cost themselves.
func begins(t *testing.T, p *profiles.Profile, object string) map[uint64]int64 {
	t.Helper()
	m := map[uint64]int64{}
	for _, r := range cost.Of(p).Rows {
		if r.Key.Object == object && !r.Key.Named() {
			if r.Key.Start == 0 && r.Self > 100 { // the C library's start code has no entry
				t.Errorf("%+v is in no function", r)
			}
			m[r.Key.Start] += r.Self
		}
	}
	return m
}

func findFile(object, _ string) (*boundaries.Table, error) { return boundaries.Of(object) }

// A stripped program's functions are told apart: each begins where nm saw it
// before, and costs what it cost with a name. A pprof file keeps all of it.
func TestStripped(t *testing.T) {
	live.Needs(t, "gcc", "valgrind", "strip", "nm")
	full, stripped, at := program(t)
	want := named(count(t, full, 1), full)
	resolved, warnings, err := boundaries.Resolve(count(t, stripped, 1), findFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, w := range warnings {
		t.Log(w)
	}
	got := begins(t, resolved, stripped)
	for _, f := range []string{"sixty", "thirty", "ten", "dive", "main"} {
		if self := got[at[f]]; math.Abs(float64(self-want[f].Self)) > 0.001*float64(want[f].Self) {
			t.Errorf("%s at %#x cost %d, with its name %d", f, at[f], self, want[f].Self)
		}
	}
	var b bytes.Buffer
	if err := pprof.Write(&b, &profiles.Set{Profiles: []*profiles.Profile{resolved}}); err != nil {
		t.Fatal(err)
	}
	again := open(t, file(t, b.Bytes())).Profiles[0]
	if diff := cmp.Diff(texts(resolved), texts(again)); diff != "" {
		t.Errorf("through pprof: -before +after\n%s", diff)
	}
}

// texts is all of a profile, without the order of its frames.
func texts(p *profiles.Profile) []string {
	all := []string{fmt.Sprintf("%+v %+v %+v", p.Event, p.About, p.Problems)}
	for _, s := range p.Stacks {
		var frames []string
		for _, f := range s.Frames {
			frames = append(frames, fmt.Sprintf("%+v", p.Frames[f]))
		}
		all = append(all, fmt.Sprintf("%s: %s %d %d", s.Thread, strings.Join(frames, ";"), s.Weight, s.Samples))
	}
	for _, a := range p.Arcs {
		all = append(all, fmt.Sprintf("%s: %+v %+v %d %d", a.Thread, p.Frames[a.Caller], p.Frames[a.Callee], a.Calls, a.Weight))
	}
	return all
}

// The same with samples: perf's positions in the file lead to the functions.
func TestStrippedSampled(t *testing.T) {
	live.Needs(t, "gcc", "perf", "strip", "nm")
	_, stripped, at := program(t)
	data := filepath.Join(t.TempDir(), "perf.data")
	_, stderr, err := child.Output(t.Context(), "perf", "record", "-q", "-e", "cpu-clock", "-F", "999", "-g", "-o", data, stripped, "2000000", "1")
	if err != nil {
		t.Fatalf("%v\n%s", err, stderr)
	}
	set := open(t, data)
	b, err := os.ReadFile(data)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(texts(set.Profiles[0]), texts(open(t, file(t, packed(t, b))).Profiles[0])); diff != "" {
		t.Errorf("compressed: -plain +compressed\n%s", diff)
	}
	p, warnings, err := boundaries.Resolve(set.Profiles[0], findFile)
	if err != nil {
		t.Fatal(err)
	}
	got := begins(t, p, stripped)
	var whole int64
	for _, w := range got {
		whole += w
	}
	// The shares of samples on a busy machine are not what is tried here.
	if share := float64(got[at["sixty"]]) / float64(whole); share < 0.4 || share > 0.8 {
		t.Errorf("sixty at %#x: %.2f of %v; %q %q", at["sixty"], share, got, set.Warnings, warnings)
	}
	for _, f := range []string{"thirty", "ten"} {
		if got[at[f]] == 0 {
			t.Errorf("%s at %#x is not in %v", f, at[f], got)
		}
	}
	rows := map[uint64]cost.Row[profiles.Frame]{}
	for _, r := range cost.Of(p).Rows {
		if r.Key.Object == stripped {
			rows[r.Key.Start] = r
		}
	}
	if main := rows[at["main"]]; float64(main.Total) < 0.95*float64(whole) {
		t.Errorf("main at %#x is on %d of %d: %+v", at["main"], main.Total, whole, main)
	}
}
