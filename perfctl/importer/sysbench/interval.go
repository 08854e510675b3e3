package sysbench

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"opcost/perfctl/importer/internal/lines"
)

var (
	// intervalLine is one of --report-interval since 1.0; "reads:" and so on in 0.5.
	intervalLine = regexp.MustCompile(`^\[\s*(\d+)s\s*\]\s*(?:thds|threads):\s*(\d+),?\s+(.*)$`)
	intervalPart = regexp.MustCompile(`([a-z/]+)(?: \(([^)]*)\))?:?\s+(-?[\d.]+)(ms)?`)
	queriesSplit = regexp.MustCompile(`\(r/w/o:\s*([\d.]+)/([\d.]+)/([\d.]+)\)`)
	histogramRow = regexp.MustCompile(`^([\d.]+) \|[ *]*\s(\d+)$`)
	password     = regexp.MustCompile(`(?i)(--?[a-z-]*(?:password|passwd|pwd)(?:=|\s+))\S+|(\bmysql\S*\s(?:.*\s)?-p)\S+`)
)

// interval reads a line of --report-interval; bad is one that begins so and
// goes on otherwise.
func interval(line string) (r Report, ok, bad bool) {
	m := intervalLine.FindStringSubmatch(line)
	if m == nil {
		return r, false, false
	}
	at, err1 := strconv.ParseInt(m[1], 10, 32)
	threads, err2 := strconv.Atoi(m[2])
	if err1 != nil || err2 != nil {
		return r, false, true
	}
	r.At, r.Threads = time.Duration(at)*time.Second, threads
	rest := m[3]
	split := false
	if q := queriesSplit.FindStringSubmatch(rest); q != nil {
		v, isNumbers := lines.Numbers(q[1:])
		if !isNumbers {
			return r, false, true
		}
		r.Read, r.Write, r.Other = v[0], v[1], v[2]
		rest, split = strings.Replace(rest, q[0], "", 1), true
	}
	found := false
	for _, part := range intervalPart.FindAllStringSubmatch(rest, -1) {
		v, isNumber := lines.Number(part[3])
		if !isNumber {
			return r, false, true
		}
		switch part[1] {
		case "tps":
			r.TPS, found = v, true
		case "qps", "eps":
			r.QPS, found = v, true
		case "reads":
			r.Read = v
		case "writes":
			r.Write = v
		case "lat", "response", "time", "response time":
			r.Percentile = v
		case "err/s", "errors":
			r.ErrorsPerSecond = v
		case "reconn/s", "reconnects":
			r.Reconnects = v
		}
	}
	if !split && r.QPS == 0 {
		r.QPS = r.Read + r.Write // 0.5 prints no sum, and no others
	}
	return r, found, !found
}

func bin(line string) (ms float64, count int64, ok bool) {
	m := histogramRow.FindStringSubmatch(line)
	if m == nil {
		return 0, 0, false
	}
	ms, ok = lines.Number(m[1])
	count, err := strconv.ParseInt(m[2], 10, 64)
	return ms, count, ok && err == nil
}

// WithoutSecrets takes passwords out of a line of text, as of a command that a
// script has printed.
func WithoutSecrets(command string) string {
	return password.ReplaceAllString(command, "${1}${2}***")
}
