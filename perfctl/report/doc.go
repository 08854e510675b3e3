// Package report lays a comparison out: table, Markdown, CSV, TSV or JSON, the
// Go benchmark format, and views of it (relative tables, costs, sweeps, series).
// It computes no value, ratio or verdict; what it prints stands in what it is
// given of compare. It knows nothing of files or terminals: the caller says how
// wide and whether in colour.
package report
