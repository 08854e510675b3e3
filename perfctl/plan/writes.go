package plan

import "strings"

// replay: nothing is put back; see Restore.
const replay = "replay"

// writes reads how write tests are measured, and checks that a replay can be.
func (r *reader) writes(m map[string]entry, p *Plan) {
	number(r, m, "write_operations", &p.WriteOperations, 1, 1e12)
	ops, both := m["write_operations"]
	if _, all := m["operations"]; all && both {
		r.bad(ops.key, "one of the two", "both operations and write_operations: the first is for every workload")
	}
	for _, n := range p.Clients {
		if both && p.WriteOperations > 0 && p.WriteOperations < int64(n) {
			r.bad(ops.value, "", "write_operations: %d for %d clients leaves some with nothing to do; write a larger number", p.WriteOperations, n)
			break
		}
	}
	e, ok := m["restore"]
	if !ok || p.Restore.Kind != replay {
		return
	}
	a, known := r.known.(Abilities)
	var writing []string
	for _, id := range p.Workloads {
		if !known || a.Writes(id) {
			writing = append(writing, id)
		}
	}
	switch {
	case len(writing) > 0 && p.Operations == 0 && p.WriteOperations == 0:
		r.bad(e.value, "restore: replay\nwrite_operations: 20000", "restore: replay needs a number of operations for write tests: in a time a faster version would change more rows than another (%s)", shortList(writing))
	case len(writing) > 0 && !p.Driver.Own():
		r.bad(e.value, "driver: builtin", "restore: replay needs the built-in driver: another's operations cannot be done again with the same keys")
	case p.Budget > 0:
		r.bad(m["budget"].key, "restore: copy", "budget: with restore: replay every version must do the same tests one after another, so none can be left out")
	case p.Profile && len(writing) > 0 && p.Operations == 0:
		r.bad(m["profile"].key, "operations: 20000", "profile: with restore: replay its window writes too, and must have a number of operations")
	}
}

func shortList(ids []string) string {
	if len(ids) > 3 {
		return strings.Join(ids[:3], ", ") + ", ..."
	}
	return strings.Join(ids, ", ")
}
