package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"strings"
	"sync"
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
		header := fmt.Sprintf("%s  %s  window of %v\n", time.Now().Format(time.TimeOnly), clean(a.String()), *c.Interval)
		if f != report.Table { // no heading inside CSV or JSON
			header = ""
		}
		err = s.show(func(order compare.Order) (string, error) {
			page := bytes.NewBufferString(header)
			err := c.show(console{page, con.err}, f, run, base, order)
			return page.String(), err
		})
		if err != nil {
			return err
		}
		if err := incomplete(run); err != nil {
			return err
		}
	}
}

// screen shows pages one after another, in place where it is a terminal.
type screen struct {
	con  console
	file *os.File // the terminal; nil: pages are appended
	undo *term.State

	mu     sync.Mutex // keys come while windows are measured
	latest page
	paused bool
	sorted int // steps through compare.Orders
	closed bool
}

// page is made anew when it is to be sorted otherwise.
type page func(compare.Order) (string, error)

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
				s.pressed(func() { s.paused = !s.paused })
			case 's', 'S':
				s.pressed(func() { s.sorted++ })
			}
		}
	}()
	return s
}

// pressed changes something and draws the page that there is again.
func (s *screen) pressed(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
	if s.latest != nil && !s.closed {
		_ = s.draw() // the next page will say it
	}
}

// show takes the next page. While the screen is paused it keeps the old one.
func (s *screen) show(p page) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.file == nil {
		text, err := p(s.order())
		if err == nil {
			_, err = fmt.Fprintln(s.con.out, text)
		}
		return err
	}
	if s.paused {
		return nil
	}
	s.latest = p
	return s.draw()
}

// order is what tables are sorted by now.
func (s *screen) order() compare.Order {
	orders := compare.Orders()
	return orders[s.sorted%len(orders)]
}

func (s *screen) draw() error {
	text, err := s.latest(s.order())
	if err != nil {
		return err
	}
	_, height, err := term.GetSize(int(s.file.Fd()))
	if err != nil || height < 4 {
		height = 24
	}
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(lines) > height-1 {
		lines = append(lines[:height-2], fmt.Sprintf("… %d more lines: a higher window shows them", len(lines)-height+2))
	}
	state := "p pause"
	if s.paused {
		state = "p go on (paused)"
	}
	// Each line clears the rest of the old one, and the last what is below: to
	// clear the whole screen first would flicker, and fill the scrollback.
	_, err = fmt.Fprintf(s.file, "\x1b[H%s\x1b[K\x1b[J\x1b[%d;1Hq quit  %s  s sort (by %s)", strings.Join(lines, "\x1b[K\r\n"), height, state, s.order())
	return err
}

// close gives the terminal back.
func (s *screen) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.undo != nil {
		_ = term.Restore(int(os.Stdin.Fd()), s.undo)
		fmt.Fprint(s.file, "\r\n")
	}
}
