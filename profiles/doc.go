// Package profiles is the model of a profile: weighted stacks of one event, as
// any reader makes them and any view takes them.
//
// Readers are rooms below it, one a format (perfscript, perfdata, callgrind,
// folded, pprof); views too (top, diff, flame). Weights are integers, so that
// the costs of all functions add up to the total to the unit; what is told per
// query is computed in floating point, by the views, outside the profile.
//
// It must not read files, measure, or lay out.
package profiles
