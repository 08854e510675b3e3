package importer

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"opcost/perfctl/result"
)

// cell is what pieces have in common that become one run, or its repeats.
type cell struct {
	host, server, workload string
	clients                int
}

// runs completes the pieces' names and puts those of a cell together.
func (b *batch) runs() Imported {
	b.fromTables()
	b.shareClients()
	whole := b.complete()
	names := b.names(whole)
	runs := map[cell][]*result.Run{}
	var order []cell
	for _, p := range whole {
		c := cell{b.host(p), p.server.Raw, "", p.clients}
		var group string
		c.workload, group = workloadOf(p.test)
		if runs[c] == nil {
			order = append(order, c)
			runs[c] = []*result.Run{b.newRun(c, group, p, names)}
		}
		runs[c] = b.put(runs[c], c, group, p, names)
	}
	b.tellDifferences()
	place := b.places()
	hash := sha256.New()
	for _, c := range order {
		fmt.Fprintln(hash, c)
	}
	plan := "import-" + hex.EncodeToString(hash.Sum(nil))[:16]
	all := Imported{evidence: map[string][]evidence{}}
	for n, c := range order {
		for i, r := range runs[c] {
			if len(r.Passes[0].Windows) == 0 {
				continue
			}
			b.finish(r, c, i)
			r.PlanHash, r.Place = plan, place[c.server]
			r.Started = r.Started.Add(time.Duration(n) * time.Microsecond) // keeps the files' order of workloads
			all.Runs = append(all.Runs, *r)
			all.evidence[r.ID] = b.kept[r]
		}
	}
	slices.SortStableFunc(all.Runs, func(x, y result.Run) int { return cmp.Compare(x.Place, y.Place) })
	base := all.base(b.bases, names)
	for i := range all.Runs {
		all.Runs[i].Base = base
	}
	return all
}

// base is the first version, or where ratios alone were imported the one that
// they are to.
func (im Imported) base(published []string, names map[string]string) string {
	if len(im.Runs) == 0 {
		return ""
	}
	first := im.Runs[0].Version
	if len(published) == 0 || slices.ContainsFunc(published, func(raw string) bool { return names[raw] == "" || names[raw] != names[published[0]] }) {
		return first
	}
	for _, r := range im.Runs {
		if has(&r, "qps") {
			return first
		}
	}
	return names[published[0]]
}

func (b *batch) newRun(c cell, group string, p piece, names map[string]string) *result.Run {
	return &result.Run{
		Schema: result.Schema, Host: c.host, Started: p.from.time, Version: names[c.server],
		Workload: c.workload, Group: group, Clients: c.clients,
		Server: result.Server{Flavor: p.server.Flavor, Number: p.server.Number, VersionText: p.server.Raw},
		Passes: []result.Pass{{Kind: result.PassCount, State: result.OK}},
	}
}

// put adds a piece to its cell's run, or makes a repeat of it.
func (b *batch) put(runs []*result.Run, c cell, group string, p piece, names map[string]string) []*result.Run {
	at := runs[0]
	if p.whole {
		for _, r := range runs {
			for _, w := range r.Passes[0].Windows {
				if w.Ops == p.window.Ops && w.Ops.N() > 0 && w.DurationNS == p.window.DurationNS {
					b.warn("import_twin", "%s: the same output stands twice, and is taken once", p.from.path)
					return runs
				}
			}
		}
		if taken(at) {
			at = b.newRun(c, group, p, names)
			at.Repeat = len(runs)
			runs = append(runs, at)
		}
	}
	at.Driver = cmp.Or(at.Driver, p.driver)
	at.Machine.CPUs = cmp.Or(at.Machine.CPUs, p.cpus)
	at.Tables, at.Rows = cmp.Or(at.Tables, p.tables), cmp.Or(at.Rows, p.rows)
	at.Warnings = append(at.Warnings, p.warnings...)
	p.plausible()
	b.dedupe(at, &p)
	if len(p.window.Readings) == 0 && p.window.Ops.N() == 0 && p.window.State == result.OK {
		return runs
	}
	if p.window.State != result.OK {
		at.Passes[0].State, at.Passes[0].Reason = p.window.State, p.window.Reason
	}
	p.window.Evidence = []string{b.evidence(at, p)}
	at.Passes[0].Windows = append(at.Passes[0].Windows, p.window)
	return runs
}

// taken: the run has a load's output already.
func taken(r *result.Run) bool {
	return slices.ContainsFunc(r.Passes[0].Windows, func(w result.Window) bool { return w.Ops.N() > 0 || w.State != result.OK })
}

// dedupe leaves out of a table's piece what its run has: said twice it would
// count twice. A difference is told.
func (b *batch) dedupe(run *result.Run, p *piece) {
	if p.window.Ops.Per == "second" {
		return // counts of perf, over a window of their own
	}
	_, measured := throughput(run)
	p.window.Readings = slices.DeleteFunc(p.window.Readings, func(r result.Reading) bool {
		had := readingOf(run, r.Name)
		if had == nil {
			return r.Name == "qps" && measured
		}
		if had.Value != nil && r.Value != nil && *had.Value != *r.Value {
			b.differs(p.from.path, fmt.Sprintf("%s of %s, %s is %v, and %v in another file", r.Name, run.Version, run.Workload, *r.Value, *had.Value))
		}
		return true
	})
}

// differs counts numbers of a file that another says otherwise.
func (b *batch) differs(path, example string) {
	for i := range b.others {
		if b.others[i].path == path {
			b.others[i].n++
			return
		}
	}
	b.others = append(b.others, difference{path, example, 1})
}

type difference struct {
	path, example string
	n             int
}

// tellDifferences makes one warning a file.
func (b *batch) tellDifferences() {
	for _, d := range b.others {
		b.warn("import_differs", "%s: %d of its numbers differ from those of another file for the same cell, which are kept: %s", d.path, d.n, d.example)
	}
}

// notInNames does not do in a file's name.
var notInNames = regexp.MustCompile(`[^A-Za-z0-9.+=-]+`)

// finish gives the run its id and the costs that follow from its parts.
func (b *batch) finish(r *result.Run, c cell, repeat int) {
	if o := readingOf(r, "o/s"); o != nil && o.Value != nil {
		if _, ok := throughput(r); !ok { // the same quantity under another name
			w := &r.Passes[0].Windows[0]
			w.Readings = append(w.Readings, gauge("qps", *o.Value, units["qps"]))
		}
	}
	costs(r)
	sum := sha256.Sum256([]byte(fmt.Sprintln(c)))
	word := func(s string, n int) string {
		s = strings.Trim(notInNames.ReplaceAllString(s, "-"), "-.")
		return s[:min(len(s), n)]
	}
	r.ID = fmt.Sprintf("import-%s-%s-c%d-%s-r%d", word(r.Version, 40), word(r.Workload, 60), r.Clients, hex.EncodeToString(sum[:4]), repeat)
}
