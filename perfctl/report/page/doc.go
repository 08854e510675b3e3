// Package page lays a comparison out as one HTML page that needs nothing else:
// it opens offline, prints, and can be mailed.
//
// The way of the data: the report, with the series and the sweeps of its metrics,
// becomes compact arrays (data.go and its neighbours); metrics that people look
// at least are left out until the page fits its limit (fit.go); what must be
// readable without a script (verdicts, warnings) is written as it is (view.go);
// charts and tables are drawn in the browser from the arrays, for the metric that
// is chosen (assets/).
//
// It computes no value, ratio or verdict, and knows nothing of files: links come
// from the caller, relative to where the page will lie.
package page
