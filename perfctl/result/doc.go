// Package result is the record of what was measured: pure data with a schema
// version, and its life on disk. It imports nothing of ours, so every other
// room may read it; it computes nothing, so what it holds can be trusted to be
// what a collector read.
//
// The shape, outside in: a [Run] is one cell (version, workload, clients)
// measured on one server start; it holds [Pass]es (counting, callgrind, ...);
// a pass holds [Window]s; a window holds the operations done in it and the
// [Reading]s of each collector over exactly that window.
package result
