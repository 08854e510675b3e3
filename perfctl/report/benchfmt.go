package report

import (
	"bufio"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"
	"unicode"

	"golang.org/x/perf/benchfmt"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// WriteBench writes a line for each server start, as they come, in the Go
// benchmark format, for `benchstat -col version`:
// https://go.dev/design/14313-benchmark-format. What else tells starts apart and
// is no part of the name (host, group, driver, protocol) are configuration keys,
// which benchstat makes tables of. Which values of a unit are better stands before
// the first line that has one.
func WriteBench(w io.Writer, starts iter.Seq[compare.StartValues]) error {
	buffered := bufio.NewWriterSize(w, 1<<16)
	out := benchfmt.NewWriter(buffered)
	us := units{}
	known, seen := map[string]bool{}, map[string]bool{}
	for s := range starts {
		clear(seen)
		r := &benchfmt.Result{Name: benchfmt.Name(benchName(s)), Iters: int(min(max(s.Operations, 1), math.MaxInt))}
		for _, c := range [][2]string{{"version", s.Version}, {"host", s.Host}, {"group", s.Group}, {"driver", s.Driver}, {"protocol", s.Protocol}} {
			if value := strings.TrimSpace(plain(c[1])); value != "" {
				r.Config = append(r.Config, benchfmt.Config{Key: c[0], Value: []byte(value), File: true})
			}
		}
		for _, v := range s.Values {
			unit := us.of(v)
			if seen[unit] {
				continue // instructions of user space alone, under their other name
			}
			seen[unit] = true
			value := v.Value
			if isTime(v) {
				value *= 1000
			}
			r.Values = append(r.Values, benchfmt.Value{Value: value, Unit: unit})
			if known[unit] || v.Sense == compare.Neither {
				continue
			}
			known[unit] = true
			better := "lower"
			if v.Sense == compare.Gain {
				better = "higher"
			}
			if err := out.Write(&benchfmt.UnitMetadata{UnitMetadataKey: benchfmt.UnitMetadataKey{Unit: unit, Key: "better"}, OrigUnit: unit, Value: better}); err != nil {
				return err
			}
		}
		if err := out.Write(r); err != nil {
			return err
		}
	}
	return buffered.Flush()
}

// units remembers those of metrics, of which there are far fewer than values.
type units map[compare.StartValue]string

func (us units) of(v compare.StartValue) string {
	v.Value, v.Sense = 0, 0
	unit, ok := us[v]
	if !ok {
		unit = benchUnit(v)
		us[v] = unit
	}
	return unit
}

// benchName is PointQuery/clients=1, or RandomPoints/range=1000/clients=4.
func benchName(s compare.StartValues) string {
	test, size, ranged := strings.Cut(s.Workload, "_range=")
	var b strings.Builder
	upper := true
	for _, r := range test {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			upper = true // the words of a name are written together
			continue
		case upper:
			r = unicode.ToUpper(r)
		}
		upper = false
		b.WriteRune(r)
	}
	name := b.String()
	if name == "" || !unicode.IsUpper([]rune(name)[0]) {
		name = "Workload" + name
	}
	if ranged {
		name += "/range=" + nameValue(size)
	}
	if s.Clients > 0 {
		name += fmt.Sprintf("/clients=%d", s.Clients)
	}
	return name
}

// nameValue makes text a value within a benchmark's name.
func nameValue(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '/' || r == '-' {
			return '_'
		}
		return r
	}, s)
}

// isTime tells the times that are written in ns, which benchstat shows in its
// best unit.
func isTime(v compare.StartValue) bool {
	return v.Unit == "us" && (strings.HasPrefix(v.Metric, "response_us") || v.Metric == "server_latency_us")
}

// benchUnit is a metric's unit: instructions/query, cpu-us/query, response-ns,
// response-p95-ns, queries/s. Counts under valgrind, and of one side of the
// system call boundary, are units of their own, as they are never compared with
// others.
func benchUnit(v compare.StartValue) string {
	name, per := strings.CutSuffix(v.Metric, "_per_query")
	if isTime(v) {
		if rest, ok := strings.CutPrefix(name, "response_us"); ok {
			name = "response" + rest + "_ns"
		} else {
			name = strings.TrimSuffix(name, "_us") + "_ns"
		}
	}
	if v.Metric == "qps" {
		name = perText(v.Unit, "queries", "transactions", "rows") + "/s"
	}
	if v.Scope != "" && v.Scope != result.UserKernel && !strings.Contains(name, "_"+string(v.Scope)) {
		name += "_" + string(v.Scope)
	}
	if v.Source == result.SourceCallgrind {
		name = "callgrind_" + name
	}
	if per {
		name += "/" + perText(v.Per, "query", "trx", "row")
	}
	return nameUnit(strings.ReplaceAll(name, "_", "-"))
}

func perText(per, statement, transaction, row string) string {
	switch per {
	case "", "statement":
		return statement
	case "transaction":
		return transaction
	case "row":
		return row
	}
	return per
}

func nameUnit(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || !unicode.IsPrint(r) {
			return '_'
		}
		return r
	}, s)
}
