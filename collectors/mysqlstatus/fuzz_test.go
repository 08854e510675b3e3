package mysqlstatus

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"opcost/perfctl/result"
	"opcost/testbed/linear"
)

// samplesOf makes two samples of lines "name, begin, end": as a server's rows,
// and what a window makes of them.
func samplesOf(text string, quiet bool) window {
	w := window{quiet: quiet, shows: 1, begin: sample{Values: map[string]string{}, statements: 1}, end: sample{Values: map[string]string{}, statements: 7}}
	third := sample{Values: map[string]string{}}
	for line := range strings.Lines(text) {
		f := strings.SplitN(strings.TrimSuffix(line, "\n"), "\t", 3)
		name := strings.ToLower(f[0])
		if len(f) > 1 {
			w.begin.Values[name] = f[1]
			third.Values[name] = f[1]
		}
		if len(f) > 2 {
			w.end.Values[name] = f[2]
		}
	}
	w.cost = cost([]sample{third, w.begin, w.end})
	return w
}

// Whatever a server gives: every reading is one that a record takes, and none is
// given twice.
func FuzzStatus(f *testing.F) {
	for _, s := range []string{
		"Questions\t10\t25\nUptime\t100\t110\nHandler_read_key\t5\t9\nThreads_running\t1\t2\n",
		"Questions\t18446744073709551615\t3\nUptime\t9\t2\nUptime_since_flush_status\t9\t2\n",
		"wsrep_cert_deps_distance\tnan\tnan\nHandler_write\tinf\t-inf\nHandler_update\t-1\t1e308\nQuestions\t-1e308\t1e308\n",
		"Rsa_public_key\t-----BEGIN\t-----BEGIN\nInnodb_os_log_pending_writes\t-1\t-1\nRows_read\t1\t2\nThreads_connected\tNaN\t0x1p4\n",
		"\t\t\nQUESTIONS\t1\nquestions\n",
	} {
		f.Add(s, true)
		f.Add(s, false)
	}
	f.Fuzz(func(t *testing.T, text string, quiet bool) {
		w := samplesOf(text, quiet)
		readings := w.readings()
		seen := map[string]bool{}
		for _, r := range readings {
			switch {
			case seen[r.Name]:
				t.Errorf("%q is given twice", r.Name)
			case r.State.Usable() != (r.Value != nil), r.State != result.OK && r.Reason == "":
				t.Errorf("%+v", r)
			case r.Value != nil && (math.IsNaN(*r.Value) || math.IsInf(*r.Value, 0)), math.IsNaN(r.Uncertainty), math.IsInf(r.Uncertainty, 0):
				t.Errorf("%s is %v ± %v", r.Name, *r.Value, r.Uncertainty)
			case r.Value != nil && !r.Gauge && *r.Value < 0:
				t.Errorf("a counter of %v: %+v", *r.Value, r)
			}
			seen[r.Name] = true
		}
		if _, err := json.Marshal(readings); err != nil {
			t.Error(err)
		}
		if n, ok := Statements(readings); ok && n < 0 {
			t.Errorf("%d statements", n)
		}
	})
}

// A server with many plug-ins has more variables, and is not slower to read by
// more than that.
func TestManyVariables(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		var b strings.Builder
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, "Plugin_variable_%d\t%d\t%d\n", i, i, 3*i)
		}
		return b.String()
	}, func(s string) { samplesOf(s, true).readings() })
}
