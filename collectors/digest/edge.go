package digest

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"opcost/collectors"
)

// edge is what the tables held at one moment, cumulative.
type edge struct {
	digests    map[key]counts
	kinds      map[string][2]uint64 // by event name: count, picoseconds
	statements int64                // what we had sent when kinds was read, that one included
}

// key is one row of the table of digests. Hash is "" for the row that takes
// what found the table full.
type key struct{ schema, hash string }

// counts of one digest; times in picoseconds.
type counts struct {
	firstSeen string // another one: the table was emptied since
	n         [columns]uint64
}

// The columns of counts.n; CPU is last, as many servers have none.
const (
	count = iota
	timer
	sent
	examined
	affected
	tmpTables
	tmpDiskTables
	sortRows
	errorCount
	cpuTime
	columns
)

var columnNames = [columns]string{"COUNT_STAR", "SUM_TIMER_WAIT", "SUM_ROWS_SENT", "SUM_ROWS_EXAMINED", "SUM_ROWS_AFFECTED",
	"SUM_CREATED_TMP_TABLES", "SUM_CREATED_TMP_DISK_TABLES", "SUM_SORT_ROWS", "SUM_ERRORS", "SUM_CPU_TIME"}

// The marks of our statements: the first column's alias, so that it is left of
// wherever the server cuts a digest's text.
const (
	markDigests = collectors.OwnMark + "_digests"
	markKinds   = collectors.OwnMark + "_kinds"
	markTexts   = collectors.OwnMark + "_texts"
)

func readEdge(ctx context.Context, sql collectors.Querier, on switches) (e edge, err error) {
	if on.noDigests == nil {
		if e.digests, err = readDigests(ctx, sql, on.cpu); err != nil {
			return e, err
		}
	}
	e.kinds, err = readKinds(ctx, sql)
	e.statements = sql.Statements()
	return e, err
}

func readKinds(ctx context.Context, sql collectors.Querier) (map[string][2]uint64, error) {
	const table = "performance_schema.events_statements_summary_global_by_event_name"
	rows, err := sql.Query(ctx, "SELECT EVENT_NAME AS "+markKinds+", COUNT_STAR, SUM_TIMER_WAIT FROM "+table+" WHERE COUNT_STAR > 0")
	if err != nil {
		return nil, denied("read "+table, err)
	}
	kinds := make(map[string][2]uint64, len(rows))
	for _, r := range rows {
		if len(r) != 3 {
			return nil, fmt.Errorf("%s gave a row of %d columns, not 3", table, len(r))
		}
		var n [2]uint64
		if err := numbers(n[:], r[1:]); err != nil {
			return nil, failed(table, err)
		}
		kinds[r[0]] = n
	}
	return kinds, nil
}

const digestTable = "performance_schema.events_statements_summary_by_digest"

// readDigests leaves out the texts, the largest part.
func readDigests(ctx context.Context, sql collectors.Querier, cpu bool) (map[key]counts, error) {
	names := columnNames[:]
	if !cpu {
		names = names[:cpuTime]
	}
	rows, err := sql.Query(ctx, "SELECT SCHEMA_NAME AS "+markDigests+", DIGEST, FIRST_SEEN, "+strings.Join(names, ", ")+" FROM "+digestTable)
	if err != nil {
		return nil, denied("read "+digestTable, err)
	}
	digests := make(map[key]counts, len(rows))
	for _, r := range rows {
		if len(r) != 3+len(names) {
			return nil, fmt.Errorf("%s gave a row of %d columns, not %d", digestTable, len(r), 3+len(names))
		}
		c := counts{firstSeen: r[2]}
		if err := numbers(c.n[:len(names)], r[3:]); err != nil {
			return nil, failed(digestTable, err)
		}
		digests[key{r[0], r[1]}] = c
	}
	return digests, nil
}

func numbers(into []uint64, texts []string) (err error) {
	for i, t := range texts {
		if into[i], err = strconv.ParseUint(t, 10, 64); err != nil {
			return err
		}
	}
	return nil
}

// executed are the digests that were executed between the edges, or whose
// counts show that the table was emptied.
func executed(begin, end map[key]counts) []key {
	var keys []key
	for k, e := range end {
		if b, there := begin[k]; !there || b != e {
			keys = append(keys, k)
		}
	}
	return keys
}

const (
	// textBytes is how much of a digest's text is kept.
	textBytes = 1024
	// listed is how many digests are asked for by name; for more of them, the
	// whole table is cheaper.
	listed = 500
)

// readTexts gives the texts of digests, by hash: a schema's text is any other's.
func readTexts(ctx context.Context, sql collectors.Querier, keys []key) (map[string]string, error) {
	text := fmt.Sprintf("SELECT DIGEST AS "+markTexts+", LEFT(DIGEST_TEXT, %d) FROM "+digestTable, textBytes)
	if len(keys) <= listed {
		hashes := []string{"''"}
		for _, k := range keys {
			if isHash(k.hash) {
				hashes = append(hashes, "'"+k.hash+"'")
			}
		}
		text += " WHERE DIGEST IN (" + strings.Join(hashes, ", ") + ")"
	}
	rows, err := sql.Query(ctx, text)
	if err != nil {
		return nil, denied("read "+digestTable, err)
	}
	texts := make(map[string]string, len(rows))
	for _, r := range rows {
		if len(r) != 2 {
			return nil, fmt.Errorf("%s gave a row of %d columns, not 2", digestTable, len(r))
		}
		texts[r[0]] = clip(r[1])
	}
	return texts, nil
}

// isHash is true for what can stand in a statement's quotes as it is.
func isHash(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return (r < '0' || r > '9') && (r < 'a' || r > 'f') && (r < 'A' || r > 'F') }) < 0
}

// clip shortens a text to textBytes of valid UTF-8. MariaDB ends each with a space.
func clip(s string) string {
	s = strings.TrimSpace(strings.ToValidUTF8(s, "?"))
	if len(s) <= textBytes {
		return s
	}
	const dots = "..."
	return strings.ToValidUTF8(s[:textBytes-len(dots)], "") + dots
}
