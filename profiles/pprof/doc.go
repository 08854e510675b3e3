// Package pprof keeps profiles in pprof's format (profile.pb.gz), which
// "go tool pprof", speedscope and Pyroscope read, and reads it back, what other
// programs wrote too. docs/pprof.md tells the same to those who read our files.
//
// How a set is written:
//
//   - An event has a sample type of its own, named as the event, so several
//     events in one file stay apart; beside it EVENT_samples, and where calls
//     were counted EVENT_calls and EVENT_inclusive. Units are pprof's:
//     nanoseconds, else count.
//   - A stack is a sample with the labels thread and event. An arc is a sample of
//     callee and caller with the label arc=call, and no weight, so that it adds
//     nothing to what the functions cost.
//   - Frame: Location.Mapping has the object and the build id, and its addresses
//     the space: the kernel's begin at 2^63, a user's below. Function.Filename is the
//     object again (viewers show it), " (inlined)" behind it for inlined code.
//   - A function without a name has an empty Function.SystemName and as a name
//     what is known: "mariadbd+0x6b1230" by a position in the file, "mariadbd
//     0x7f…" by an address, "mariadbd fn 0x…" by its beginning. A recursion's
//     inner call (Frame.Recursion) is called f'2 and has the SystemName f.
//   - All else is in comments, key=value, see [Write].
//
// It computes nothing, and what is told per query is not in it.
package pprof
