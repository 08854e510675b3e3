package workload

import (
	"context"
	"database/sql"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
)

// batchBytes is how long an INSERT of the load gets: below the 1 MiB that
// max_allowed_packet is in MySQL 5.0 to 5.5.
const batchBytes = 512 << 10

// Load makes the database where it is missing, makes the tables and fills
// them, then makes the index on k, then has the server take statistics. The
// rows are a function of d: equal bytes for every version, with explicit ids,
// and with a's charset as the tables' own. A table that exists already is an
// error: nothing is dropped. progress may be nil; it is told rows.
func Load(ctx context.Context, a Access, d Data, progress func(done, total int64)) error {
	if d.Tables < 1 || d.Rows < 1 {
		return fmt.Errorf("load %d tables of %d rows: give 1 or more of each", d.Tables, d.Rows)
	}
	if err := createDatabase(ctx, a); err != nil {
		return err
	}
	db, err := pool(a)
	if err != nil {
		return err
	}
	defer db.Close()
	if progress == nil {
		progress = func(int64, int64) {}
	}
	total := int64(d.Tables) * d.Rows
	for t := 1; t <= d.Tables; t++ {
		before := int64(t-1) * d.Rows
		if err := loadTable(ctx, db, a, d, t, func(rows int64) { progress(before+rows, total) }); err != nil {
			return fmt.Errorf("load table sbtest%d: %w", t, err)
		}
	}
	return nil
}

func createDatabase(ctx context.Context, a Access) error {
	name := a.Database
	if name == "" || strings.ContainsAny(name, "`\x00") {
		return fmt.Errorf("load into database %q: give a name without backquotes", name)
	}
	a.Database = ""
	db, err := pool(a)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := db.ExecContext(ctx, "CREATE DATABASE IF NOT EXISTS `"+name+"`"); err != nil {
		return fmt.Errorf("make database %s: %w", name, err)
	}
	return nil
}

// pool is for statements whose cost does not matter: one connection at a time.
func pool(a Access) (*sql.DB, error) {
	connector, err := a.connector(nil)
	if err != nil {
		return nil, err
	}
	db := sql.OpenDB(connector)
	db.SetMaxOpenConns(1)
	return db, nil
}

func createTable(t int, charset string) string {
	return fmt.Sprintf("CREATE TABLE sbtest%d ("+
		"id INT NOT NULL AUTO_INCREMENT PRIMARY KEY, "+
		"k INT NOT NULL DEFAULT 0, "+
		"c CHAR(120) NOT NULL DEFAULT '', "+
		"pad CHAR(60) NOT NULL DEFAULT '') "+
		"ENGINE=InnoDB DEFAULT CHARSET=%s COLLATE=%s", t, charset, collations[charset])
}

func loadTable(ctx context.Context, db *sql.DB, a Access, d Data, t int, progress func(int64)) error {
	if _, err := db.ExecContext(ctx, createTable(t, a.Charset)); err != nil {
		return fmt.Errorf("%w (an earlier load? use an empty database)", err)
	}
	r := newRows(d, t)
	for r.id < d.Rows {
		if _, err := db.ExecContext(ctx, string(r.insert(t))); err != nil {
			return fmt.Errorf("rows up to %d: %w", r.id, err)
		}
		progress(r.id)
	}
	for _, sql := range []string{
		fmt.Sprintf("CREATE INDEX k_%d ON sbtest%d (k)", t, t),
		fmt.Sprintf("ANALYZE TABLE sbtest%d", t),
	} {
		if _, err := db.ExecContext(ctx, sql); err != nil {
			return fmt.Errorf("%s: %w", sql, err)
		}
	}
	return nil
}

// rows are a table's rows, one after another.
type rows struct {
	data   Data
	rng    *rand.Rand
	id     int64 // of the row given last
	c, pad []byte
	line   []byte
}

func newRows(d Data, table int) *rows {
	return &rows{data: d, rng: rand.New(rand.NewPCG(seed("load", d.Seed, uint64(table)))),
		c: make([]byte, cWidth), pad: make([]byte, padWidth)}
}

// insert is the statement for the next rows. It is good until the next call.
func (r *rows) insert(table int) []byte {
	b := fmt.Appendf(r.line[:0], "INSERT INTO sbtest%d (id, k, c, pad) VALUES", table)
	for sep := byte(' '); r.id < r.data.Rows && len(b) < batchBytes; sep = ',' {
		r.id++
		digits(r.rng, r.c)
		digits(r.rng, r.pad)
		b = append(b, sep, '(')
		b = strconv.AppendInt(b, r.id, 10)
		b = append(b, ',')
		b = strconv.AppendInt(b, 1+r.rng.Int64N(r.data.Rows), 10)
		b = append(b, ",'"...)
		b = append(b, r.c...)
		b = append(b, "','"...)
		b = append(b, r.pad...)
		b = append(b, "')"...)
	}
	r.line = b
	return b
}
