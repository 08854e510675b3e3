package importer

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"opcost/collectors/perfstat"
	"opcost/perfctl/importer/iostat"
	"opcost/perfctl/importer/mysqlslap"
	"opcost/perfctl/importer/smalldatum"
	"opcost/perfctl/importer/sysbench"
	"opcost/perfctl/importer/vmstat"
	"opcost/perfctl/result"
)

// batch is everything that one import reads.
type batch struct {
	options  Options
	pieces   []piece
	tables   []table
	order    []string            // servers, as the tables show them
	hosts    map[string][]string // by folder: the machines that headings name
	seen     map[string][]column // for twin
	bases    []string            // of the tables whose ratios are kept
	others   []difference
	kept     map[*result.Run][]evidence
	warnings []result.Warning
}

// table is a file of Small Datum's, kept until all are read: they complete and
// check each other.
type table struct {
	from *source
	file smalldatum.File
	text []string
	// widths are how many numbers each line holds.
	widths map[int]int
}

func (b *batch) warn(code, format string, args ...any) {
	b.warnings = append(b.warnings, result.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

// read adds what a file says.
func (b *batch) read(s *source) {
	text, err := s.text()
	if err != nil {
		b.warn(CodeFailed, "%s cannot be read: %v", s.path, err)
		return
	}
	k := detect(text)
	ws, err := b.parse(s, k, text)
	for _, w := range ws {
		if err == nil { // else the error says the first of them
			b.warn(w.Code, "%s: %s", s.path, w.Text)
		}
	}
	switch {
	case err != nil && k != unknownKind && k != binaryKind:
		b.warn(CodeFailed, "%s (%s): %v", s.path, k, err)
	case err != nil:
		b.warn(CodeSkipped, "%s is left out: %v", s.path, err)
	}
}

func (b *batch) parse(s *source, k kind, text []byte) ([]result.Warning, error) {
	r := bytes.NewReader(text)
	at := piece{from: s, facts: factsOf(*s)}
	switch k {
	case binaryKind:
		return nil, fmt.Errorf("it is no text; what can be imported: %s", known)
	case perfText:
		sections, ws, err := perfstat.ParseText(r)
		for _, sec := range sections {
			b.perf(at, sec)
		}
		return ws, err
	case perfCSV, perfJSON:
		parse := perfstat.ParseJSON
		if k == perfCSV {
			parse = parseCSV
		}
		counts, ws, err := parse(r)
		if err == nil {
			b.perf(at, perfstat.Section{Counts: counts})
		}
		return ws, err
	case sysbenchOut:
		outputs, ws, err := sysbench.Parse(r)
		for _, o := range outputs {
			b.sysbench(at, o)
		}
		return ws, err
	case slapOut:
		blocks, ws, err := mysqlslap.Parse(r)
		for _, block := range blocks {
			b.mysqlslap(at, block)
		}
		return ws, err
	case vmstatOut:
		o, ws, err := vmstat.Parse(r)
		if err == nil {
			err = b.vmstat(at, o)
		}
		return ws, err
	case iostatOut:
		o, ws, err := iostat.Parse(r)
		if err == nil {
			err = b.iostat(at, o)
		}
		return ws, err
	case tables:
		f, ws, err := smalldatum.Parse(r)
		if err == nil {
			err = b.keep(s, f, text)
		}
		return ws, err
	}
	return nil, fmt.Errorf("it is of no kind that can be imported (%s)", known)
}

// keep takes a table that can become runs.
func (b *batch) keep(s *source, f smalldatum.File, text []byte) error {
	switch f.Kind {
	case smalldatum.Insert:
		return fmt.Errorf("a table of the insert benchmark, which is not imported: its steps are no queries of a microbenchmark")
	case smalldatum.Counters:
		return fmt.Errorf("counters of one backend over a window that the file does not name, so there is nothing to divide them by; import the outputs of perf stat")
	}
	widths := map[int]int{}
	for _, c := range f.Cells {
		widths[c.Line]++
	}
	b.tables = append(b.tables, table{s, f, strings.Split(string(text), "\n"), widths})
	return nil
}

// add takes a piece; its names are completed later.
func (b *batch) add(p piece) {
	b.pieces = append(b.pieces, p)
}

// machine notes which machine a heading names.
func (b *batch) machine(s *source, name string) {
	if b.hosts == nil {
		b.hosts = map[string][]string{}
	}
	if name != "" && !slices.Contains(b.hosts[s.set], name) {
		b.hosts[s.set] = append(b.hosts[s.set], name)
	}
}
