// Package perfstat counts events of a server process with `perf stat`, over
// exactly the time between Begin and End: perf is told through its control
// descriptors and acknowledges each command. It reads perf's JSON and CSV into
// readings, and what perf prints for people for those who import it. It does not
// sample, does not choose when to measure, and divides nothing by operations or
// time.
package perfstat
