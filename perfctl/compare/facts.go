package compare

import (
	"reflect"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// factSet is the facts of runs that are alike in all of them: a night has a
// handful of these, so they are compared by pointer and gathered once.
type factSet struct{ side }

// factKey tells runs apart by their facts without gathering them. Runs read from
// one folder share their maps, so most are found; the others are gathered again.
type factKey struct {
	charset, protocol, transport string
	tls                          bool
	seed                         uint64
	machine                      result.Machine
	server, launcher             string
	env, variables, plans        uintptr
	session, made                uintptr
}

// factSets are those of one comparison.
type factSets map[factKey]*factSet

func (fs factSets) of(r *result.Run) *factSet {
	k := factKey{charset: r.Charset, protocol: r.Protocol, transport: r.Transport, tls: r.TLS, seed: r.Seed, machine: r.Machine,
		server: build(r.Server), launcher: strings.Join(r.Server.Launcher, " "),
		env: reflect.ValueOf(r.Server.Env).Pointer(), variables: reflect.ValueOf(r.Server.Variables).Pointer(), plans: reflect.ValueOf(r.Server.Plans).Pointer(),
		session: reflect.ValueOf(r.Server.Session).Pointer(), made: reflect.ValueOf(r.Server.Build).Pointer()}
	k.machine.Load1 = 0 // no fact
	f := fs[k]
	if f == nil {
		f = &factSet{side{}}
		for name, v := range facts(*r) {
			f.side[name] = values{}
			f.side[name].add(v)
		}
		fs[k] = f
	}
	return f
}

// ofCell gathers the facts of a cell's runs. A server under valgrind needs
// options of its own (no native asynchronous I/O), the same for every version,
// so such runs speak only where there are no others.
func (fs factSets) ofCell(runs []*result.Run) (sets []*factSet) {
	add := func(r *result.Run) {
		if f := fs.of(r); !slices.Contains(sets, f) {
			sets = append(sets, f)
		}
	}
	for _, r := range runs {
		if !onlyCallgrind(r) {
			add(r)
		}
	}
	if len(sets) == 0 {
		for _, r := range runs {
			add(r)
		}
	}
	return sets
}

// gathering is a side, and which sets it has.
type gathering struct {
	side
	has map[*factSet]bool
}

func newGathering() *gathering { return &gathering{side{}, map[*factSet]bool{}} }

func (g *gathering) add(sets []*factSet) {
	for _, f := range sets {
		if !g.has[f] {
			g.has[f] = true
			g.side.add(f.side)
		}
	}
}
