package quality

import (
	"fmt"

	"opcost/perfctl/result"
)

// Check applies the rules to a window of a pass that clients drove. A rule
// whose readings the window lacks is left out.
func Check(w result.Window, kind result.PassKind, clients int) []result.Quality {
	f := facts{window: w, clients: clients, value: map[string]float64{}}
	for _, r := range w.Readings {
		if r.Value != nil {
			f.value[r.Name] = *r.Value
		}
	}
	var qs []result.Quality
	for _, r := range Rules {
		if r.Times && kind == result.PassCallgrind {
			continue
		}
		v, known := r.value(f)
		if !known {
			continue
		}
		q := result.Quality{Name: r.Name, Value: v, Limit: r.Limit, OK: v <= r.Limit}
		if !q.OK {
			shown := v
			if r.percent {
				shown *= 100
			}
			q.Text = fmt.Sprintf(r.Text, shown)
		}
		qs = append(qs, q)
	}
	return qs
}

// facts are a window's values by name.
type facts struct {
	window  result.Window
	clients int
	value   map[string]float64
}

// ratio is a/b where both are known and b is not 0.
func (f facts) ratio(a, b string) (float64, bool) {
	x, ok := f.value[a]
	y, ok2 := f.value[b]
	return x / y, ok && ok2 && y != 0
}

// growth of a gauge between the edges; shrinking is no growth.
func (f facts) growth(name string) (float64, bool) {
	a, ok := f.value[name+"_begin"]
	b, ok2 := f.value[name+"_end"]
	return max(0, b-a), ok && ok2
}
