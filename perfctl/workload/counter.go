package workload

import (
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"opcost/collectors/child"
	"opcost/perfctl/result"
)

// Counter counts the operations of a load that is not ours by a number that
// somebody else keeps: the first whole number in a file, or in what a shell
// command prints. It is read at both edges, so it must only ever grow.
type Counter struct {
	From string // a file's path, else a command for sh -c

	last struct {
		n    int64
		at   time.Time
		took time.Duration
	}
}

// counterTimeout bounds a command: an edge waits for it.
const counterTimeout = 10 * time.Second

var wholeNumber = regexp.MustCompile(`\d+`)

// Read gives the counter. Its uncertainty is what may have happened while it
// was read, at this reading and the one before.
func (c *Counter) Read(ctx context.Context) (result.OpCount, error) {
	began := time.Now()
	text, what, err := c.text(ctx)
	if err != nil {
		return result.OpCount{}, fmt.Errorf("operations from %s: %w", what, err)
	}
	took := time.Since(began)
	n, err := strconv.ParseInt(wholeNumber.FindString(text), 10, 64)
	if err != nil {
		return result.OpCount{}, fmt.Errorf("operations from %s: no whole number in the %d bytes that it gave", what, len(text))
	}
	if !c.last.at.IsZero() && n < c.last.n {
		return result.OpCount{}, fmt.Errorf("operations from %s: %d came after %d; it must only grow", what, n, c.last.n)
	}
	count := result.OpCount{Source: result.SourceClient, Per: "operation", End: n}
	if passed := began.Sub(c.last.at).Seconds(); !c.last.at.IsZero() && passed > 0 {
		count.Uncertainty = float64(n-c.last.n) / passed * (took + c.last.took).Seconds() / 2
	}
	c.last.n, c.last.at, c.last.took = n, began, took
	return count, nil
}

// text is what the file or the command gives. What is for messages: a window's
// record keeps them, so a command, which may hold a password, is not quoted.
func (c *Counter) text(ctx context.Context) (text, what string, err error) {
	if st, err := os.Stat(c.From); err == nil && st.Mode().IsRegular() {
		f, err := os.Open(c.From)
		if err != nil {
			return "", c.From, err
		}
		defer f.Close()
		b, err := io.ReadAll(io.LimitReader(f, 1<<16))
		return string(b), c.From, err
	}
	what = "the command that was given"
	ctx, cancel := context.WithTimeout(ctx, counterTimeout)
	defer cancel()
	out, problem, err := child.Output(ctx, "sh", "-c", c.From)
	if err != nil {
		return "", what, fmt.Errorf("neither a file nor a command that works: %w: %.200s", err, strings.TrimSpace(problem))
	}
	return out, what, nil
}
