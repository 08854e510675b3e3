package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/term"

	"opcost/perfctl/compare"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
)

// watch measures windows until it is stopped: redrawn in place on a terminal,
// appended elsewhere.
func (c *attachCmd) watch(ctx context.Context, con console, f report.Format, a *attachment, base *result.Run) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s := newScreen(con, f == report.Table, cancel)
	defer s.close()
	for turn := 0; ; turn++ {
		run, err := a.window(ctx, *c.Interval, turn)
		if ctx.Err() != nil {
			return nil // stopped: that is how a watch ends
		}
		if err != nil {
			return err
		}
		var page bytes.Buffer
		fmt.Fprintf(&page, "%s  %s  window of %v\n", time.Now().Format(time.TimeOnly), a, *c.Interval)
		if err := c.show(console{&page, con.err}, f, run, base, s.order()); err != nil {
			return err
		}
		if f != report.Table { // no heading inside CSV or JSON
			_, rest, _ := strings.Cut(page.String(), "\n")
			page.Reset()
			page.WriteString(rest)
		}
		if err := s.draw(page.String()); err != nil {
			return err
		}
		if err := incomplete(run); err != nil {
			return err
		}
	}
}

// screen shows pages one after another, in place where it is a terminal.
type screen struct {
	con    console
	file   *os.File // the terminal; nil: pages are appended
	undo   *term.State
	paused atomic.Bool
	sorted atomic.Int64 // steps through compare.Orders
}

// order is what tables are sorted by now.
func (s *screen) order() compare.Order {
	orders := compare.Orders()
	return orders[int(s.sorted.Load())%len(orders)]
}

func newScreen(con console, table bool, quit func()) *screen {
	s := &screen{con: con}
	out, ok := con.out.(*os.File)
	in := int(os.Stdin.Fd())
	if !ok || !table || !term.IsTerminal(int(out.Fd())) || !term.IsTerminal(in) {
		return s
	}
	undo, err := term.MakeRaw(in)
	if err != nil {
		return s
	}
	s.file, s.undo = out, undo
	go func() {
		key := make([]byte, 1)
		for {
			if _, err := os.Stdin.Read(key); err != nil {
				return
			}
			switch key[0] {
			case 'q', 'Q', 3: // 3 is Ctrl-C: raw mode makes no signal of it
				quit()
				return
			case 'p', 'P', ' ':
				s.paused.Store(!s.paused.Load()) // this goroutine alone writes it
			case 's', 'S':
				s.sorted.Add(1)
			}
		}
	}()
	return s
}

func (s *screen) draw(page string) error {
	if s.file == nil {
		_, err := fmt.Fprintln(s.con.out, page)
		return err
	}
	_, height, err := term.GetSize(int(s.file.Fd()))
	if err != nil || height < 4 {
		height = 24
	}
	if s.paused.Load() {
		_, err := fmt.Fprintf(s.file, "\x1b[%d;1H\x1b[Kpaused: p goes on, q quits", height)
		return err
	}
	lines := strings.Split(strings.TrimRight(page, "\n"), "\n")
	if len(lines) > height-1 {
		lines = append(lines[:height-2], fmt.Sprintf("… %d more lines: a higher window shows them", len(lines)-height+2))
	}
	_, err = fmt.Fprintf(s.file, "\x1b[H\x1b[2J%s\x1b[%d;1Hq quit  p pause  s sort (by %s)", strings.Join(lines, "\r\n"), height, s.order())
	return err
}

// close gives the terminal back.
func (s *screen) close() {
	if s.undo != nil {
		_ = term.Restore(int(os.Stdin.Fd()), s.undo)
		fmt.Fprint(s.file, "\r\n")
	}
}
