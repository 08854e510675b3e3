package result

import (
	"hash/maphash"
	"maps"
	"sync"
	"unique"
)

// shared are the maps that the runs of one reading repeat.
type shared struct {
	seed maphash.Seed
	mu   sync.Mutex
	maps map[uint64][]map[string]string // by their content; whoever has one must not write to it
}

func newShared() *shared {
	return &shared{seed: maphash.MakeSeed(), maps: map[uint64][]map[string]string{}}
}

// share lets the runs in memory share what they repeat: the names of readings,
// reasons, server variables. Twenty thousand runs would else hold each of them
// twenty thousand times.
func (s *shared) share(run *Run) {
	for _, s := range []*string{
		&run.Host, &run.PlanHash, &run.Version, &run.Base, &run.Workload, &run.Group, &run.Driver, &run.Protocol,
		&run.Transport, &run.Charset, &run.Start,
		&run.Machine.Kernel, &run.Machine.CPUModel, &run.Machine.Hypervisor, &run.Machine.Perf, &run.Machine.Valgrind, &run.Machine.PMU,
		&run.Machine.Governor, &run.Machine.Boost, &run.Machine.SMT, &run.Machine.THP, &run.Machine.Mitigations,
		&run.Server.Binary, &run.Server.BuildID, &run.Server.VersionText, &run.Server.Flavor, &run.Server.Number,
	} {
		one(s)
	}
	for i := range run.Server.Argv {
		one(&run.Server.Argv[i])
	}
	for _, m := range []*map[string]string{&run.Server.Env, &run.Server.Variables, &run.Server.Session, &run.Server.Plans, &run.Server.Build} {
		s.oneMap(m)
	}
	for i := range run.Warnings {
		one(&run.Warnings[i].Code)
		one(&run.Warnings[i].Text)
	}
	for _, p := range run.Passes {
		for _, w := range p.Windows {
			for i := range w.Readings {
				r := &w.Readings[i]
				one(&r.Name)
				one(&r.Unit)
				one(&r.Source)
				one(&r.Scope)
				one(&r.State)
				one(&r.Reason)
				one(&r.Remedy)
			}
			for i := range w.Quality {
				one(&w.Quality[i].Name)
				one(&w.Quality[i].Text)
			}
		}
	}
}

// one replaces a text by the one copy of it.
func one[T ~string](s *T) {
	if *s != "" {
		*s = T(unique.Make(string(*s)).Value())
	}
}

// oneMap replaces a map by the one copy of it.
func (s *shared) oneMap(m *map[string]string) {
	if *m == nil {
		return
	}
	sum := uint64(len(*m))
	for k, v := range *m { // in any order
		sum += maphash.String(s.seed, k) ^ 3*maphash.String(s.seed, v)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, known := range s.maps[sum] {
		if maps.Equal(known, *m) {
			*m = known
			return
		}
	}
	copied := make(map[string]string, len(*m)) // an assignment to a key that is there keeps the old key
	for k, v := range *m {
		one(&k)
		one(&v)
		copied[k] = v
	}
	*m = copied
	s.maps[sum] = append(s.maps[sum], copied)
}
