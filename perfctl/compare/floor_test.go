package compare

import (
	"math"
	"strings"
	"testing"

	"opcost/perfctl/result"
)

// By hand: logs 0, 0.01, 0.02 around their mean have squares 2e-4 with 2 df,
// logs 0, 0.04 have 8e-4 with 1 df: √(10e-4/3) over both.
func TestFloorOf(t *testing.T) {
	point := series("a", 1000, 1000*math.Exp(0.01), 1000*math.Exp(0.02))
	hot := with(series("a", 3000, 3000*math.Exp(0.04)), func(r *result.Run) { r.Workload = "hot-points" })
	write := with(series("a", 5000, 5000*math.Exp(0.2)), func(r *result.Run) { r.Workload, r.Group = "update-index", "write" })
	alone := with(series("a", 7000), func(r *result.Run) { r.Clients = 4 })
	still := with(series("a", 7000, 7000), func(r *result.Run) { r.Clients = 8 })
	partial := with(series("a", 7000, 8000), func(r *result.Run) {
		r.Clients = 16
		r.Passes[0].Windows[0].State, r.Passes[0].Windows[0].Reason = result.Partial, "stopped"
	})
	floor := FloorOf(join(point, hot, write, alone, still, partial))

	key := NoiseKey{"h", instructions, result.SourcePerf, result.UserKernel, "point", 1}
	n := floor[key]
	near(t, "SD", &n.SD, math.Sqrt(10e-4/3), 1e-12)
	if n.DF != 3 || n.Cells != 2 {
		t.Errorf("%+v, want 3 df of 2 cells", n)
	}
	key.Group = "write"
	n = floor[key]
	near(t, "SD of writes", &n.SD, math.Sqrt(2e-2), 1e-12)
	for k := range floor {
		if k.Clients != 1 {
			t.Errorf("a noise from one start, without scatter or from partial windows: %+v", k)
		}
	}
}

// A floor of another group, number of clients or scope is not used.
func TestFloorIsOfItsKind(t *testing.T) {
	key := NoiseKey{"h", instructions, result.SourcePerf, result.UserKernel, "point", 1}
	runs := join(series("old", 100), series("new", 150))
	for name, change := range map[string]func(*NoiseKey){
		"the same": func(*NoiseKey) {}, "host": func(k *NoiseKey) { k.Host = "other" }, "group": func(k *NoiseKey) { k.Group = "write" },
		"clients": func(k *NoiseKey) { k.Clients = 2 }, "scope": func(k *NoiseKey) { k.Scope = result.User },
		"source": func(k *NoiseKey) { k.Source = result.SourceCallgrind },
	} {
		k := key
		change(&k)
		r := Build(runs, Options{Base: "old", NoiseFloor: map[NoiseKey]Noise{k: {SD: 0.01, DF: 5}}})
		v := rowOf(t, r, "new").VsBase[instructions]
		if used := strings.HasPrefix(v.Method, "t, this machine's noise floor (1%, 5 df)"); used != (name == "the same") {
			t.Errorf("%s: method %q", name, v.Method)
		}
	}
	// t(5 df) = 2.5706 and two single starts: ±2.5706 * 0.01 * √2.
	v := rowOf(t, Build(runs, Options{Base: "old", NoiseFloor: map[NoiseKey]Noise{key: {SD: 0.01, DF: 5}}}), "new").VsBase[instructions]
	near(t, "low", v.Low, 1.5*math.Exp(-2.57058*0.01*math.Sqrt2), 1e-6)
}
