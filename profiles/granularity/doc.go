// Package granularity says what one row of a table of costs is: a function, a
// name, an object or a subsystem; and by which key the rows of several profiles
// meet.
//
// It computes no costs and lays nothing out.
package granularity
