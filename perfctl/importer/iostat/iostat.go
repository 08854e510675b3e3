// Package iostat reads what iostat of sysstat prints, versions 9 to 12, as text
// in its many layouts and as JSON: columns are found by their names. It knows
// nothing of records on disk.
package iostat

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"

	"opcost/perfctl/importer/internal/lines"
	"opcost/perfctl/result"
)

// Output is what one output of iostat says.
type Output struct {
	Kernel, Host, Date string // from the heading
	CPUs               int    // 0 where the heading lacks it
	// Reports in order. The first is since the machine was booted, and says
	// nothing of the interval. (-y leaves it out; nothing tells the two apart.)
	Reports []Report
}

// Report is one interval.
type Report struct {
	Time    string
	CPU     map[string]float64 // user nice system iowait steal idle, in percent of all CPUs; nil where not printed, or bogus
	Devices []Device
}

// Device is one device in one report.
type Device struct {
	Name   string
	Values map[string]float64 // by column as printed: r/s, rkB/s, await, ...
}

// KB gives a rate in kB a second by what it is of (read, write), whatever unit
// the columns have; false where they lack it.
func (d Device) KB(read bool) (float64, bool) {
	columns := []string{"wkB/s", "kB_wrtn/s", "wMB/s", "MB_wrtn/s", "wsec/s", "Blk_wrtn/s"}
	if read {
		columns = []string{"rkB/s", "kB_read/s", "rMB/s", "MB_read/s", "rsec/s", "Blk_read/s"}
	}
	factors := []float64{1, 1, 1024, 1024, 0.5, 0.5} // a sector has 512 bytes
	for i, c := range columns {
		if v, ok := d.Values[c]; ok {
			return v * factors[i], true
		}
	}
	return 0, false
}

// Requests gives reads or writes a second; false where only their sum is
// printed (tps).
func (d Device) Requests(read bool) (float64, bool) {
	column := "w/s"
	if read {
		column = "r/s"
	}
	v, ok := d.Values[column]
	return v, ok
}

const maxReports = 100_000 // a day at a report a second

// Parse reads iostat's reports, as text or JSON.
func Parse(r io.Reader) (Output, []result.Warning, error) {
	b := bufio.NewReader(r)
	head, _ := b.Peek(64) // short where the input is
	if bytes.HasPrefix(bytes.TrimSpace(head), []byte("{")) {
		return parseJSON(b)
	}
	p := parser{seen: map[string]bool{}, at: map[string]int{}}
	if err := lines.Each(b, p.line); err != nil {
		return Output{}, nil, err
	}
	p.close()
	if len(p.Reports) == 0 {
		return Output{}, nil, errors.New("no report of iostat (avg-cpu or a table of devices)")
	}
	return p.Output, p.warnings.All(), nil
}

type parser struct {
	Output
	now      Report
	any      bool            // now holds something
	seen     map[string]bool // headings of device tables in now
	at       map[string]int  // where a device is in now
	columns  []string        // of the table we are in
	atEnd    bool            // the device's name is the last column (--pretty)
	cpu      []string        // columns of the CPU line that follows
	warnings lines.Warnings
}

func (p *parser) close() {
	if p.any {
		p.Reports = append(p.Reports, p.now)
	}
	p.now, p.any, p.columns, p.cpu = Report{}, false, nil, nil
	p.seen, p.at = map[string]bool{}, map[string]int{}
}

var (
	headingLine = regexp.MustCompile(`^Linux (\S+) \(([^)]*)\)\s+(\S+)\s+\S+\s*(?:\((\d+) CPU\))?`)
	// timeLine is a report's time, in a locale's form or ISO 8601.
	timeLine = regexp.MustCompile(`^(?:Time: )?(\d[\d/.-]*[ T])?\d{1,2}:\d{2}:\d{2}( ?[AP]M)?([+-]\d{2}:?\d{2})?$`)
)

func (p *parser) line(n int, line string) error {
	text := strings.TrimSpace(line)
	f := strings.Fields(text)
	if len(f) == 0 {
		p.columns = nil
		return nil
	}
	if m := headingLine.FindStringSubmatch(text); m != nil {
		p.Kernel, p.Host, p.Date = m[1], m[2], m[3]
		p.CPUs, _ = strconv.Atoi(m[4])
		return nil
	}
	if len(p.Reports) >= maxReports {
		return errors.New("more reports than a day of seconds has")
	}
	switch first, last := strings.TrimSuffix(f[0], ":"), f[len(f)-1]; {
	case timeLine.MatchString(text):
		p.close()
		p.now.Time = text
	case first == "avg-cpu":
		if p.any {
			p.close()
		}
		p.cpu = f[1:]
	case p.cpu != nil:
		p.cpuRow(n, f)
	case first == "Device" || last == "Device":
		p.table(text, f, last == "Device" && first != "Device")
	case p.columns != nil:
		p.device(n, line, f)
	case p.any:
		p.warnings.Add("import_line", "line %d is no row of iostat: %s", n, lines.Short(text))
	}
	return nil
}

func (p *parser) cpuRow(n int, f []string) {
	names := p.cpu
	p.cpu, p.any = nil, true
	if len(f) != len(names) {
		p.warnings.Add("import_line", "line %d has %d CPU columns below %d headings", n, len(f), len(names))
		return
	}
	cpu, sum := map[string]float64{}, 0.0
	for i, s := range f {
		v, ok := lines.Number(strings.TrimSuffix(s, "%"))
		if !ok || v < 0 {
			p.warnings.Add("import_line", "line %d has a CPU share that is no number: %s", n, lines.Short(s))
			return
		}
		cpu[strings.TrimPrefix(names[i], "%")] = v
		sum += v
	}
	if math.Abs(sum-100) > 1 {
		p.warnings.Add("import_sample", "line %d: CPU shares that add up to %.2f are left out", n, sum)
		return
	}
	p.now.CPU = cpu
}

// table begins a table of devices. One with a heading that the report had
// already is of the next report.
func (p *parser) table(text string, f []string, atEnd bool) {
	if p.seen[text] {
		p.close()
	}
	p.seen[text] = true
	p.columns, p.atEnd, p.any = f[1:], atEnd, true
	if atEnd {
		p.columns = f[:len(f)-1]
	}
}

func (p *parser) device(n int, line string, f []string) {
	name, values := f[0], f[1:]
	if p.atEnd {
		name, values = f[len(f)-1], f[:len(f)-1]
	}
	if len(values) != len(p.columns) {
		p.warnings.Add("import_line", "line %d has %d columns below %d headings: %s", n, len(values), len(p.columns), lines.Short(line))
		return
	}
	at, there := p.at[name]
	if !there {
		at = len(p.now.Devices)
		p.at[name] = at
		p.now.Devices = append(p.now.Devices, Device{name, map[string]float64{}})
	}
	for i, s := range values {
		v, ok := scaled(s, p.columns[i])
		if !ok {
			p.warnings.Add("import_line", "line %d: %s of %s is no number: %s", n, p.columns[i], name, lines.Short(s))
			continue
		}
		p.now.Devices[at].Values[p.columns[i]] = v
	}
}

// scaled reads a number of --human: 222.1k in a column of kB is 222.1 kB, 1.5G
// is 1.5 x 1024 x 1024 kB. Other columns have a percent sign at most.
func scaled(s, column string) (float64, bool) {
	if s = strings.TrimSuffix(s, "%"); s == "" {
		return 0, false
	}
	unit := strings.IndexByte("BkMGTP", s[len(s)-1])
	if unit < 0 {
		v, ok := lines.Number(s)
		return v, ok && v >= 0
	}
	v, ok := lines.Number(s[:len(s)-1])
	in := 1 // kB
	if strings.Contains(column, "MB") {
		in = 2
	}
	return v * math.Pow(1024, float64(unit-in)), ok && v >= 0
}
