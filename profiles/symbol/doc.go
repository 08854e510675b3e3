// Package symbol tells how a function is called where two builds of a program
// are to meet, and how it is shown.
//
// The same function is named in many ways: mangled or not, with its parameters
// (callgrind, c++filt) or without (perf script), with the suffix of the copy
// that the compiler made of it (.part.0, .cold, .isra.0), with the version that
// a library exports it under. [Normal] is one name for all of these.
//
// It must not read files or know where a function belongs.
package symbol
