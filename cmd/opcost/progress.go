package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"opcost/perfctl"
)

// progress shows what a run is doing: one changing line on a terminal, a plain
// line a step otherwise.
type progress struct {
	w     io.Writer
	term  io.Writer // takes control characters; nil: not a terminal
	width int       // of the terminal; 0: not one
}

func newProgress(w io.Writer) *progress {
	p := &progress{w: w}
	if clean, ok := w.(printable); ok {
		w = clean.w
	}
	if f, ok := w.(*os.File); ok && term.IsTerminal(int(f.Fd())) {
		p.term, p.width = f, 80
		if n, _, err := term.GetSize(int(f.Fd())); err == nil && n > 20 {
			p.width = n
		}
	}
	return p
}

func (p *progress) show(s perfctl.Progress) {
	if s.Warning != "" {
		p.note("warning: %s", s.Warning)
		return
	}
	line := fmt.Sprintf("[%d/%d", min(s.Done+1, s.Total), s.Total)
	if s.Left > 0 {
		line += ", " + left(s.Left)
	}
	line += "] " + s.Doing
	if p.width == 0 {
		fmt.Fprintln(p.w, line)
		return
	}
	p.close()
	fmt.Fprint(p.w, shortened(line, p.width-1))
}

// shortened takes the middle out of a line that is too long: its beginning says
// how far the run is, its end what is being done.
func shortened(line string, width int) string {
	r := []rune(line)
	if len(r) <= width {
		return line
	}
	end := width / 2
	return string(r[:width-end-1]) + "…" + string(r[len(r)-end:])
}

// note prints a line that stays.
func (p *progress) note(format string, args ...any) {
	p.close()
	fmt.Fprintf(p.w, format+"\n", args...)
}

// close takes the changing line away.
func (p *progress) close() {
	if p.width > 0 {
		fmt.Fprint(p.term, "\r\x1b[K")
	}
}

func left(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%ds left", int(d.Seconds()+0.5))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min left", int(d.Minutes()+0.5))
	default:
		return strings.TrimSuffix(d.Round(time.Minute).String(), "0s") + " left"
	}
}
