package smalldatum

import (
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"

	"opcost/perfctl/importer/internal/lines"
	"opcost/perfctl/result"
)

// Parse reads a file of any kind. A line that is not understood is a warning; a
// file without a number of a known kind is an error, and so is a row with more
// or fewer numbers than its heading has names.
func Parse(r io.Reader) (File, []result.Warning, error) {
	var p parser
	err := lines.Each(r, func(n int, line string) error {
		if strings.TrimSpace(line) == "" {
			p.columns = nil
			return nil
		}
		return p.line(n, line)
	})
	switch {
	case err != nil:
		return File{}, nil, err
	case len(p.Cells) == 0:
		err = errors.New("no table of Small Datum's in it (a heading `col-1 : NAME`, or blocks that begin with `sb.met.` or `sb.r.qps.`)")
		if p.other > 0 {
			err = fmt.Errorf("%w: %s", err, p.first)
		}
		return File{}, nil, err
	}
	if p.other > 0 {
		p.warnings.Add("import_line", "%s (lines like it: %d)", p.first, p.other)
	}
	return p.File, p.warnings.All(), nil
}

type parser struct {
	File
	names    []string // of "col-N : name"
	test     string   // of the block
	columns  []string // of the lines that follow
	relative bool     // within a block of PerOp
	series   int      // of servers, in Insert
	other    int      // lines that are of no table, as a post's words
	first    string
	warnings lines.Warnings
	host     string // of the table, in own ones
	clients  int
}

var (
	columnName = regexp.MustCompile(`^col-(\d+) : (.+?)\s*$`)
	relativeTo = regexp.MustCompile(`^Relative to: (.+?)\s*$`)
	tableRow   = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9.-]*)_range=\d+$`)
	blockName  = regexp.MustCompile(`^sb\.[a-z]+(?:\.[a-z]+)?\.[A-Za-z0-9.-]+$`)
	insertStep = regexp.MustCompile(`^(?:l\.(?:i\d|x)|q\d+\.\d)$`)
	// A counter and its values, or its ratios and the counter.
	counterLine = regexp.MustCompile(`^([A-Za-z][A-Za-z0-9]*(?:-[a-zA-Z]+)*)((?: (?:-?[\d.]+|inf|INF))+)$`)
	ratioLine   = regexp.MustCompile(`^((?:(?:[\d.]+|INF)\t)+)([A-Za-z][A-Za-z0-9]*(?:-[a-zA-Z]+)*)$`)
	baseNames   = regexp.MustCompile(`^base1 (\S+) and base2 (\S+)$`)
)

func (p *parser) line(n int, line string) error {
	f := strings.Fields(line)
	first, last := f[0], f[len(f)-1]
	switch {
	case measuredOn.MatchString(line):
		return p.measured(measuredOn.FindStringSubmatch(line))
	case ratiosOf.MatchString(line):
		return fmt.Errorf("its ratios are of %s: only those of QPS can be imported, as they are published; opcost report takes the results that these are of", lines.Short(ratiosOf.FindStringSubmatch(line)[1]))
	case p.isOwn(line):
		return p.own(n, line)
	case columnName.MatchString(line):
		return p.column(columnName.FindStringSubmatch(line))
	case relativeTo.MatchString(line):
		return p.relativeTo(relativeTo.FindStringSubmatch(line)[1])
	case first == "col-1" && len(f) > 1 && f[1] == "col-2" || line == "col-1":
		// The order of the columns, which the headings gave; then perhaps a title.
	case len(f) == 1 && blockName.MatchString(line):
		p.test, p.relative = line, false
	case baseNames.MatchString(line):
		if m := baseNames.FindStringSubmatch(line); m[1] != p.test {
			return fmt.Errorf("a block of %s compares with %s", p.test, m[1])
		}
	case strings.HasPrefix(line, "--- absolute"):
		p.relative = false
	case strings.HasPrefix(line, "--- relative"):
		p.relative = true
	case slices.Contains(f, "dbms") && last == "dbms":
		p.columns = f[:len(f)-1]
		return nil
	case first == "samp" && len(f) > 1:
		p.columns = f
		p.Kind = OneTest
		return nil
	case strings.HasPrefix(line, "iostat, vmstat normalized"):
	case last == "tag" && len(f) > 2:
		p.columns, p.Kind = f[:len(f)-1], Insert
		return nil
	case p.Kind == Insert && line == "-":
		p.series++
	case p.Kind == Insert && p.columns != nil:
		return p.cells(n, p.test, last, p.columns, f[:len(f)-1])
	case len(f) == 1 && insertStep.MatchString(line):
		p.test = line
	case counterLine.MatchString(line) && (p.Kind == Counters || first == firstCounter):
		m := counterLine.FindStringSubmatch(line)
		return p.counter(n, m[1], strings.Fields(m[2]), false)
	case ratioLine.MatchString(line) && (p.Kind == Counters || last == firstCounter):
		m := ratioLine.FindStringSubmatch(line)
		return p.counter(n, m[2], strings.Fields(m[1]), true)
	case tableRow.MatchString(last) && !strings.Contains(line, ","):
		return p.row(n, last, f[:len(f)-1], p.kindOfTable(), p.names)
	case strings.Count(line, ",") > 0 && tableRow.MatchString(strings.SplitN(line, ",", 2)[0]):
		fields := strings.Split(line, ",")
		return p.row(n, fields[0], fields[1:], p.kindOfCSV(fields), nil)
	case p.Kind == OneTest && p.columns != nil:
		return p.cells(n, "", "", p.columns, f)
	case p.test != "" && p.columns != nil:
		p.Kind = PerOp
		return p.cells(n, p.test, last, p.columns, f[:len(f)-1])
	case p.test != "":
		return p.byClients(n, last, f[:len(f)-1])
	default:
		if p.other++; p.other == 1 {
			p.first = fmt.Sprintf("line %d is no row of a known table: %s", n, lines.Short(line))
		}
	}
	return nil
}

func (p *parser) column(m []string) error {
	if want := fmt.Sprint(len(p.names) + 1); m[1] != want {
		return fmt.Errorf("col-%s where col-%s was expected", m[1], want)
	}
	if slices.Contains(p.names, m[2]) {
		return fmt.Errorf("two columns are named %s", lines.Short(m[2]))
	}
	p.names = append(p.names, m[2])
	p.served(m[2])
	return nil
}

func (p *parser) kindOfTable() Kind {
	if p.Base != "" {
		return QPSRelative
	}
	return QPS
}

// kindOfCSV: the csv has no heading; ratios are printed with two decimals, and
// QPS whole.
func (p *parser) kindOfCSV(fields []string) Kind {
	if p.Kind == "" && strings.Contains(strings.Join(fields[1:], ""), ".") {
		return QPSRelative
	}
	if p.Kind == "" {
		return QPS
	}
	return p.Kind
}

// row is one of a table by server; names is nil where they are not known.
func (p *parser) row(n int, test string, values []string, kind Kind, names []string) error {
	if names != nil && len(values) != len(names) {
		return fmt.Errorf("%s has %d numbers, and the heading %d names", test, len(values), len(names))
	}
	if names == nil && len(p.Cells) > 0 {
		if had := p.Cells[len(p.Cells)-1].Column + 1; had != len(values) {
			return fmt.Errorf("%s has %d numbers, and the row before it %d", test, len(values), had)
		}
	}
	p.Kind = kind
	for i, s := range values {
		c := Cell{Test: test, Column: i, Metric: "qps", Relative: kind == QPSRelative, Line: n}
		if names != nil {
			c.Server = names[i]
		}
		if err := p.add(c, s); err != nil {
			return err
		}
	}
	return nil
}

// cells are the columns of one server.
func (p *parser) cells(n int, test, server string, columns, values []string) error {
	if len(values) != len(columns) {
		return fmt.Errorf("%d numbers below %d headings", len(values), len(columns))
	}
	p.served(server)
	for i, s := range values {
		if err := p.add(Cell{Test: test, Server: server, Column: p.series, Metric: columns[i], Relative: p.relative, Line: n}, s); err != nil {
			return err
		}
	}
	return nil
}

// counter is a line of joined counters of perf.
func (p *parser) counter(n int, name string, values []string, relative bool) error {
	p.Kind = Counters
	for i, s := range values {
		if err := p.add(Cell{Column: i, Metric: name, Relative: relative, Line: n}, s); err != nil {
			return err
		}
	}
	return nil
}

// byClients is a line of o.qps.*: a number for each number of clients.
func (p *parser) byClients(n int, server string, values []string) error {
	if len(values) == 0 {
		p.warnings.Add("import_line", "line %d is no row of QPS by number of clients: %s", n, lines.Short(server))
		return nil
	}
	if p.Kind == "" {
		p.Kind = QPS
		if strings.Contains(strings.Join(values, ""), ".") {
			p.Kind = QPSRelative
		}
	}
	p.served(server)
	for i, s := range values {
		if err := p.add(Cell{Test: p.test, Server: server, Column: i, Metric: "qps", Relative: p.Kind == QPSRelative, Line: n}, s); err != nil {
			return err
		}
	}
	return nil
}

func (p *parser) served(server string) {
	if server != "" && !slices.Contains(p.Servers, server) {
		p.Servers = append(p.Servers, server)
	}
}

// firstCounter is by what lists of counters are known: they are sorted by name.
const firstCounter = "alignment-faults"

const maxCells = 1_000_000

func (p *parser) add(c Cell, text string) error {
	v, ok := parseNumber(text)
	if !ok {
		return fmt.Errorf("%s of %s is no number: %s", c.Metric, c.Test, lines.Short(text))
	}
	if len(p.Cells) >= maxCells {
		return fmt.Errorf("more than %d numbers", maxCells)
	}
	c.Text, c.Value = text, v
	p.Cells = append(p.Cells, c)
	return nil
}
