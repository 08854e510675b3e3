package perfctl

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// TestOutlasting: a server that has stopped answering holds nobody for ever,
// least of all who has pressed Ctrl-C.
func TestOutlasting(t *testing.T) {
	const soon, never = 20 * time.Millisecond, time.Hour
	running, interrupt := context.WithCancel(context.Background())
	stopped, cancel := context.WithCancel(context.Background())
	cancel()
	for name, c := range map[string]struct {
		ctx        context.Context
		most, told time.Duration
		meanwhile  func()
		want       error
	}{
		"nobody stops it":          {context.Background(), soon, never, nil, context.DeadlineExceeded},
		"it was stopped before":    {stopped, never, soon, nil, context.Canceled},
		"it is stopped meanwhile":  {running, never, soon, interrupt, context.Canceled},
		"stopped, and out of time": {stopped, soon, never, nil, context.DeadlineExceeded},
	} {
		closing, done := outlasting(c.ctx, c.most, c.told)
		if err := closing.Err(); err != nil {
			t.Errorf("%s: over at once: %v", name, err)
		}
		if c.meanwhile != nil {
			c.meanwhile()
		}
		select {
		case <-closing.Done():
		case <-time.After(30 * time.Second):
			// A machine that was frozen meanwhile finds both timers due at once.
			if time.Sleep(time.Second); closing.Err() == nil {
				t.Errorf("%s: it does not end", name)
			}
		}
		if err := closing.Err(); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
		if why := context.Cause(closing); !strings.HasPrefix(why.Error(), "no answer within ") {
			t.Errorf("%s: %v", name, why)
		}
		done()
	}
}
