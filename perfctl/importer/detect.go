package importer

import (
	"bytes"
	"regexp"
)

// kind of a file, by what it holds.
type kind string

const (
	unknownKind kind = ""
	binaryKind  kind = "binary"
	perfText    kind = "perf stat"
	perfCSV     kind = "perf stat -x"
	perfJSON    kind = "perf stat -j"
	sysbenchOut kind = "sysbench"
	slapOut     kind = "mysqlslap"
	vmstatOut   kind = "vmstat"
	iostatOut   kind = "iostat"
	tables      kind = "Small Datum's tables"
)

const known = "Small Datum's tables (qps.abs.*, qps.rel.*, o.met*), sysbench, mysqlslap, perf stat, vmstat, iostat"

// marks are what files of a kind hold and others do not, the surest first.
var marks = []struct {
	kind kind
	mark *regexp.Regexp
}{
	{perfJSON, regexp.MustCompile(`(?m)^\{.*"(?:counter-value|metric-value)"`)},
	{iostatOut, regexp.MustCompile(`^\s*\{\s*"sysstat"`)},
	{perfText, regexp.MustCompile(`(?m)^\s*Performance counter stats for |^#\s+time\s.*\bcounts\b`)},
	{tables, regexp.MustCompile(`(?m)^col-1 : |^sb\.(?:met|r\.qps|prepare\.\w+)\.[A-Za-z0-9.-]+\r?$|^[a-z][a-z0-9.-]*_range=\d+,|^iostat, vmstat normalized|^alignment-faults |^(?:[\d.]+|INF)(?:\t.*)?\talignment-faults$|^ips\tqps\t.*\ttag$`)},
	{slapOut, regexp.MustCompile(`(?m)^Running mysqlslap |^\s*Average number of seconds to run all queries|^[^,\n]*,[a-z]+,\d+\.\d+,\d+\.\d+,\d+\.\d+,\d+,\d+\s*$`)},
	{sysbenchOut, regexp.MustCompile(`(?m)^sysbench \d.*(?:using|multi-threaded)|^FATAL: |^\s*SQL statistics:|^\[\s*\d+s\s*\] (?:thds|threads):`)},
	{vmstatOut, regexp.MustCompile(`(?m)(?:^|\s)r +b +swpd +free|^disk- -+reads`)},
	{iostatOut, regexp.MustCompile(`(?m)^avg-cpu: +%user|^Device:? .*/s|^ .*/s .*Device$`)},
	{perfCSV, regexp.MustCompile(`(?m)^ *(?:<not \w+>|[\d.]+|CPU\d+|S\d+[\w-]*|summary) ?[,;|'\t][^\n"]*(?:cycles|instructions|task-clock|cpu-clock|context-switches|duration_time|branches|branch-misses|OFFCORE|faults|[,;|']\d{5,}[,;|']\d{1,3}[.,]\d\d?[,;|'\n])|^time,.*insn per cycle`)},
}

// detect looks at the beginning of a text.
func detect(text []byte) kind {
	head := text[:min(len(text), 64<<10)]
	if bytes.IndexByte(head, 0) >= 0 {
		return binaryKind
	}
	for _, m := range marks {
		if m.mark.Match(head) {
			return m.kind
		}
	}
	return unknownKind
}
