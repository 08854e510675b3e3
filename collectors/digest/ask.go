package digest

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"opcost/collectors"
)

// switches are what the server's administrator has switched on.
type switches struct {
	schema    string // our connection's default
	size      string // rows that the table of digests can have
	noDigests *collectors.Unsupported
	cpu       bool // CPU time is collected by digest
	noCPU     collectors.Unsupported
	// partly says what of the load is not counted: "" for nothing.
	partly string
	// untimed says which statements have counts and no times: "" for none.
	untimed string
}

// ask finds out, with a handful of SELECTs. Where nothing can be had, the error
// is a *collectors.Unsupported.
func ask(ctx context.Context, sql collectors.Querier) (switches, error) {
	var s switches
	row, err := one(ctx, sql, "SELECT @@global.performance_schema, @@global.performance_schema_digests_size, DATABASE()", 3)
	switch {
	case err != nil && strings.Contains(err.Error(), "1193"): // unknown system variable
		return s, &collectors.Unsupported{What: what, Reason: "the server has no table of digests (MySQL 5.6 and MariaDB 10.0 are the first), or was built without it"}
	case err != nil:
		return s, failed("ask whether performance_schema is on", err)
	case row[0] == "0" || row[0] == "OFF":
		return s, &collectors.Unsupported{What: what, Reason: "performance_schema is off",
			Remedy: "the server's administrator would set performance_schema=ON in its configuration and restart it (each query then costs more); opcost switches nothing on"}
	}
	s.schema, s.size = row[2], row[1]
	consumers, err := sql.Query(ctx, "SELECT NAME, ENABLED FROM performance_schema.setup_consumers")
	if err != nil {
		return s, denied("read performance_schema.setup_consumers", err)
	}
	on := map[string]string{}
	for _, r := range consumers {
		if len(r) == 2 {
			on[strings.ToLower(r[0])] = r[1]
		}
	}
	if on["global_instrumentation"] != "YES" {
		return s, off("global_instrumentation", what)
	}
	switch {
	case on["statements_digest"] != "YES":
		s.noDigests = off("statements_digest", "the table of digests")
	case s.size == "0":
		s.noDigests = &collectors.Unsupported{What: "the table of digests", Reason: "performance_schema_digests_size is 0",
			Remedy: "the server's administrator would set performance_schema_digests_size=10000 in its configuration and restart it"}
	}
	switch cpu, there := on["events_statements_cpu"]; {
	case !there:
		s.noCPU = collectors.Unsupported{What: "CPU time by digest", Reason: "this server does not collect it (MySQL 8.0.28 is the first that can)"}
	case cpu != "YES":
		s.noCPU = *off("events_statements_cpu", "CPU time by digest")
	default:
		s.cpu = true
	}
	return s, s.askCoverage(ctx, sql, on["thread_instrumentation"] == "YES")
}

// askCoverage finds out whether all statements of all connections are counted.
func (s *switches) askCoverage(ctx context.Context, sql collectors.Querier, byThread bool) error {
	row, err := one(ctx, sql, "SELECT COUNT(*), SUM(ENABLED = 'NO'), SUM(TIMED = 'NO') FROM performance_schema.setup_instruments"+
		" WHERE NAME LIKE 'statement/sql/%' OR NAME LIKE 'statement/com/%'", 3)
	if err != nil {
		return denied("read performance_schema.setup_instruments", err)
	}
	switch all, disabled, untimed := row[0], row[1], row[2]; {
	case all == "0" || all == disabled:
		return &collectors.Unsupported{What: what, Reason: "no statement instrument is enabled",
			Remedy: "the server's administrator would run UPDATE performance_schema.setup_instruments SET ENABLED = 'YES', TIMED = 'YES' WHERE NAME LIKE 'statement/%'; opcost switches nothing on"}
	case disabled != "0":
		s.partly = fmt.Sprintf("%s of %s kinds of statement are not counted (performance_schema.setup_instruments)", disabled, all)
	case untimed != "0":
		s.untimed = fmt.Sprintf("%s of %s kinds of statement are not timed (performance_schema.setup_instruments)", untimed, all)
	}
	if !byThread {
		return nil
	}
	row, err = one(ctx, sql, "SELECT COUNT(*), SUM(INSTRUMENTED = 'NO') FROM performance_schema.threads WHERE TYPE = 'FOREGROUND'", 2)
	if err != nil {
		return denied("read performance_schema.threads", err)
	}
	if n, err := strconv.Atoi(row[1]); err == nil && n > 0 {
		s.partly = fmt.Sprintf("%d of %s connections are not counted (performance_schema.threads.INSTRUMENTED, setup_actors)", n, row[0])
	}
	return nil
}

func one(ctx context.Context, sql collectors.Querier, text string, columns int) ([]string, error) {
	rows, err := sql.Query(ctx, text)
	if err != nil {
		return nil, err
	}
	if len(rows) != 1 || len(rows[0]) != columns {
		return nil, fmt.Errorf("%s gave %d rows, not one of %d columns", text, len(rows), columns)
	}
	return rows[0], nil
}

func off(consumer, lacks string) *collectors.Unsupported {
	return &collectors.Unsupported{What: lacks, Reason: "performance_schema's consumer " + consumer + " is off",
		Remedy: "the server's administrator would run UPDATE performance_schema.setup_consumers SET ENABLED = 'YES' WHERE NAME = '" + consumer +
			"' (each query then costs a little more); opcost switches nothing on"}
}

// denied makes a refused login's error one with a remedy.
func denied(doing string, err error) error {
	if strings.Contains(err.Error(), "denied") {
		return &collectors.Unsupported{What: what, Reason: doing + ": " + err.Error(),
			Remedy: "an administrator would run GRANT SELECT ON performance_schema.* TO the login that opcost uses"}
	}
	return failed(doing, err)
}
