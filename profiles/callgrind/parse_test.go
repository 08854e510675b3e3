package callgrind

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// all is a file by hand with every kind of line. Own costs: main 10+1+2 = 13
// (the 2 in an inlined file), f 30+5 = 35, (below main) 4, in the first event.
const all = `# callgrind format
version: 1
creator: by hand
pid: 42
cmd:  ./a.out --x=1 a: b
part: 3
thread: 7


desc: I1 cache: 
desc: Timerange: Basic block 0 - 9
desc: Trigger: dump my hint

positions: instr line
event: Ir : Instructions
events: Ir Dr
summary: 18446744073709502228

ob=(1) /bin/a.out
fl=(1) a.c
fn=(1) main
0x10 5 10 1
+3 +1 1
cob=(2) /lib/libc.so
cfi=(3) c.c
cfn=(2) f
calls=2 0x20 9
* * 60 6
fi=(2) inline.h
+1 -4 2
fe=(1)
jump=3 +9 +2
* *
jcnd=1/2 +4 +1
+1 *
cfn=(4)   int_op(std::map<a, b> const&)::{lambda(int)#1}
calls=1 0 0
+2 +0 7

fn=(below main)
0x30 0 4
cfn=(1)
calls=1 0x10 5
* * 80 8

# the name is known, the object is another
ob=(2)
fl=(3)
fn=(2)
0x20 9 30 2
cfn=(2)
calls=1 +0 +0
* * 5 1
0x22 10 0x5

totals: 52 3
`

func TestParse(t *testing.T) {
	p, err := Parse(strings.NewReader(all))
	if err != nil {
		t.Fatal(err)
	}
	want := &File{Version: "1", Creator: "by hand", Parts: []Part{{
		PID: 42, Cmd: "./a.out --x=1 a: b", Number: 3, Thread: 7, Trigger: "dump my hint",
		Events: []string{"Ir", "Dr"}, Totals: []uint64{52, 3}, Summary: []uint64{18446744073709502228, 0},
		Functions: []Function{
			{Object: "/bin/a.out", File: "a.c", Name: "main", Self: []uint64{13, 1}, Calls: []Call{
				{Callee: 1, Count: 2, Inclusive: []uint64{60, 6}},
				{Callee: 2, Count: 1, Inclusive: []uint64{7, 0}},
			}},
			{Object: "/lib/libc.so", File: "c.c", Name: "f", Self: []uint64{35, 2}, Calls: []Call{
				{Callee: 1, Count: 1, Inclusive: []uint64{5, 1}},
			}},
			{Object: "/bin/a.out", File: "a.c", Name: "int_op(std::map<a, b> const&)::{lambda(int)#1}", Self: []uint64{0, 0}},
			{Object: "/bin/a.out", File: "a.c", Name: "(below main)", Self: []uint64{4, 0}, Calls: []Call{
				{Callee: 0, Count: 1, Inclusive: []uint64{80, 8}},
			}},
		},
	}}}
	if diff := cmp.Diff(want, p); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if diff := cmp.Diff(p.Parts[0].Totals, p.Parts[0].Self()); diff != "" {
		t.Errorf("own costs -totals +sum\n%s", diff)
	}
	if diff := cmp.Diff([]uint64{80, 7}, p.Parts[0].Functions[0].Inclusive()); diff != "" {
		t.Errorf("main with its calls: -want +got\n%s", diff)
	}
}

// Several parts in one file (--combine-dumps=yes): names go on, all else begins
// anew.
func TestParseParts(t *testing.T) {
	p, err := Parse(strings.NewReader("events: Ir\nfn=(1) f\n1 5\ntotals: 5\n\npid: 2\ncmd: x\npart: 2\nevents: Bc Ir\nfn=(1)\n1 6 7\ntotals: 6 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Part{
		{Events: []string{"Ir"}, Totals: []uint64{5}, Functions: []Function{{Name: "f", Self: []uint64{5}}}},
		{PID: 2, Cmd: "x", Number: 2, Events: []string{"Bc", "Ir"}, Totals: []uint64{6, 7}, Functions: []Function{{Name: "f", Self: []uint64{6, 7}}}},
	}
	if diff := cmp.Diff(want, p.Parts); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A dump of a running program has calls that are still under way: no call has
// ended (0), and the cost so far is the callee's, not the caller's own.
func TestParseCallUnderWay(t *testing.T) {
	p, err := Parse(strings.NewReader("events: Ir\nfn=main\n1 5\ncfn=loop\ncalls=0 9\n2 100\nfn=loop\n9 100\ntotals: 105\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Function{
		{Name: "main", Self: []uint64{5}, Calls: []Call{{Callee: 1, Inclusive: []uint64{100}}}},
		{Name: "loop", Self: []uint64{100}},
	}
	if diff := cmp.Diff(want, p.Parts[0].Functions); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// The same function in two objects is two functions, named twice it is one.
func TestParseSameNames(t *testing.T) {
	p, err := Parse(strings.NewReader("events: Ir\nob=a\nfn=f\n1 5\nob=b\nfn=f\n1 6\nob=a\nfn=f\n1 7\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []Function{{Object: "a", Name: "f", Self: []uint64{12}}, {Object: "b", Name: "f", Self: []uint64{6}}}
	if diff := cmp.Diff(want, p.Parts[0].Functions); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestParseErrors(t *testing.T) {
	const head = "events: Ir\nfn=(1) f\n"
	tests := []struct{ name, in, want string }{
		{"empty", "", "events"},
		{"another file", "hello\n", "line 1"},
		{"header only", "version: 1\npid: 4\n", "events"},
		{"part without events", "pid: 1\ntotals: \nversion: 1\n", "line 3"},
		{"function without events", "fn=f\n", "line 1"},
		{"cost before function", "events: Ir\n1 2\n", "line 2"},
		{"unknown function number", head + "1 2\nfn=(2)\n", "line 4: fn=(2): (2) is used"},
		{"unknown file number", head + "fl=(1)\n", "line 3"},
		{"number of a name too large", head + "fn=(99999999999999999999)\n", "line 3"},
		{"cost too large", head + "1 18446744073709551616\n", "does not fit 64 bits"},
		{"sum too large", head + "1 18446744073709551615\n2 1\n", "line 4: a sum of costs does not fit"},
		{"negative cost", head + "1 -5\n", "line 3"},
		{"too many costs", head + "1 2 3\n", "2 costs for 1 events"},
		{"no position", "events: Ir\npositions: instr line\nfn=f\n1\n", "line 4"},
		{"bad position", head + "+-1 2\n", "line 3"},
		{"call without count", head + "cfn=g\ncalls=\n", "line 4"},
		{"call of nothing", head + "calls=1 2\n", "line 3"},
		{"call without cost", head + "cfn=g\ncalls=1 2\nfn=g\n", "line 5"},
		{"cut short in a call", head + "cfn=g\ncalls=1 2\n", "line 4: the file ends"},
		{"calls too many", head + "cfn=g\ncalls=18446744073709551615 2\n1 1\ncfn=g\ncalls=1 2\n1 1\n", "line 8"},
		{"too many events", "events:" + strings.Repeat(" e", maxEvents+1) + "\n", "line 1"},
		{"events twice", "events: Ir\nevents: Ir\n", "line 2"},
		{"bad thread", "thread: x\n", "line 1"},
		{"key unknown", head + "zz=1\n", "line 3"},
		{"long line", head + "fn=" + strings.Repeat("x", maxLine) + "\n", "line 3"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			p, err := Parse(strings.NewReader(tt.in))
			if err == nil {
				t.Fatalf("no error, %+v", p)
			}
			if !strings.Contains(err.Error(), tt.want) {
				t.Errorf("error %q does not say %q", err, tt.want)
			}
		})
	}
}

// A name of many bytes that is used by its number often must cost its length
// once: this file would take minutes otherwise.
func TestParseLongNames(t *testing.T) {
	var b strings.Builder
	b.WriteString("events: Ir\nfn=(1) " + strings.Repeat("x", maxLine/2) + "\n")
	for range 200_000 {
		b.WriteString("fn=(1)\n1 1\n")
	}
	p, err := Parse(strings.NewReader(b.String()))
	if err != nil {
		t.Fatal(err)
	}
	if got := p.Parts[0].Self()[0]; got != 200_000 {
		t.Errorf("cost %d", got)
	}
}

func FuzzParse(f *testing.F) {
	f.Add(all)
	f.Add("events: Ir\nfn=(1) f\n1 5\ntotals: 5\n\npid: 2\nevents: Bc Ir\nfn=(1)\n1 6 7\ntotals: 6 7\n")
	f.Add("0 0\n")
	f.Add("events: a b\nfi=~\nfn=g\n0  3\ncfn=h i\ncfi=/x\ncalls=4 1\n0 9\nsummary: 7\n")
	f.Fuzz(func(t *testing.T, in string) {
		p, err := Parse(strings.NewReader(in))
		if err != nil {
			return
		}
		for _, part := range p.Parts {
			n := len(part.Events)
			if n == 0 || len(part.Self()) != n || part.Totals != nil && len(part.Totals) != n {
				t.Fatalf("events %q, totals %v", part.Events, part.Totals)
			}
			for _, fn := range part.Functions {
				if len(fn.Self) != n || len(fn.Inclusive()) != n {
					t.Fatalf("%d events: %+v", n, fn)
				}
				for _, c := range fn.Calls {
					if c.Callee < 0 || c.Callee >= len(part.Functions) || len(c.Inclusive) != n {
						t.Fatalf("%d functions: %+v", len(part.Functions), c)
					}
				}
			}
		}
	})
}
