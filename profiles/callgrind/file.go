package callgrind

// File is one file in callgrind's format, version 1, as the Valgrind manual
// describes it ("Callgrind Format Specification"). Other programs write it too
// (xdebug, Python's lsprof converters), with fewer headers.
type File struct {
	Version string // of the format; "" when not said
	Creator string // "callgrind-3.19.0"
	Parts   []Part
}

// Part is one dump: of the whole program, or of one thread of it
// (--separate-threads=yes).
type Part struct {
	PID     int
	Cmd     string
	Number  int    // "part:", counted from 1; 0 when not said
	Thread  int    // valgrind's number of the thread, not the system's; 0 when not said
	Trigger string // what made callgrind write it: "Program termination", "dump HINT"
	// Events are the names of the counts, in the order of every []uint64 below.
	Events []string
	// Totals is the line "totals:" at the part's end, nil when there is none.
	Totals []uint64
	// Summary is the line "summary:" of the header, nil when there is none. In
	// the dump of a program that runs on it can be 0 or nonsense.
	Summary []uint64
	// Functions in the order of their first mention; a function that is only
	// called has Self of zeros.
	Functions []Function
}

// Function is what one function of one object cost. Code that was inlined into
// it from other source files (fi=, fe=) is in Self.
type Function struct {
	Object string // "" when not said, "???" when valgrind did not know
	File   string // the source file; likewise
	Name   string
	Self   []uint64
	// Calls are the calls that it made, one entry a callee, in the order of
	// their first mention.
	Calls []Call
}

// Call is all calls of one function by another.
type Call struct {
	Callee int // index into Part.Functions
	Count  uint64
	// Inclusive is what the calls cost: the callee and all that it called.
	Inclusive []uint64
}

// Self is the sum of the functions' own costs. It is equal to Totals in
// callgrind's own files; a sum that does not fit 64 bits wraps as Totals does.
func (p *Part) Self() []uint64 {
	sum := make([]uint64, len(p.Events))
	for _, f := range p.Functions {
		for i, v := range f.Self {
			sum[i] += v
		}
	}
	return sum
}

// Inclusive is a function's own cost and that of its calls. A function that
// calls itself, directly or through others, counts the inner calls again.
func (f *Function) Inclusive() []uint64 {
	sum := append([]uint64{}, f.Self...)
	for _, c := range f.Calls {
		for i, v := range c.Inclusive {
			sum[i] += v
		}
	}
	return sum
}
