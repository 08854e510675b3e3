package perfscript

import (
	"regexp"
	"strconv"
	"strings"

	"opcost/profiles"
)

var (
	freqOption  = regexp.MustCompile(`(?:^|\s)(?:-F|--freq)[ =]?(\d+)(?:\s|$)`)
	graphOption = regexp.MustCompile(`(?:^|\s)--call-graph[ =]"?(fp|dwarf|lbr)\b`)
	fpOption    = regexp.MustCompile(`(?:^|\s)-[a-zA-Z]*g(?:\s|$)`)
	freqAttr    = regexp.MustCompile(`sample_freq \} = (\d+)`)
)

// comment takes from a line of `perf script --header` how it was recorded: from
// the events' attributes, where perf prints them in full, else from the
// command line.
func comment(a *profiles.About, line string) {
	key, value, ok := strings.Cut(strings.TrimLeft(line, "# "), " : ")
	if !ok {
		return
	}
	switch strings.TrimSpace(key) {
	case "cmdline":
		if m := freqOption.FindStringSubmatch(value); m != nil && a.Hz == 0 {
			a.Hz, _ = strconv.Atoi(m[1]) // digits only; too many of them give 0 or the largest, and are refused below
		}
		if m := graphOption.FindStringSubmatch(value); m != nil && a.CallGraph == "" {
			a.CallGraph = m[1]
		} else if fpOption.MatchString(value) && a.CallGraph == "" {
			a.CallGraph = "fp"
		}
	case "event":
		if m := freqAttr.FindStringSubmatch(value); m != nil && strings.Contains(value, " freq = 1") {
			a.Hz, _ = strconv.Atoi(m[1])
		}
		switch {
		case strings.Contains(value, "sample_stack_user"):
			a.CallGraph = "dwarf"
		case strings.Contains(value, "CALL_STACK"):
			a.CallGraph = "lbr"
		case strings.Contains(value, "CALLCHAIN"):
			a.CallGraph = "fp"
		}
	}
	if a.Hz < 0 || a.Hz > 10_000_000 {
		a.Hz = 0
	}
}
