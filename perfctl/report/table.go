package report

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"opcost/perfctl/compare"
)

// writeTable writes the report for a terminal: what is unlike, the blocks, the
// verdicts, and what the marks mean.
func writeTable(w io.Writer, r compare.Report, l Layout) error {
	return writeTableWith(w, r, l, tableParts{})
}

// tableParts are what a table may have besides the report.
type tableParts struct {
	head  string                                                               // a line above the blocks
	more  func(w io.Writer, width int, paint func(style, string) string) error // between blocks and legend
	brief bool                                                                 // without the legend
}

func writeTableWith(w io.Writer, r compare.Report, l Layout, parts tableParts) error {
	width := l.Width
	if width <= 0 {
		width = 80
	}
	paint := painter(l.Color)
	e := newExplanations()
	var b strings.Builder
	say := func(style style, first, text string) {
		indent := strings.Repeat(" ", len([]rune(first)))
		fmt.Fprintln(&b, paint(style, wrap(text, width, first, indent)))
	}

	unlike, other := warnings(r)
	for _, t := range unlike {
		say(bold, "unlike: ", t)
	}
	if len(unlike) > 0 {
		b.WriteByte('\n')
	}
	if parts.head != "" {
		say(none, "", parts.head)
		b.WriteByte('\n')
	}
	bs := blocks(r, e)
	if len(bs) == 0 {
		say(none, "", "There is no run to report.")
	}
	if err := writeBlocks(&b, bs, width, paint); err != nil {
		return err
	}
	if summary, by, each := verdictLines(r); summary != "" {
		say(bold, "", summary)
		say(none, "", by)
		for _, v := range each {
			say(verdictStyle(v.verdict), fmt.Sprintf("  %-6s  ", v.verdict), v.text)
		}
		b.WriteByte('\n')
	}
	if parts.more != nil {
		if err := parts.more(&b, width, paint); err != nil {
			return err
		}
	}
	if !parts.brief {
		for _, t := range e.legend(r) {
			say(dim, "", t)
		}
	}
	for _, t := range other {
		say(none, "warning: ", t)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// writeBlocks lays blocks out on all CPUs, as a night has hundreds of them.
func writeBlocks(w *strings.Builder, bs []block, width int, paint func(style, string) string) error {
	texts, errs := make([]strings.Builder, len(bs)), make([]error, len(bs))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(bs)) {
		wg.Go(func() {
			for i := int(next.Add(1)) - 1; i < len(bs); i = int(next.Add(1)) - 1 {
				errs[i] = bs[i].write(&texts[i], width, paint)
			}
		})
	}
	wg.Wait()
	size := 0
	for i := range texts {
		size += texts[i].Len()
	}
	w.Grow(size)
	for i := range texts {
		w.WriteString(texts[i].String())
		texts[i].Reset()
	}
	return errors.Join(errs...)
}

func (b block) write(w io.Writer, width int, paint func(style, string) string) error {
	for i, piece := range b.pieces(width) {
		title := b.title
		if i > 0 {
			title += " (continued)"
		}
		fmt.Fprintln(w, paint(bold, wrap(title, width, "", "")))
		if err := piece.write(w, paint); err != nil {
			return err
		}
		fmt.Fprintln(w)
	}
	return nil
}
