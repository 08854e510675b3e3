package workload

import "fmt"

// The SQL is that of the published benchmarks. In it, {t} is the table's
// number and the other braces are the arguments:
//
//	{id}     an id, uniform over 1..rows        {id*N}   N of them, comma-separated
//	{zipf}   an id, Zipfian over 1..rows: id 1 is the hottest
//	{k}      a value of k, likewise             {k*N}    N of them
//	{x}      where a range starts, uniform over 1..rows
//	{x+N}    N more than the {x} before it
//	{hot*N}  the same N ids each time, drawn once from the plan's seed
//	{same}   the id of the statement before, on the same table
//	{c} {pad} new digits for these columns
const (
	sqlPoint      = "SELECT c FROM sbtest{t} WHERE id={id}"
	sqlPoints     = "SELECT %s FROM sbtest{t} WHERE %s IN ({%s*%d})"
	sqlRange      = "SELECT %s FROM sbtest{t} WHERE %s BETWEEN {x} AND {x+100}"
	sqlSimple     = "SELECT c FROM sbtest{t} WHERE id BETWEEN {x} AND {x+%d}"
	sqlSum        = "SELECT SUM(k) FROM sbtest{t} WHERE id BETWEEN {x} AND {x+%d}"
	sqlOrder      = "SELECT c FROM sbtest{t} WHERE id BETWEEN {x} AND {x+%d} ORDER BY c"
	sqlDistinct   = "SELECT DISTINCT c FROM sbtest{t} WHERE id BETWEEN {x} AND {x+%d} ORDER BY c"
	sqlCount      = "SELECT COUNT(c) FROM sbtest{t} WHERE id BETWEEN {x} AND {x+%d}"
	sqlScan       = "SELECT * FROM sbtest{t} WHERE LENGTH(c) < 0"
	sqlIndexed    = "UPDATE sbtest{t} SET k=k+1 WHERE id={id}"
	sqlUnindexed  = "UPDATE sbtest{t} SET c={c} WHERE id={id}"
	sqlUpdateZipf = "UPDATE sbtest{t} SET c={c} WHERE id={zipf}"
	sqlUpdateOne  = "UPDATE sbtest{t} SET c={c} WHERE id=1"
	sqlOneIndexed = "UPDATE sbtest{t} SET k=k+1 WHERE id=1"
	sqlUpdateList = "UPDATE sbtest{t} SET k=k+1 WHERE id IN ({id*10})"
	sqlDelete     = "DELETE FROM sbtest{t} WHERE id={id}"
	sqlReinsert   = "INSERT INTO sbtest{t} (id, k, c, pad) VALUES ({same}, {k}, {c}, {pad})"
	sqlInsert     = "INSERT INTO sbtest{t} (id, k, c, pad) VALUES (0, {k}, {c}, {pad})"
)

// step is a statement of a test, sent times times one after another (0: once).
type step struct {
	sql   string
	times int
}

// defaults are the ids meant by a name that has several.
var defaults = map[string]string{
	"random-points": "random-points_range=100",
	"read-only":     "read-only_range=100",
	"read-write":    "read-write_range=100",
}

var (
	pk     = []string{"PRIMARY"}
	si     = []string{"k"}
	siToPK = []string{"k", "PRIMARY"}
)

// table is all the tests, group by group.
var table = []Test{
	single("hot-points", Point, pk, points("c", "id", "hot", 100)),
	single("point-query", Point, pk, sqlPoint),
	single("points-covered-pk", Point, pk, points("id", "id", "id", 100)),
	single("points-covered-si", Point, si, points("k", "k", "k", 100)),
	single("points-notcovered-pk", Point, pk, points("id, c", "id", "id", 100)),
	single("points-notcovered-si", Point, siToPK, points("k, c", "k", "k", 100)),
	ranged(single("random-points", Point, pk, points("c", "id", "id", 10)), 10),
	ranged(single("random-points", Point, pk, points("c", "id", "id", 100)), 100),
	ranged(single("random-points", Point, pk, points("c", "id", "id", 1000)), 1000),

	single("range-covered-pk", Range, pk, fmt.Sprintf(sqlRange, "id", "id")),
	single("range-covered-si", Range, si, fmt.Sprintf(sqlRange, "k", "k")),
	single("range-notcovered-pk", Range, pk, fmt.Sprintf(sqlRange, "id, c", "id")),
	single("range-notcovered-si", Range, siToPK, fmt.Sprintf(sqlRange, "k, c", "k")),
	perRow(single("scan", Range, pk, sqlScan)),

	readOnly("read-only", 10, sqlSimple, sqlSum, sqlOrder, sqlDistinct),
	readOnly("read-only", 100, sqlSimple, sqlSum, sqlOrder, sqlDistinct),
	readOnly("read-only", 10000, sqlSimple, sqlSum, sqlOrder, sqlDistinct),
	ranged(single("read-only-count", RangeAgg, pk, over(sqlCount, 1000)), 1000),
	readOnly("read-only-distinct", 1000, sqlDistinct),
	readOnly("read-only-order", 1000, sqlOrder),
	readOnly("read-only-simple", 1000, sqlSimple),
	readOnly("read-only-sum", 1000, sqlSum),

	single("delete", Write, siToPK, sqlDelete),
	textOnly(single("insert", Write, siToPK, sqlInsert)),
	readWrite(10),
	readWrite(100),
	single("update-index", Write, siToPK, sqlIndexed),
	single("update-inlist", Write, siToPK, sqlUpdateList),
	single("update-nonindex", Write, pk, sqlUnindexed),
	single("update-one", Write, pk, sqlUpdateOne),
	single("update-zipf", Write, pk, sqlUpdateZipf),
	transaction("write-only", Write, siToPK, writes()),
}

func points(columns, where, key string, n int) string {
	return fmt.Sprintf(sqlPoints, columns, where, key, n)
}

// over is a range query over n rows: BETWEEN includes both ends.
func over(sql string, n int) string { return fmt.Sprintf(sql, n-1) }

func single(name string, g Group, indexes []string, sql string) Test {
	return Test{ID: name, Name: name, Group: g, Write: g == Write, Per: PerStatement,
		Indexes: indexes, steps: []step{{sql: sql}}}
}

func transaction(name string, g Group, indexes []string, inside []step) Test {
	t := single(name, g, indexes, "")
	t.Transactional = true
	t.steps = append(append([]step{{sql: sqlBegin}}, inside...), step{sql: sqlCommit})
	return t
}

func ranged(t Test, n int) Test {
	t.Range = n
	t.ID = fmt.Sprintf("%s_range=%d", t.Name, n)
	return t
}

func perRow(t Test) Test { t.Per = PerRow; return t }

func textOnly(t Test) Test { t.TextOnly = true; return t }

func reads(n int, ranges ...string) []step {
	steps := []step{{sql: sqlPoint, times: 10}}
	for _, sql := range ranges {
		steps = append(steps, step{sql: over(sql, n)})
	}
	return steps
}

func writes() []step {
	return []step{{sql: sqlIndexed}, {sql: sqlUnindexed}, {sql: sqlDelete}, {sql: sqlReinsert}}
}

func readOnly(name string, n int, ranges ...string) Test {
	return ranged(transaction(name, RangeAgg, pk, reads(n, ranges...)), n)
}

func readWrite(n int) Test {
	inside := append(reads(n, sqlSimple, sqlSum, sqlOrder, sqlDistinct), writes()...)
	return ranged(transaction("read-write", Write, siToPK, inside), n)
}
