package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"opcost/profiles"
)

// fn is a function of a made profile and its cost.
type fn struct {
	f      profiles.Frame
	weight int64
}

// generated is a random list of functions: of several objects, some without a
// name, some of the kernel.
func generated(r *rand.Rand, n int) []fn {
	objects := []string{"/usr/sbin/mysqld", "/lib/libc.so.6", "/lib/libcrypto.so.3", ""}
	prefixes := []string{"row_", "btr_", "Item_func::", "my_", "tcp_", "std::vector<int>::", "pfs_", "f"}
	var fns []fn
	for i := range n {
		f := profiles.Frame{Function: fmt.Sprintf("%s%d", prefixes[r.IntN(len(prefixes))], i), Object: objects[r.IntN(len(objects))], Space: profiles.User}
		switch r.IntN(8) {
		case 0:
			f.Function, f.Start, f.BuildID = "", uint64(1+i)<<4, "aa"
		case 1:
			f.Function, f.Address = "", uint64(1+i)
		case 2:
			f.Object, f.Space = "[kernel.kallsyms]", profiles.Kernel
		}
		fns = append(fns, fn{f, r.Int64N(1_000_000)})
	}
	return fns
}

// profile makes stacks of functions: each below a caller and the root.
func profile(t testing.TB, e profiles.Event, ops float64, fns []fn) Side {
	t.Helper()
	b := profiles.NewBuilder(e)
	root := b.Frame(profiles.Frame{Function: "do_command", Object: "/usr/sbin/mysqld", Space: profiles.User})
	for i, f := range fns {
		caller := b.Frame(fns[(i*31+7)%len(fns)].f)
		samples := int64(0)
		if !e.Counted {
			samples = f.weight
		}
		if err := b.Add("worker", []int32{b.Frame(f.f), caller, root}, f.weight, samples); err != nil {
			t.Fatal(err)
		}
	}
	p := b.Profile()
	p.About.Operations, p.About.Per = ops, "statement"
	return Side{Profile: p}
}

var (
	instructions = profiles.Event{Name: "Ir", Unit: profiles.Instructions, Counted: true}
	sampled      = profiles.Event{Name: "cycles", Unit: profiles.Samples}
)

func build(t testing.TB, base, new []Side, o Options) *Table {
	t.Helper()
	table, err := Build(base, new, o)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

// perOperation is a side's total per operation, the long way.
func perOperation(sides []Side) float64 {
	sum := 0.0
	for _, s := range sides {
		w := int64(0)
		for _, st := range s.Profile.Stacks {
			w += st.Weight
		}
		sum += float64(w) / s.operations()
	}
	return sum / float64(len(sides))
}

func near(a, b, scale float64) bool { return math.Abs(a-b) <= 1e-9*math.Max(1, math.Abs(scale)) }

// poisson is a number of samples whose expectation is mean.
func poisson(r *rand.Rand, mean float64) int64 {
	if mean > 50 {
		return max(0, int64(math.Round(mean+math.Sqrt(mean)*r.NormFloat64())))
	}
	n, p := int64(-1), 1.0
	for limit := math.Exp(-mean); p > limit; n++ {
		p *= r.Float64()
	}
	return n
}
