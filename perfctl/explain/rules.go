package explain

// Names of kinds. They are stable: scripts may look for them.
const (
	MoreCode       = "more_code"
	LessCode       = "less_code"
	SlowerMemory   = "slower_memory"
	Contention     = "contention"
	NoisyMachine   = "noisy_machine"
	MoreIO         = "more_io"
	AnotherPlan    = "another_plan"
	ClientBound    = "client_bound"
	Decaying       = "decaying"
	DeferredWork   = "deferred_work"
	NothingChanged = "nothing_changed"
)

// Rule is one kind of cause. Rules are asked in their order; several may hold,
// and none need to.
type Rule struct {
	Kind  string
	Title string
	// Meaning says when it holds, for the documentation.
	Meaning string
	// state: it is about the measurement, not about a change.
	state bool
	holds func(*facts) (Finding, bool)
}

// Rules are all of them.
func Rules() []Rule {
	return []Rule{
		{MoreCode, "more code per query",
			"instructions/query rose beyond its threshold: the server runs more code for the same query. Cycles/instruction tell whether that is all. Where no instructions were counted, and the machine was quiet, CPU/query stands in for them, which is said as not sure.", false, moreCode},
		{LessCode, "less code per query",
			"instructions/query fell beyond its threshold; else CPU/query, likewise.", false, lessCode},
		{SlowerMemory, "slower memory",
			"cycles/instruction rose beyond its threshold: the same code waits longer, for memory (caches, TLB, NUMA) or mispredicted branches. Without hardware counters, and only on a quiet machine: CPU time/query rose while instructions/query (callgrind) did not, which is said as not sure.", false, slowerMemory},
		{Contention, "contention",
			"row-lock waits rose; or, with more than one client, voluntary context switches rose by 0.05/query and more, and neither more I/O nor more log writes explain them, or they rise with the number of clients. Threads wait for each other. Where voluntary switches are not told apart, all of them stand in, which is said as not sure.", false, contention},
		{NoisyMachine, "a noisy or busy machine",
			"on one side or both, most windows break a check of the machine: `others` (other programs' CPU), `steal`, `run_queue`, `throttled`, `frequency_change`, `stalled`. Times and QPS are then not the version's alone; instructions/query are.", true, noisyMachine},
		{MoreIO, "more I/O or log writes",
			"a count of reads, writes or syncs per query rose beyond its threshold and by a least amount: redo log, binary log, data files, pages that were not in the buffer pool.", false, moreIO},
		{AnotherPlan, "another plan",
			"EXPLAIN of a statement differs, or rows read/query moved by more than their threshold: other rows are read for the same query. It is the optimizer, an index or the data, not the code.", false, anotherPlan},
		{ClientBound, "bound by the client",
			"most windows break `client_bound` or `client_idle`; or the client's CPU/query rose while the server's is the same. QPS and response times are then the client's.", true, clientBound},
		{Decaying, "throughput decays inside the window",
			"the last third of the window did less than the first by 15% and more, and the second is between them, in most windows of a side: it has not reached its steady state.", true, decaying},
		{DeferredWork, "deferred work",
			"most windows of a side break `history_growth`, `dirty_growth` or `checkpoint_age_growth`: purging or writing is left for later queries to pay.", true, deferredWork},
		{NothingChanged, "nothing changed",
			"the verdict is `same`, no rule above that is about a change holds, and the time of a query is not longer for sure (on a noisy machine it may be).", false, nil}, // asked last: see findings
	}
}

// findings are the rules that hold.
func (f *facts) findings() []Finding {
	all := []Finding{}
	changed := false
	for _, r := range Rules() {
		if r.holds == nil {
			continue
		}
		if found, ok := r.holds(f); ok {
			found.Kind, found.Title = r.Kind, r.Title
			all = append(all, found)
			changed = changed || !r.state
		}
	}
	if v := f.verdict(); v.Word == "same" && !changed && !f.longer(all) {
		c, _ := f.of(v.Metric)
		all = append(all, Finding{Kind: NothingChanged, Title: "nothing changed", Sure: true,
			Text: label(v.Metric) + " is the same within its threshold, and no rule about a change holds", Evidence: []Evidence{c.evidence("")}})
	}
	return all
}

// longer tells that the time of a query is longer for sure, and not by a noisy
// machine.
func (f *facts) longer(found []Finding) bool {
	for _, k := range found {
		if k.Kind == NoisyMachine {
			return false
		}
	}
	t, ok := f.time()
	dir, sure := t.direction()
	return ok && dir > 0 && sure
}
