// Package record samples a server through perf record: which code was running
// when so many instructions, cycles or nanoseconds of CPU had passed. A sampled
// server is slower than one that is left alone, so this collector has a window
// of its own, whose other readings are no costs of the version.
//
// It leaves perf's raw data in the evidence folder and says how much is in it.
// It must not resolve symbols or fold stacks: package profiles reads the data.
package record
