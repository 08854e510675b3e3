package workload

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"
)

// NotExplained begins the plan of a statement that the server does not explain;
// the reason follows.
const NotExplained = "not explained: "

// sessionVariables are those of which a connection has its own value.
var sessionVariables = []string{
	"character_set_client", "character_set_connection", "character_set_database", "character_set_results", "collation_connection", "collation_database",
	"sql_mode", "autocommit", "tx_isolation", "transaction_isolation", "optimizer_switch", "sql_log_bin", "profiling",
	"unique_checks", "foreign_key_checks", "big_tables", "completion_type", "query_cache_type", "binlog_format",
}

// Describe asks a server what its costs may come from: how it executes each of
// the statements, as statement template -> plan, and what a connection of the
// workload has, as variable -> value, ssl_cipher and ssl_version among them.
// It makes one connection like those of the load, sends no statement of the
// test and reads no counter that is measured; it is for the time between
// windows.
//
// A plan is normalised, so that the same plan of two versions is the same text:
// for each table its name, access type, key with the length used, and the
// remarks in alphabetical order; no estimates, no costs.
func Describe(ctx context.Context, a Access, statements []Statement) (plans, session map[string]string, err error) {
	db, err := pool(a)
	if err != nil {
		return nil, nil, err
	}
	defer db.Close()
	if session, err = sessionOf(ctx, db); err != nil {
		return nil, nil, err
	}
	plans = map[string]string{}
	for _, s := range statements {
		if _, done := plans[s.Template]; done || !s.Explain {
			continue
		}
		if plans[s.Template], err = explain(ctx, db, s.SQL); err != nil {
			return nil, nil, fmt.Errorf("explain %s: %w", s.Template, err)
		}
	}
	return plans, session, nil
}

func sessionOf(ctx context.Context, db *sql.DB) (map[string]string, error) {
	all, err := table2(ctx, db, "SHOW SESSION VARIABLES")
	if err != nil {
		return nil, err
	}
	m := map[string]string{}
	for name, v := range all {
		if slices.Contains(sessionVariables, name) {
			m[name] = v
		}
	}
	// Where a connection has no TLS, both are there and empty.
	tls, err := table2(ctx, db, "SHOW SESSION STATUS LIKE 'Ssl\\_%'")
	if err != nil {
		return nil, err
	}
	for _, name := range []string{"ssl_cipher", "ssl_version"} {
		if v, ok := tls[name]; ok {
			m[name] = v
		}
	}
	return m, nil
}

// table2 reads rows of a name, in lower case, and a value.
func table2(ctx context.Context, db *sql.DB, query string) (map[string]string, error) {
	rows, err := db.QueryContext(ctx, query)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", query, err)
	}
	defer rows.Close()
	m := map[string]string{}
	for rows.Next() {
		var name string
		var value sql.NullString
		if err := rows.Scan(&name, &value); err != nil {
			return nil, fmt.Errorf("%s: %w", query, err)
		}
		m[strings.ToLower(name)] = value.String
	}
	return m, rows.Err()
}

// explain gives a statement's normalised plan. What the server refuses to
// explain is a plan too, as it is no fault of the run: MySQL before 5.6 and
// MariaDB before 10.0 explain SELECT only.
func explain(ctx context.Context, db *sql.DB, statement string) (string, error) {
	// Asked for as a table wherever that can be said: the format has a default
	// that can be set, from MySQL 8.0.32 on.
	rows, err := db.QueryContext(ctx, "EXPLAIN FORMAT=TRADITIONAL "+statement)
	var refused *mysql.MySQLError
	if errors.As(err, &refused) {
		rows, err = db.QueryContext(ctx, "EXPLAIN "+statement)
	}
	if errors.As(err, &refused) {
		// Not its text: that quotes the statement, values and all.
		return fmt.Sprintf("%sthe server refuses to explain it (error %d)", NotExplained, refused.Number), nil
	}
	if err != nil {
		return "", err
	}
	defer rows.Close()
	names, err := rows.Columns()
	if err != nil {
		return "", err
	}
	var parts []string
	for rows.Next() {
		cells := make([]sql.NullString, len(names))
		into := make([]any, len(names))
		for i := range cells {
			into[i] = &cells[i]
		}
		if err := rows.Scan(into...); err != nil {
			return "", err
		}
		row := map[string]string{}
		for i, n := range names {
			row[strings.ToLower(n)] = cells[i].String
		}
		parts = append(parts, planRow(row))
	}
	if err := rows.Err(); err != nil {
		return "", err
	}
	if len(parts) == 0 {
		return NotExplained + "the server gave no row", nil
	}
	return strings.Join(parts, "; "), nil
}

// sameRemark are remarks of EXPLAIN that are one thing under two names: MySQL
// says Using MRR, MariaDB in which order the rows are fetched.
var sameRemark = map[string]string{
	"Using MRR": "multi-range read", "Rowid-ordered scan": "multi-range read",
	"Key-ordered scan": "multi-range read", "Key-ordered Rowid-ordered scan": "multi-range read",
}

// planRow writes a row of EXPLAIN by its column names (MySQL has partitions and
// filtered besides, MariaDB has not): "sbtest1 range PRIMARY(4) Using where".
func planRow(row map[string]string) string {
	words := []string{orDash(row["table"]), orDash(row["type"])}
	key := orDash(row["key"])
	if n := row["key_len"]; n != "" && row["key"] != "" {
		key += "(" + n + ")"
	}
	words = append(words, key)
	var remarks []string
	for r := range strings.SplitSeq(row["extra"], ";") {
		if r = strings.TrimSpace(r); r == "" {
			continue
		}
		if same, ok := sameRemark[r]; ok {
			r = same
		}
		if !slices.Contains(remarks, r) {
			remarks = append(remarks, r)
		}
	}
	slices.Sort(remarks)
	if kind := row["select_type"]; kind != "" && !slices.Contains(plainKinds, kind) {
		words = append(words, "["+kind+"]")
	}
	if len(remarks) > 0 {
		words = append(words, strings.Join(remarks, ", "))
	}
	return strings.Join(words, " ")
}

// plainKinds of a row say no more than the statement does. An UPDATE is SIMPLE
// to MariaDB and UPDATE to MySQL.
var plainKinds = []string{"SIMPLE", "PRIMARY", "UPDATE", "DELETE", "INSERT", "REPLACE"}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
