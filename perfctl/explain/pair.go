package explain

import (
	"cmp"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// Input is the runs of two selections.
type Input struct {
	Base, New []result.Run
	// BaseName and NewName tell the sides apart where both are of one version:
	// the selections as they were written.
	BaseName, NewName string
	Options           compare.Options // Base and Order are set here
}

// key is what makes a cell of one version.
type key struct{ host, workload, clients, protocol, driver string }

func keyOf(r result.Run) key {
	return key{r.Host, r.Workload, strconv.Itoa(r.Clients), r.Protocol, r.Driver}
}

func (k *key) fields() [5]*string {
	return [5]*string{&k.host, &k.workload, &k.clients, &k.protocol, &k.driver}
}

var fieldNames = [5]string{"host", "workload", "clients", "protocol", "driver"}

// pairing is which cell is compared with which, and in what they differ on purpose.
type pairing struct {
	of   map[key]key // the base's cell of a new one
	free [5]bool     // fields in which the two sides differ as a whole
	// lone are cells that only one side has.
	lone []string
}

// pair finds for each cell of the new side that of the base. A field of which
// each side has one value may differ: whoever selects one number of clients
// against another means to compare them.
func pair(base, new []result.Run) (pairing, error) {
	p := pairing{of: map[key]key{}}
	bases, news := keys(base), keys(new)
	for i := range p.free {
		b, n := only(bases, i), only(news, i)
		p.free[i] = b != nil && n != nil && *b != *n
	}
	common := func(k key) key {
		for i, f := range k.fields() {
			if p.free[i] {
				*f = ""
			}
		}
		return k
	}
	for _, n := range news {
		i := slices.IndexFunc(bases, func(b key) bool { return common(b) == common(n) })
		if i < 0 {
			p.lone = append(p.lone, "new: "+n.String())
			continue
		}
		p.of[n] = bases[i]
	}
	for _, b := range bases {
		if !slices.ContainsFunc(news, func(n key) bool { return common(b) == common(n) }) {
			p.lone = append(p.lone, "base: "+b.String())
		}
	}
	if len(p.of) == 0 {
		return p, fmt.Errorf("the two selections have no cell (workload, clients, host, protocol, driver) in common.\n  %s", strings.Join(capped(p.lone, 12), "\n  "))
	}
	return p, nil
}

func (k key) String() string {
	return fmt.Sprintf("workload=%s,clients=%s,host=%s,protocol=%s,driver=%s", k.workload, k.clients, k.host, k.protocol, k.driver)
}

func keys(runs []result.Run) (ks []key) {
	for _, r := range runs {
		if k := keyOf(r); !slices.Contains(ks, k) {
			ks = append(ks, k)
		}
	}
	return ks
}

// only is the value of a field that all keys have; nil where they differ.
func only(ks []key, field int) *string {
	for i := range ks {
		if *ks[i].fields()[field] != *ks[0].fields()[field] {
			return nil
		}
	}
	return ks[0].fields()[field]
}

// sides names the two, and gives the runs that have a partner, as runs of two
// versions that differ in nothing by which cells are told apart.
func (p pairing) sides(in Input) (base, new string, runs []result.Run, err error) {
	vb, vn := versions(in.Base), versions(in.New)
	for _, s := range []struct {
		flag string
		of   []string
	}{{"base", vb}, {"new", vn}} {
		if len(s.of) > 1 {
			return "", "", nil, fmt.Errorf("the %s has several versions, choose one: %s", s.flag, strings.Join(s.of, ", "))
		}
	}
	base, new = vb[0], vn[0]
	if base == new {
		if base, new = p.apart(in, base); base == new {
			return "", "", nil, errors.New("both sides are the same runs: choose two versions, or two folders, numbers of clients, hosts or workloads")
		}
	}
	for _, r := range in.New {
		if _, ok := p.of[keyOf(r)]; ok {
			r.Version, r.Base, r.Place = new, base, 1
			runs = append(runs, r)
		}
	}
	for _, r := range in.Base {
		for n, b := range p.of {
			if b != keyOf(r) {
				continue
			}
			r := r
			r.Version, r.Base, r.Place = base, base, 0
			clients, _ := strconv.Atoi(n.clients) // of an int
			r.Host, r.Workload, r.Clients, r.Protocol, r.Driver = n.host, n.workload, clients, n.protocol, n.driver
			runs = append(runs, r)
		}
	}
	return base, new, runs, nil
}

// apart names two sides of one version by what they differ in, else by their
// folders, else as they were selected.
func (p pairing) apart(in Input, version string) (base, new string) {
	b, n := keyOf(in.Base[0]), keyOf(in.New[0])
	var differ [2][]string
	for i, free := range p.free {
		if free {
			differ[0] = append(differ[0], fieldNames[i]+"="+*b.fields()[i])
			differ[1] = append(differ[1], fieldNames[i]+"="+*n.fields()[i])
		}
	}
	if len(differ[0]) > 0 {
		return version + " (" + strings.Join(differ[0], ", ") + ")", version + " (" + strings.Join(differ[1], ", ") + ")"
	}
	if b, n := filepath.Base(in.Base[0].Dir), filepath.Base(in.New[0].Dir); b != n {
		return version + " in " + b, version + " in " + n
	}
	return cmp.Or(in.BaseName, version), cmp.Or(in.NewName, version)
}

func versions(runs []result.Run) (vs []string) {
	for _, r := range runs {
		if !slices.Contains(vs, r.Version) {
			vs = append(vs, r.Version)
		}
	}
	return vs
}

func capped(texts []string, most int) []string {
	if len(texts) <= most {
		return texts
	}
	return append(slices.Clone(texts[:most]), fmt.Sprintf("and %d more", len(texts)-most))
}
