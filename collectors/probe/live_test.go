package probe

import (
	"testing"
	"time"
)

func TestAskHere(t *testing.T) {
	start := time.Now()
	c := Ask(t.Context())
	t.Logf("%v: %+v", time.Since(start), c)
}
