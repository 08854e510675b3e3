package workload

import "strings"

// A set is a published list of tests in the order in which they run: the reads
// behind the writes see a table that was written to.
var sets = map[string][]string{
	"set-27": ordered(without(inOrder, aggregations)),
	"set-32": ordered(inOrder),
	"set-42": append(before(), ordered(without(inOrder, aggregations))...),
}

const (
	inOrder = "update-inlist update-index update-nonindex update-one update-zipf write-only " +
		"read-write_range=10 read-write_range=100 scan read-only_range=10 read-only_range=100 read-only_range=10000 " +
		aggregations + " point-query random-points_range=10 random-points_range=100 random-points_range=1000 hot-points " +
		"points-covered-pk points-notcovered-pk range-covered-pk range-notcovered-pk " +
		"points-covered-si points-notcovered-si range-covered-si range-notcovered-si delete insert"
	aggregations = "read-only-simple_range=1000 read-only-sum_range=1000 read-only-order_range=1000 " +
		"read-only-distinct_range=1000 read-only-count_range=1000"
	beforeWrites = "point-query random-points_range=10 random-points_range=100 random-points_range=1000 " +
		"read-only_range=10 read-only_range=100 read-only_range=10000 " +
		"points-covered-pk points-notcovered-pk points-covered-si points-notcovered-si " +
		"range-covered-pk range-notcovered-pk range-covered-si range-notcovered-si"
)

// pre marks a read that is measured before the table is written to.
const pre = ".pre"

func ordered(ids string) []string { return strings.Fields(ids) }

func without(ids, part string) string { return strings.Replace(ids, part, "", 1) }

func before() []string {
	var ids []string
	for _, id := range ordered(beforeWrites) {
		ids = append(ids, preID(id))
	}
	return ids
}

// preID is how the published tables name it: random-points.pre_range=10.
func preID(id string) string {
	name, rest, ranged := strings.Cut(id, "_range=")
	if !ranged {
		return name + pre
	}
	return name + pre + "_range=" + rest
}

// further are the tests that belong to no group of the published tables, so a
// group's name does not mean them: the reads before the writes, and the indexed
// update of one row of 2014, whose unindexed one is update-one.
var further = append(preTests(), single("update-one-index", Write, siToPK, sqlOneIndexed))

func preTests() []Test {
	var all []Test
	for _, id := range ordered(beforeWrites) {
		for _, t := range table {
			if t.ID == id {
				t.ID, t.Name, t.Pre = preID(t.ID), t.Name+pre, true
				all = append(all, t)
			}
		}
	}
	return all
}
