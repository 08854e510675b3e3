// Package mysqlslap reads what mysqlslap (mariadb-slap) prints, as text and as
// --csv. The words are those of client/mysqlslap.c, MySQL 5.1 and later. It
// knows nothing of records on disk.
package mysqlslap

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"opcost/perfctl/importer/internal/lines"
	"opcost/perfctl/result"
)

// Resolution is the step of the printed seconds.
const Resolution = 0.001

// Block is one benchmark: some clients, each with a number of queries, done
// some times over.
type Block struct {
	Engine     string // "" where not printed
	Iterations int    // 0 where not printed
	// Avg, Min and Max are the seconds that all queries of one iteration took.
	Avg, Min, Max float64
	Clients       int
	// PerClient is queries a client, rounded down by mysqlslap: 0 means that it
	// is not known, since there were fewer queries than clients.
	PerClient int64
}

// Queries of one iteration; false where they are not known.
func (b Block) Queries() (int64, bool) {
	return int64(b.Clients) * b.PerClient, b.PerClient > 0 && b.Clients > 0
}

// Unsure is the share by which the average may be off, since it is printed in
// steps of Resolution. It is above 1 where the average reads 0.
func (b Block) Unsure() float64 {
	if b.Avg <= 0 {
		return 2
	}
	return Resolution / b.Avg
}

// Parse reads text or CSV. A block that is cut off is an error, as is an input
// without any.
func Parse(r io.Reader) ([]Block, []result.Warning, error) {
	var all []string
	err := lines.Each(r, func(_ int, line string) error {
		if len(all) >= maxLines {
			return fmt.Errorf("more than %d lines, as in no output of mysqlslap", maxLines)
		}
		all = append(all, line)
		return nil
	})
	if err != nil {
		return nil, nil, err
	}
	for _, line := range all {
		if strings.TrimSpace(line) == "Benchmark" || strings.Contains(line, "Running for engine") {
			return parseText(all)
		}
	}
	return parseCSV(all)
}

const maxLines = 100_000

// lineNames are the lines of a block, by their beginning.
var lineNames = []string{"Average number of seconds", "Minimum number of seconds", "Maximum number of seconds",
	"Number of clients", "Average number of queries per client"}

func parseText(all []string) ([]Block, []result.Warning, error) {
	var blocks []Block
	var next, now Block
	seen := 0 // of lineNames, in order
	inside := false
	for i, line := range all {
		text := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(text, "Running mysqlslap with "):
			_, _ = fmt.Sscanf(text, "Running mysqlslap with concurrency=%d and iterations=%d", &next.Clients, &next.Iterations)
		case text == "Benchmark":
			if inside {
				return nil, nil, cut(i, seen)
			}
			now, next, seen, inside = next, Block{}, 0, true
		case strings.HasPrefix(text, "Running for engine "):
			now.Engine = strings.TrimPrefix(text, "Running for engine ")
		case inside && text != "" && seen < len(lineNames):
			name, value, _ := strings.Cut(text, ":")
			if !strings.HasPrefix(name, lineNames[seen]) {
				return nil, nil, cut(i, seen)
			}
			if err := now.set(seen, strings.Fields(value)); err != nil {
				return nil, nil, fmt.Errorf("line %d: %w", i+1, err)
			}
			if seen++; seen == len(lineNames) {
				blocks, inside = append(blocks, now), false
			}
		}
	}
	if inside {
		return nil, nil, cut(len(all), seen)
	}
	if len(blocks) == 0 {
		return nil, nil, errors.New("no block of mysqlslap's is whole")
	}
	return blocks, nil, nil
}

func cut(line, seen int) error {
	return fmt.Errorf("line %d: a block of mysqlslap ends before its line %q; is the output cut?", line+1, lineNames[seen])
}

func (b *Block) set(line int, value []string) error {
	if len(value) == 0 {
		return fmt.Errorf("%s: nothing behind it", lineNames[line])
	}
	v, ok := lines.Number(value[0])
	if !ok || v < 0 || v > 1e9 || line == 3 && v > 1e6 {
		return fmt.Errorf("%s: %s is no number", lineNames[line], lines.Short(value[0]))
	}
	switch line {
	case 0:
		b.Avg = v
	case 1:
		b.Min = v
	case 2:
		b.Max = v
	case 3:
		b.Clients = int(v)
	case 4:
		b.PerClient = int64(v)
	}
	return nil
}

// parseCSV reads --csv: engine, kind, average, minimum, maximum, clients,
// queries a client (MySQL manual, mysqlslap).
func parseCSV(all []string) (blocks []Block, ws []result.Warning, err error) {
	var w lines.Warnings
	for i, line := range all {
		if strings.TrimSpace(line) == "" || strings.Contains(line, "[Warning]") {
			continue
		}
		c := csv.NewReader(strings.NewReader(line))
		f, err := c.Read()
		if err != nil || len(f) != 7 {
			w.Add("import_line", "line %d is no row of mysqlslap --csv, which has 7 columns (engine, kind, average, minimum, maximum, clients, queries a client): %s", i+1, lines.Short(line))
			continue
		}
		b := Block{Engine: f[0]}
		bad := false
		for j, value := range f[2:] {
			bad = bad || b.set(j, []string{strings.TrimSpace(value)}) != nil
		}
		if _, err := strconv.Atoi(strings.TrimSpace(f[5])); err != nil || bad {
			w.Add("import_line", "line %d of mysqlslap --csv has a column that is no number: %s", i+1, lines.Short(line))
			continue
		}
		blocks = append(blocks, b)
	}
	if len(blocks) == 0 {
		err = errors.New(`no block "Benchmark" of mysqlslap and no row of its --csv`)
		if ws := w.All(); len(ws) > 0 {
			err = fmt.Errorf("%w: %s", err, ws[0].Text)
		}
		return nil, nil, err
	}
	return blocks, w.All(), nil
}
