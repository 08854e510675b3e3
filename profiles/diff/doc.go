// Package diff says what changed in the cost of a query between two versions, by
// function, name, object or subsystem. Its rows add up to the whole change.
//
// It compares only what is alike: one event, one unit, one scope. It reads no
// files and lays nothing out.
package diff
