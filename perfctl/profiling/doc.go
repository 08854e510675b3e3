// Package profiling turns what a window recorded of the server's code (perf's
// raw data, or callgrind's dumps) into one profile in pprof's format, with what
// it was taken of. It uses the CPU for a while, so it must not be called while
// a window is measured. It measures nothing, and judges and shows nothing.
package profiling
