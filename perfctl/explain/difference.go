package explain

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// classes in the order in which their differences are told.
var classes = []Class{Selected, Session, Setting, Plan, Work, State, Machine, Build}

// differences are what the two sides have unlike, those that matter most first.
func (f *facts) differences() []Difference {
	type placed struct {
		place int
		Difference
	}
	var all []placed
	add := func(place int, d Difference) { all = append(all, placed{place, d}) }
	for i, name := range fieldNames {
		// The protocol is among the session's, with its reason.
		if f.free[i] && name != "protocol" {
			add(i, Difference{Name: name, Base: *f.baseKey.fields()[i], New: *f.newKey.fields()[i], Class: Selected, Isolate: Isolation{Reason: "it was asked for"}})
		}
	}
	for _, d := range f.unlike() {
		place, k := find(d.Name)
		add(place, k.of(d))
	}
	for i, d := range append(f.work(), f.state()...) {
		add(i, d)
	}
	slices.SortStableFunc(all, func(a, b placed) int {
		return cmp.Or(slices.Index(classes, a.Class)-slices.Index(classes, b.Class), a.place-b.place, cmp.Compare(a.Name, b.Name))
	})
	ds := []Difference{}
	for _, p := range all {
		ds = append(ds, p.Difference)
	}
	return ds
}

// unlike are compare's differences, and options that no variable tells of.
func (f *facts) unlike() []compare.Difference {
	ds := slices.DeleteFunc(compare.Differences(f.baseRuns, f.newRuns), notRecorded)
	has := func(name string) bool {
		return slices.ContainsFunc(ds, func(d compare.Difference) bool { return d.Name == name })
	}
	// Places of files are what compare leaves out; of these a cost may follow.
	const machine = "version_compile_machine"
	if b, n := variable(f.baseRuns, machine), variable(f.newRuns, machine); b != n && b != "" && n != "" {
		ds = append(ds, compare.Difference{Name: machine, Base: b, New: n})
	}
	b, n := optionsOf(f.baseRuns), optionsOf(f.newRuns)
	names := maps.Clone(b)
	maps.Copy(names, n)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		plain := strings.TrimPrefix(name, "skip_")
		// A variable that differs says it already; one that both sides have
		// alike says that the option made no difference.
		if b[name] == n[name] || has(name) || has(plain) || variable(f.baseRuns, name) != "" && variable(f.newRuns, name) != "" {
			continue
		}
		ds = append(ds, compare.Difference{Name: "option " + name, Base: cmp.Or(b[name], compare.Absent), New: cmp.Or(n[name], compare.Absent)})
	}
	return ds
}

// notRecorded: one side's records lack it, which is no difference of the servers.
func notRecorded(d compare.Difference) bool {
	if strings.HasPrefix(d.Name, "plan of ") && (strings.HasPrefix(d.Base, notExplained) || strings.HasPrefix(d.New, notExplained)) {
		return true
	}
	_, k := find(d.Name)
	return k.class != Setting && (d.Base == compare.Absent || d.New == compare.Absent)
}

// notExplained begins what stands in place of a plan: see [result.Server].
const notExplained = "not explained: "

func variable(runs []result.Run, name string) string {
	for _, r := range runs {
		if v := r.Server.Variables[name]; v != "" {
			return v
		}
	}
	return ""
}

// own are options that differ between any two servers and cost nothing.
var own = []string{"datadir", "basedir", "socket", "port", "bind_address", "tmpdir", "log_error", "pid_file", "server_id", "plugin_dir",
	"lc_messages_dir", "user", "defaults_file", "defaults_extra_file", "no_defaults", "secure_file_priv", "mysqlx_socket", "mysqlx_port",
	"innodb_data_home_dir", "innodb_log_group_home_dir", "innodb_undo_directory", "log_bin_index", "general_log_file", "slow_query_log_file",
	"report_host", "report_port", "init_file", "ssl_ca", "ssl_cert", "ssl_key", "character_sets_dir"}

// optionsOf are the options a server was started with, by their names as
// variables. A server under valgrind is started with others, the same for every
// version, so such runs speak only where there are no others.
func optionsOf(runs []result.Run) map[string]string {
	os := map[string]string{}
	counted := func(r result.Run) bool {
		return slices.ContainsFunc(r.Passes, func(p result.Pass) bool { return p.Kind != result.PassCallgrind })
	}
	some := slices.ContainsFunc(runs, counted)
	for _, r := range runs {
		if some && !counted(r) {
			continue
		}
		args := r.Server.Argv
		if i := slices.Index(args, r.Server.Binary); i > 0 {
			args = args[i:] // behind a launcher with options of its own
		}
		for _, arg := range args {
			text, ok := strings.CutPrefix(arg, "--")
			if !ok {
				continue // the program, or an argument
			}
			name, value, has := strings.Cut(text, "=")
			if !has {
				value = "set"
			}
			name = strings.TrimPrefix(strings.ReplaceAll(name, "-", "_"), "loose_")
			if !slices.Contains(own, name) {
				os[name] = value
			}
		}
	}
	return os
}

// of makes a difference of what is known of it.
func (k known) of(d compare.Difference) Difference {
	out := Difference{Name: d.Name, Base: d.Base, New: d.New, Class: k.class, Why: k.why,
		Isolate: Isolation{Where: k.where, Key: k.key, Base: d.Base, New: d.New, Reason: k.reason}}
	if k.where == options || k.where == "env" {
		name := strings.TrimPrefix(strings.TrimPrefix(d.Name, "option "), "env ")
		if k.where == options {
			name = strings.ReplaceAll(name, "_", "-")
		}
		out.Isolate.Key = cmp.Or(k.key, name)
	}
	switch {
	case out.Isolate.Where == options && !strings.HasPrefix(d.Name, "option ") && (d.Base == compare.Absent || d.New == compare.Absent):
		out.Isolate.Where, out.Isolate.Key, out.Isolate.Reason = "", "", "one of the two has no such variable"
	case strings.Contains(d.Base, " / ") || strings.Contains(d.New, " / "):
		out.Isolate.Where, out.Isolate.Key, out.Isolate.Reason = "", "", "the runs of one side differ among themselves"
	}
	out.Base, out.New = shorten(d.Base, d.New)
	return out
}

// shorten leaves of two comma-separated lists what the other has not.
func shorten(base, new string) (string, string) {
	b, n := strings.Split(base, ","), strings.Split(new, ",")
	if len(b) < 3 && len(n) < 3 {
		return base, new
	}
	without := func(list, other []string) string {
		kept := slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(other, s) })
		if len(kept) == 0 {
			return "-"
		}
		return strings.Join(kept, ",")
	}
	return without(b, n), without(n, b)
}

// amounts of work per query that should not differ.
var amounts = []struct{ metric, why string }{
	{"rows_read_per_query", "another way to the rows, or other data: it is the plan, not the code"},
	{"rows_changed_per_query", "other work was done"},
	{"handler_read_rnd_next_per_query", "rows of full scans"},
	{"created_tmp_tables_per_query", "temporary tables"},
	{"created_tmp_disk_tables_per_query", "temporary tables on disk"},
	{"innodb_buffer_pool_reads_per_query", "pages that were not in memory"},
}

// work is what the queries did unlike.
func (f *facts) work() (ds []Difference) {
	for _, a := range amounts {
		if c, dir, _ := f.moved(a.metric); dir != 0 {
			ds = append(ds, Difference{Name: strings.TrimSuffix(a.metric, "_per_query") + "/query", Base: amount(c.base), New: amount(c.new), Class: Work, Why: a.why,
				Isolate: Isolation{Reason: "it follows from the plan, the data or a setting"}})
		}
	}
	return ds
}

func amount(v float64) string { return strconv.FormatFloat(v, 'g', 4, 64) }

// state is what the machine and the load were like on one side alone.
func (f *facts) state() (ds []Difference) {
	b, n := checksOf(f.baseRuns), checksOf(f.newRuns)
	all := maps.Clone(b)
	maps.Copy(all, n)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		x, y := b[name], n[name]
		if x.mostly() == y.mostly() {
			continue
		}
		ds = append(ds, Difference{Name: "check " + name, Base: x.String(), New: y.String(), Class: State,
			Why: cmp.Or(y.text, x.text), Isolate: Isolation{Reason: "measure again where the check holds"}})
	}
	return ds
}

// checked is one check over the windows of a side.
type checked struct {
	windows, broken int
	worst           float64
	limit           float64
	text            string
}

// mostly broken: in more than half of the windows.
func (c checked) mostly() bool { return 2*c.broken > c.windows }

func (c checked) String() string {
	switch {
	case c.windows == 0:
		return "not checked"
	case c.broken == 0:
		return "holds"
	}
	return fmt.Sprintf("broken in %d of %d windows", c.broken, c.windows)
}

// checksOf sums up the checks of the windows that costs are taken from.
func checksOf(runs []result.Run) map[string]checked {
	cs := map[string]checked{}
	for _, r := range runs {
		for _, p := range r.Passes {
			if p.Kind != result.PassCount {
				continue
			}
			for _, w := range p.Windows {
				for _, q := range w.Quality {
					c := cs[q.Name]
					c.windows++
					c.limit = q.Limit
					if !q.OK {
						c.broken++
						if c.broken == 1 || q.Value > c.worst {
							c.worst, c.text = q.Value, q.Text
						}
					}
					cs[q.Name] = c
				}
			}
		}
	}
	return cs
}
