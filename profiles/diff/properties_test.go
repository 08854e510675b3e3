package diff

import (
	"math"
	"math/rand/v2"
	"testing"

	"opcost/profiles"
	"opcost/profiles/granularity"
)

// change is a new version of functions: some cost more, some vanish, some are new.
func change(r *rand.Rand, fns []fn) []fn {
	var out []fn
	for _, f := range fns {
		switch r.IntN(5) {
		case 0:
			continue
		case 1:
			f.weight *= 2
		case 2:
			f.weight = r.Int64N(1_000_000)
		}
		out = append(out, f)
	}
	return append(out, generated(r, 1+r.IntN(20))...)
}

// TestAddsUp: on random profiles the rows, and the subsystems, are the whole
// change to a rounding error, at every level, with and without repeats and
// samples, folded or not.
func TestAddsUp(t *testing.T) {
	for seed := range uint64(60) {
		r := rand.New(rand.NewPCG(seed, 1))
		e := instructions
		if seed%2 == 0 {
			e = sampled
		}
		var base, new []Side
		fns := generated(r, 1+r.IntN(200))
		other := change(r, fns)
		for range 1 + r.IntN(3) {
			base = append(base, profile(t, e, 1+float64(r.IntN(100_000)), fns))
		}
		for range 1 + r.IntN(3) {
			new = append(new, profile(t, e, 1+float64(r.IntN(100_000)), other))
		}
		wantBase, wantNew := perOperation(base), perOperation(new)
		for _, by := range granularity.Levels {
			table := build(t, base, new, Options{By: by, KeepNoise: seed%3 == 0})
			scale := wantBase + wantNew
			if !near(table.Total.Base, wantBase, scale) || !near(table.Total.New, wantNew, scale) || !near(table.Total.Delta, wantNew-wantBase, scale) {
				t.Fatalf("seed %d by %s: total %+v, want %v and %v", seed, by, table.Total, wantBase, wantNew)
			}
			for what, rows := range map[string][]Row{"rows": table.Rows, "subsystems": table.Subsystems} {
				var sum Change
				share := 0.0
				for _, row := range rows {
					sum.Base += row.Base
					sum.New += row.New
					sum.Delta += row.Delta
					if row.Share != nil {
						share += *row.Share
					}
					if !near(row.Delta, row.New-row.Base, scale) {
						t.Fatalf("seed %d by %s: %s: %+v", seed, by, what, row)
					}
				}
				if !near(sum.Base, wantBase, scale) || !near(sum.New, wantNew, scale) || !near(sum.Delta, wantNew-wantBase, scale) {
					t.Errorf("seed %d by %s: the %s add up to %+v, want %v, %v, %v", seed, by, what, sum, wantBase, wantNew, wantNew-wantBase)
				}
				if len(rows) > 0 && rows[0].Share != nil && math.Abs(share-1) > 1e-6 {
					t.Errorf("seed %d by %s: the shares of the %s add up to %v", seed, by, what, share)
				}
			}
		}
	}
}

// TestSymmetric: the other way round, every change has the other sign.
func TestSymmetric(t *testing.T) {
	mirrored := map[State]State{OnlyBase: OnlyNew, OnlyNew: OnlyBase, Both: Both, Unresolved: Unresolved, Noise: Noise}
	for seed := range uint64(40) {
		r := rand.New(rand.NewPCG(seed, 2))
		e := instructions
		if seed%2 == 0 {
			e = sampled
		}
		fns := generated(r, 100)
		a, b := []Side{profile(t, e, 1000, fns)}, []Side{profile(t, e, 3000, change(r, fns))}
		there, back := build(t, a, b, Options{}), build(t, b, a, Options{})
		if len(there.Rows) != len(back.Rows) {
			t.Fatalf("seed %d: %d rows there, %d back", seed, len(there.Rows), len(back.Rows))
		}
		type id struct{ function, object string }
		at := map[id]Row{}
		for _, row := range back.Rows {
			at[id{row.Function, row.Object}] = row
		}
		for _, x := range there.Rows {
			y, ok := at[id{x.Function, x.Object}]
			if !ok || x.Base != y.New || x.New != y.Base || x.Delta != -y.Delta || mirrored[x.State] != y.State || x.Subsystem != y.Subsystem {
				t.Errorf("seed %d: there %+v, back %+v", seed, x, y)
			}
		}
	}
}

// TestRebuilt: a rebuilt server, whose symbols are written in another way and
// whose files are elsewhere, has changed in nothing.
func TestRebuilt(t *testing.T) {
	suffixes := []string{"", ".part.0", ".isra.0", ".constprop.3.cold", ".lto_priv.1", "(int, char const*)", "(THD*) [clone .cold]", ".llvm.81734"}
	objects := map[string]string{"/usr/sbin/mysqld": "/opt/new/mysqld-9.9", "/lib/libc.so.6": "/opt/new/libc-2.31.so", "/lib/libcrypto.so.3": "libcrypto.so.1.1", "": "",
		"[kernel.kallsyms]": "/boot/vmlinux"}
	for seed := range uint64(20) {
		r := rand.New(rand.NewPCG(seed, 3))
		fns := generated(r, 150)
		rebuilt := make([]fn, len(fns))
		for i, f := range fns {
			f.f.Object = objects[f.f.Object]
			if f.f.Named() {
				f.f.Function += suffixes[r.IntN(len(suffixes))]
			} else {
				f.f.BuildID, f.f.Start, f.f.Address = "bb", f.f.Start*3, f.f.Address*7
			}
			rebuilt[i] = f
		}
		a, b := profile(t, instructions, 100, fns), profile(t, instructions, 100, rebuilt)
		a.Profile.About.Binary, b.Profile.About.Binary = "/usr/sbin/mysqld", "/opt/new/mysqld-9.9"
		table := build(t, []Side{a}, []Side{b}, Options{})
		for _, row := range table.Rows {
			if row.Delta != 0 || row.State != Both && row.State != Unresolved {
				t.Errorf("seed %d: %+v", seed, row)
			}
		}
	}
}

// TestDoubled: a function made twice as costly is the first row, with at least 95%
// of the change, in counted profiles and in sampled ones.
func TestDoubled(t *testing.T) {
	for seed := range uint64(10) {
		for _, e := range []profiles.Event{instructions, sampled} {
			r := rand.New(rand.NewPCG(seed, 4))
			fns := generated(r, 300)
			fns[17] = fn{profiles.Frame{Function: "row_search_mvcc", Object: "/usr/sbin/mysqld", Space: profiles.User}, 20_000_000}
			draw := func(factor float64) []Side {
				var sides []Side
				for range 2 {
					drawn := make([]fn, len(fns))
					for i, f := range fns {
						mean := float64(f.weight)
						if i == 17 {
							mean *= factor
						}
						f.weight = int64(mean)
						if !e.Counted {
							f.weight = poisson(r, mean)
						}
						drawn[i] = f
					}
					sides = append(sides, profile(t, e, 1000, drawn))
				}
				return sides
			}
			table := build(t, draw(1), draw(2), Options{})
			first := table.Rows[0]
			if first.Function != "row_search_mvcc" || first.Subsystem != "InnoDB record" || first.State != Both {
				t.Errorf("seed %d, %s: the first row is %+v", seed, e.Name, first)
			}
			if first.Share == nil || *first.Share < 0.95 {
				t.Errorf("seed %d, %s: its share is %v, want at least 0.95", seed, e.Name, first.Share)
			}
			if got := table.Subsystems[0]; got.Subsystem != "InnoDB record" || *got.Share < 0.95 {
				t.Errorf("seed %d, %s: the first subsystem is %+v", seed, e.Name, got)
			}
		}
	}
}
