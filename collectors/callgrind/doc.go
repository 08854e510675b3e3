// Package callgrind counts the instructions of a server that was started under
// valgrind's callgrind tool: user-space instructions, exact, per thread and per
// function, on a machine without hardware counters too.
//
// It is a pass of its own. Valgrind runs one thread at a time and translates
// every instruction, so this room must give nothing but instruction counts: no
// time, no rate, no context switches. It starts no server either: [Wrapper]
// says how a server is started under valgrind, [ServerOptions] what the server
// itself needs there, and whoever starts servers does it. It does not compare,
// and does not divide by operations. Its dumps are read by profiles/callgrind,
// which knows nothing of servers.
//
// How valgrind is driven: its gdbserver listens on two pipes in
// [Wrapper].Dir, and vgdb (part of the valgrind package) sends it callgrind's
// monitor commands: instrumentation, zero, dump. An edge is one call of vgdb.
package callgrind
