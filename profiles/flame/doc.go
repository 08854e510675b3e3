// Package flame draws profiles as flame graphs: one HTML file that needs
// nothing else, of one profile or of two and their difference per query.
//
// The way of the data: profiles are merged into one tree of call paths
// (tree.go), small parts of it are folded until the page fits its limit
// (prune.go), the tree becomes compact arrays (data.go), and the page lays them
// out in the browser (page/). Weights stay integers on all of that way; they
// are divided by operations only where they are shown.
//
// Two profiles are never scaled to equal totals. Both are divided by their own
// operations and drawn on one scale, so that a slowdown that is spread evenly
// over all functions shows as a wider graph.
//
// It must not read profiles, give names or places to functions, or judge
// whether a difference matters.
package flame
