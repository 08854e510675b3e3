// Package compare turns windows into per-query values, values into intervals,
// and intervals into verdicts. It reads the record ([result.Run]) and gives a
// [Report]: pure data, whose JSON is the format opcost prints and other tools
// read. It does not measure, reads no files, prints nothing, and chooses no
// layout: the report room does that.
//
// The way of a number: a reading is divided by the operations of its own window
// (values.go, derived.go); a server start gives one value for a metric, the
// starts of a cell give the median and its interval (merge.go, interval.go);
// two cells give a ratio and its interval (ratio.go); the primary metric's
// ratios together give verdicts (verdict.go). What makes two cells unlike is
// said before any ratio (unlike.go).
package compare
