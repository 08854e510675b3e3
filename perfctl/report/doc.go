// Package report lays a comparison out: table, Markdown, CSV, TSV or JSON. It
// computes no value, ratio or verdict; what it prints stands in the
// [compare.Report] it is given. It knows nothing of files or terminals: the
// caller says how wide and whether in colour.
package report
