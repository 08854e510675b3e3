package testbed

import (
	"testing"
	"time"
)

// eventually asks until the answer is yes. The limit is for a machine on which
// it never comes; a busy one only takes longer.
func eventually(t *testing.T, what string, ask func() (string, bool)) string {
	t.Helper()
	for began := time.Now(); time.Since(began) < time.Minute; time.Sleep(20 * time.Millisecond) {
		if answer, ok := ask(); ok {
			return answer
		}
	}
	t.Fatalf("%s did not come within a minute", what)
	return ""
}
