// Package callgrind reads profiles in callgrind's format: exact counts per
// function, and counted calls between functions. [Parse] gives a file as it is
// written; [Read] and [ReadFiles] give it in the model of profiles.
//
// It does not run valgrind (collectors/callgrind does), does not divide by
// operations, and computes no inclusive costs (profiles/cost does).
package callgrind
