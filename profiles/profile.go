package profiles

// Set is what one input held: a profile an event, in the order of their first
// sample. Events are never mixed.
type Set struct {
	Profiles []*Profile
	Warnings []string // what was read around, each with its place and the next step
}

// Profile is the weighted stacks of one event. It is made by a [Builder].
type Profile struct {
	Event  Event
	Frames []Frame // distinct; a stack names them by index
	Stacks []Stack // distinct by thread and frames, in the order they were first seen
	// Arcs are calls that were counted, where the source counts calls instead of
	// sampling stacks (callgrind). Its stacks then hold one frame each, the
	// function that the cost is of, and who called whom is here. nil elsewhere.
	Arcs     []Arc
	About    About
	Problems Problems
}

// Event is what a weight counts.
type Event struct {
	Name string // as its source says it: cycles, instructions:u, cpu-clock, Ir
	Unit string // one of the Unit constants
	// Counted is true where each unit was counted (callgrind), false for samples,
	// whose weight is the period each stands for.
	Counted bool
}

// The units of weights.
const (
	Instructions = "instructions"
	Cycles       = "cycles"
	Nanoseconds  = "nanoseconds" // of CPU: cpu-clock, task-clock
	Samples      = "samples"     // the source told no period
	Events       = "events"      // any other event, counted one by one
)

// Space is the side of the kernel's boundary that code is on.
type Space uint8

const (
	UnknownSpace Space = iota
	User
	Kernel
)

// Frame is one function's place in a stack. Two frames are the same if all of
// this is equal.
type Frame struct {
	// Function as the source names it, undemangled or demangled, without an
	// offset; "" where it has no name.
	Function string
	// Object is the file the code is of, as the source says it: a path,
	// "[kernel.kallsyms]", "[vdso]", a module's name; "" where it is not known.
	Object  string
	BuildID string // hex; "" where it is not known
	// Address tells frames without a name apart: the code's address as the source
	// gives it, or, once a boundary was found (see Start), 0. Readers leave it 0
	// for frames with a name.
	Address uint64
	// InFile is true where Address is a position in the object's file, as the
	// process's mappings tell it: the same in every process and every run of a
	// build. False: an address in memory.
	InFile bool
	// Start is where the unnamed function begins in its object, by the object's
	// own boundaries of functions (.eh_frame); 0 where that is not known.
	Start   uint64
	Inlined bool // the compiler put it into its caller
	Space   Space
	// Recursion is how many calls of the function are under way, this one
	// included, where the source tells such frames apart (callgrind, from 2);
	// 0 for the outermost call and where it does not.
	Recursion uint16
}

// Named tells whether the frame's function has a name.
func (f Frame) Named() bool { return f.Function != "" }

// Stack is a distinct way to a place in the code and what was spent there.
type Stack struct {
	Thread  string  // the thread's name, "" where it is not known
	Frames  []int32 // into Profile.Frames; the leaf first; empty for a sample without a stack
	Weight  int64   // in the event's unit
	Samples int64   // how many samples that was; 0 for counted events
}

// Arc is one function's calls of another.
type Arc struct {
	Thread         string
	Caller, Callee int32 // into Profile.Frames
	Calls          int64
	Weight         int64 // spent in the callee and what it called, on behalf of this caller
}

// About says what a profile was taken of. Zero values are unknown.
type About struct {
	Version    string // the plan's name for it
	Workload   string
	Clients    int
	Protocol   string
	Repeat     int     // 0-based
	Operations float64 // in the profile's own window; 0: per-query numbers cannot be had
	Per        string  // what an operation is: statement, transaction, row, second
	Seconds    float64 // the window's length
	CPUUS      float64 // the process's CPU in the window by its own clock, in microseconds
	Binary     string  // the server's program file
	Server     string  // its version text
	CallGraph  string  // fp, dwarf, lbr, counted
	Hz         int     // samples a second a CPU, asked for
}

// Problems are what the source or its reader said went wrong. Zero is none.
type Problems struct {
	Lost      int64 // samples that the kernel dropped
	Throttled int64 // times that the kernel stopped sampling for a while
	NoStack   int64 // samples without any frame
	Broken    int64 // samples whose stack ends before the thread's start
	Periods   int64 // samples without a period of their own, weighted 1
}

// Total is the sum of all weights.
func (p *Profile) Total() (weight, samples int64) {
	for _, s := range p.Stacks {
		weight += s.Weight
		samples += s.Samples
	}
	return weight, samples
}
