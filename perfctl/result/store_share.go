package result

import "unique"

// share lets the runs in memory share the texts they repeat: the names of
// readings, reasons, server variables. Twenty thousand runs would else hold
// each of them twenty thousand times.
func share(run *Run) {
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
		oneMap(m)
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

// oneMap makes a map anew, as an assignment to a key that is there keeps the
// old key.
func oneMap(m *map[string]string) {
	if *m == nil {
		return
	}
	shared := make(map[string]string, len(*m))
	for k, v := range *m {
		one(&k)
		one(&v)
		shared[k] = v
	}
	*m = shared
}
