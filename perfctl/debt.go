package perfctl

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"opcost/collectors"
)

// What writes leave for later: pages to be written and row versions to be purged.
type debt struct{ dirty, history int64 }

// small is a debt that does not show: pages that the server itself makes dirty
// at rest, and the undo records that it purges in batches.
func (d debt) small() bool { return d.dirty <= 32 && d.history <= 100 }

func (d debt) String() string {
	return fmt.Sprintf("%d dirty pages, history list of %d", d.dirty, d.history)
}

// patienceWithDebt bounds the time in which a server is to settle. Purging and
// flushing a long write test can take as long as the test did.
const patienceWithDebt = 60 * time.Second

// readDebt asks for it; MySQL has the history among its metrics.
func readDebt(ctx context.Context, sql collectors.Querier) (d debt, err error) {
	rows, err := sql.Query(ctx, "SHOW GLOBAL STATUS WHERE Variable_name IN ('Innodb_buffer_pool_pages_dirty', 'Innodb_history_list_length')")
	if err != nil {
		return d, err
	}
	dirty, ok := named(rows, "Innodb_buffer_pool_pages_dirty")
	if !ok {
		return d, errors.New("the server does not tell its dirty pages (Innodb_buffer_pool_pages_dirty)")
	}
	d.dirty = dirty
	if d.history, ok = named(rows, "Innodb_history_list_length"); ok {
		return d, nil
	}
	rows, err = sql.Query(ctx, "SELECT NAME, COUNT FROM information_schema.INNODB_METRICS WHERE NAME = 'trx_rseg_history_len'")
	if err != nil {
		return d, err
	}
	if d.history, ok = named(rows, "trx_rseg_history_len"); !ok {
		return d, errors.New("the server does not tell the length of its history list")
	}
	return d, nil
}

func named(rows [][]string, name string) (int64, bool) {
	for _, r := range rows {
		if len(r) == 2 && r[0] == name {
			n, err := strconv.ParseInt(r[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// flushing has the server write all its dirty pages: at rest it would keep them
// up to innodb_max_dirty_pages_pct. back puts the settings as they were.
func flushing(ctx context.Context, sql collectors.Querier) (back func(context.Context) error, err error) {
	const pct, low = "innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm" // the second is not there before MySQL 5.6
	rows, err := sql.Query(ctx, "SHOW GLOBAL VARIABLES WHERE Variable_name IN ('"+pct+"', '"+low+"')")
	if err != nil {
		return nil, err
	}
	set := func(ctx context.Context, name, value string) error {
		_, err := sql.Query(ctx, "SET GLOBAL "+name+" = "+value)
		return err
	}
	// The low mark may not be above the other: it goes down first and up last.
	slices.SortFunc(rows, func(a, b []string) int { return len(b[0]) - len(a[0]) })
	for _, r := range rows {
		if err := set(ctx, r[0], "0"); err != nil {
			return nil, err
		}
	}
	return func(ctx context.Context) (err error) {
		for _, r := range slices.Backward(rows) {
			err = errors.Join(err, set(ctx, r[0], r[1]))
		}
		return err
	}, nil
}

// settle waits until a server at rest has paid its debt, or stops paying, or for
// at most the given time. The note says what is left.
func settle(ctx context.Context, sql collectors.Querier, most time.Duration) (left debt, note string, err error) {
	back, err := flushing(ctx, sql)
	if err != nil {
		return debt{}, "", err
	}
	defer func() { err = errors.Join(err, back(context.WithoutCancel(ctx))) }()
	deadline := time.Now().Add(most)
	pause, still := 50*time.Millisecond, 0
	for last := (debt{-1, -1}); ; pause = min(2*pause, time.Second) {
		if left, err = readDebt(ctx, sql); err != nil {
			return left, "", err
		}
		if still++; left != last {
			still = 0
		}
		last = left
		switch {
		case left.small():
			return left, "", nil
		case still >= 5 && left.dirty <= 32: // purge keeps a rest for itself, which no one pays
			return left, "", nil
		case time.Now().After(deadline):
			return left, fmt.Sprintf("not settled within %v: %v are left", most, left), nil
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return left, "", ctx.Err()
		}
	}
}

// settleWrites makes a server ready for reads of a table that was written to,
// as the published benchmarks do it: what the writes left is paid, statistics
// are taken, and the binary log begins anew.
func (r *runner) settleWrites(ctx context.Context, l *live, s Start) error {
	if len(s.Past) == 0 || s.Cells[0].Test.Write {
		return nil
	}
	r.clock.doing("%s: let the writes settle", s.ID(r.plan))
	_, note, err := settle(ctx, l.Control(), patienceWithDebt)
	if err != nil {
		return fmt.Errorf("let the writes settle: %w", err)
	}
	if note != "" {
		l.notes = append(l.notes, "before the reads behind the writes the server had "+note)
	}
	for t := range r.plan.Tables {
		if _, err := l.Control().Query(ctx, fmt.Sprintf("ANALYZE NO_WRITE_TO_BINLOG TABLE %s.sbtest%d", database, t+1)); err != nil {
			return fmt.Errorf("take statistics of table sbtest%d: %w", t+1, err)
		}
	}
	if l.about.Variables["log_bin"] != "ON" && l.about.Variables["log_bin"] != "1" {
		return nil
	}
	sql := "RESET MASTER"
	if id := l.site.Identity; id.Flavor == "mysql" && id.AtLeast(8, 4, 0) {
		sql = "RESET BINARY LOGS AND GTIDS"
	}
	if _, err := l.Control().Query(ctx, sql); err != nil {
		return fmt.Errorf("begin the binary log anew: %s: %w", sql, err)
	}
	return nil
}
