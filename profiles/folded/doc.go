// Package folded reads and writes folded stacks, the text that
// stackcollapse-*.pl and inferno make and that flamegraph.pl, speedscope and
// others read: a line a stack, the root first, frames parted by semicolons,
// then a space and a count.
//
// The text says neither what was counted, nor of which object a function is.
// A semicolon in a name becomes a colon, as those tools write it.
package folded
