package narrow

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

// machine measures builds that have a known cost, with noise.
type machine struct {
	cost  []float64 // true ratio to the first, by build
	sd    float64   // of a start's logarithm
	rng   *rand.Rand
	logs  [][]float64
	total int
}

func newMachine(cost []float64, sd float64, seed uint64) *machine {
	return &machine{cost: cost, sd: sd, rng: rand.New(rand.NewPCG(seed, 1)), logs: make([][]float64, len(cost))}
}

func name(i int) string { return fmt.Sprintf("b%02d", i) }

// builds are what is known, with intervals of a known spread (1.96 sd).
func (m *machine) builds() []Build {
	out := make([]Build, len(m.cost))
	mean := func(i int) float64 {
		sum := 0.0
		for _, x := range m.logs[i] {
			sum += x
		}
		return sum / float64(len(m.logs[i]))
	}
	for i := range out {
		out[i] = Build{Name: name(i), Starts: len(m.logs[i])}
		if i == 0 || len(m.logs[i]) < 2 || len(m.logs[0]) < 2 {
			continue
		}
		d := mean(i) - mean(0)
		half := 1.96 * m.sd * math.Sqrt(1/float64(len(m.logs[i]))+1/float64(len(m.logs[0])))
		r, lo, hi := math.Exp(d), math.Exp(d-half), math.Exp(d+half)
		out[i].Ratio, out[i].Low, out[i].High = &r, &lo, &hi
	}
	return out
}

func (m *machine) measure(t *testing.T, wants []Want) {
	for _, w := range wants {
		for i := range m.cost {
			if name(i) != w.Name {
				continue
			}
			if w.Starts <= len(m.logs[i]) && len(wants) == 1 {
				t.Fatalf("asked for %d starts of %s, which has %d", w.Starts, w.Name, len(m.logs[i]))
			}
			for len(m.logs[i]) < w.Starts {
				m.logs[i] = append(m.logs[i], math.Log(m.cost[i])+m.sd*m.rng.NormFloat64())
				m.total++
			}
		}
	}
}

// run searches to the end.
func (m *machine) run(t *testing.T, o Options) *Answer {
	t.Helper()
	for range 200 {
		move := Next(m.builds(), o)
		if move.Answer != nil {
			return move.Answer
		}
		before := m.total
		m.measure(t, move.Measure)
		if m.total == before {
			t.Fatalf("%+v measures nothing new", move)
		}
	}
	t.Fatal("no end after 200 moves")
	return nil
}

func step(n, at int, ratio float64) []float64 {
	cost := make([]float64, n)
	for i := range cost {
		cost[i] = 1
		if i >= at {
			cost[i] = ratio
		}
	}
	return cost
}

// TestFindsEveryStep: wherever the step is, up or down, it is found, with no
// more than the ends and the builds of a bisection.
func TestFindsEveryStep(t *testing.T) {
	for _, ratio := range []float64{1.03, 1 / 1.03, 2} {
		for n := 2; n <= 20; n++ {
			for at := 1; at < n; at++ {
				m := newMachine(step(n, at, ratio), 0.0005, uint64(n*100+at))
				a := m.run(t, Options{Threshold: 0.006})
				if a.FirstBad != name(at) || a.LastGood != name(at-1) {
					t.Fatalf("%d builds, step of %g at %d: found %s after %s (%s)", n, ratio, at, a.FirstBad, a.LastGood, a.Text)
				}
				if most := 2 * (2 + int(math.Ceil(math.Log2(float64(n-1))))); m.total > most {
					t.Errorf("%d builds: %d starts, over %d", n, m.total, most)
				}
				if a.Share < 0.9 {
					t.Errorf("share %g of a single step", a.Share)
				}
			}
		}
	}
}

// TestNoise: with noise of a third of the step, a bisection by single values goes
// wrong at each build in 14% of cases (half a step is 1.06 deviations of a
// difference). This one goes on measuring, or says that it cannot tell.
func TestNoise(t *testing.T) {
	right, undecided, starts := 0, 0, 0
	const runs = 500
	for seed := range uint64(runs) {
		at := 1 + int(seed%15)
		m := newMachine(step(16, at, 1.03), 0.01, seed)
		a := m.run(t, Options{Threshold: 0.006, Most: 12})
		starts += m.total
		switch {
		case a.FirstBad == name(at) && a.LastGood == name(at-1):
			right++
		case a.FirstBad == "" || a.LastGood < name(at) && a.FirstBad >= name(at):
			undecided++ // a range that holds it, or said to be unsure
		}
	}
	t.Logf("%d of %d right, %d undecided, %d wrong; %.1f starts", right, runs, undecided, runs-right-undecided, float64(starts)/runs)
	if runs-right-undecided > runs*5/100 || right < runs/2 {
		t.Errorf("%d of %d right, %d wrong", right, runs, runs-right-undecided)
	}
}

func TestNothingToFind(t *testing.T) {
	a := newMachine(step(9, 9, 1), 0.0005, 1).run(t, Options{Threshold: 0.006})
	if a.FirstBad != "" || !strings.Contains(a.Text, "b08 is the same as b00") {
		t.Errorf("%+v", a)
	}
	a = newMachine(step(9, 4, 1.008), 0.05, 1).run(t, Options{Threshold: 0.006})
	if a.FirstBad != "" || !strings.Contains(a.Text, "unsure with 8 starts") {
		t.Errorf("%+v", a)
	}
}

// TestSeveralSteps: the crossing of the middle is found, and what it leaves is said.
func TestSeveralSteps(t *testing.T) {
	a := newMachine([]float64{1, 1.02, 1.02, 1.02, 1.05, 1.05, 1.08, 1.08}, 0.0005, 3).run(t, Options{Threshold: 0.006})
	if a.FirstBad != name(4) || !strings.Contains(a.Text, "several") {
		t.Errorf("%+v", a)
	}
}

// TestAtTheMiddle: a build whose true cost is the middle is given up, and the
// range around it is the answer.
func TestAtTheMiddle(t *testing.T) {
	a := newMachine([]float64{1, 1, math.Sqrt(1.04), 1.04, 1.04}, 0.003, 5).run(t, Options{Threshold: 0.006})
	if a.Sides[name(2)] != Undecided || a.LastGood != name(1) || a.FirstBad != name(3) || !strings.Contains(a.Text, "1 between them") {
		t.Errorf("%+v", a)
	}
}

// TestControl: the first build gets as many further starts as the others.
func TestControl(t *testing.T) {
	m := newMachine(step(5, 3, 1.1), 0.0005, 1)
	m.run(t, Options{Threshold: 0.02, Control: true})
	if got := len(m.logs[0]); got != 6 { // the ends, and two builds of a bisection
		t.Errorf("%d starts of the first build", got)
	}
}
