package report

import (
	"fmt"
	"io"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/explain"
)

// WriteExplanation lays out why versions cost unlike, in the formats of [Write].
func WriteExplanation(w io.Writer, f Format, c explain.Comparison, l Layout) error {
	w = forJSON(w, f)
	switch f {
	case JSON:
		return encodeJSON(w, c)
	case CSV, TSV:
		return writeLines(w, f, explanationLines(c))
	case Table, Markdown:
		return explanationSheet(c).write(w, f, l)
	}
	return noLayout("explanations", f)
}

func explanationSheet(c explain.Comparison) *sheet {
	s := newSheet(c.Warnings)
	if len(c.Cells) > 1 {
		s.parts = append(s.parts, cellsGrid(c))
	}
	for _, e := range c.Explanations {
		s.parts = append(s.parts, said(verdictTitle(e)))
		s.parts = append(s.parts, differences{e})
		s.parts = append(s.parts, sentences{"How much", howMuch(e)})
		for i, q := range e.Equations {
			if len(q.Total.Parts) > 0 {
				s.parts = append(s.parts, equationGrid(q, i > 0))
			}
		}
		s.parts = append(s.parts, sentences{"Not measured", missingTexts(e)})
		if e.Code != nil {
			s.parts = append(s.parts, codeGrids(*e.Code)...)
		}
		s.parts = append(s.parts, kinds(e.Kinds))
		s.parts = append(s.parts, sentences{"What would make it surer", e.Surer})
		s.parts = append(s.parts, commands{"Next", e.Next})
	}
	return s
}

// said is a line that stands out.
type said string

func (t said) writeTo(w io.Writer, width int, paint func(style, string) string) error {
	_, err := fmt.Fprintf(w, "%s\n\n", paint(bold, wrap(plain(string(t)), width, "", "")))
	return err
}

func (t said) writeMarkdown(b *strings.Builder) { fmt.Fprintf(b, "## %s\n\n", escape(string(t))) }

// commands are to be copied, so no line of them is broken.
type commands struct {
	title string
	lines []string
}

func (c commands) writeTo(w io.Writer, _ int, paint func(style, string) string) error {
	if len(c.lines) == 0 {
		return nil
	}
	fmt.Fprintln(w, paint(bold, c.title))
	for _, l := range c.lines {
		fmt.Fprintln(w, "  "+plain(l))
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (c commands) writeMarkdown(b *strings.Builder) {
	if len(c.lines) == 0 {
		return
	}
	fmt.Fprintf(b, "**%s**\n\n", escape(c.title))
	for _, l := range c.lines {
		fmt.Fprintf(b, "    %s\n", plain(l))
	}
	b.WriteByte('\n')
}

// verdictTitle is the verdict in words; ratios come after what is unlike.
func verdictTitle(e explain.Explanation) string {
	text := e.Verdict.Text
	if n := unlikeThings(e); n == 1 {
		text += ", and 1 thing besides the version differs"
	} else if n > 1 {
		text += fmt.Sprintf(", and %d things besides the version differ", n)
	}
	return text
}

// unlikeThings are those that no one asked for, but for the program itself.
func unlikeThings(e explain.Explanation) (n int) {
	for _, d := range e.Differences {
		switch d.Class {
		case explain.Session, explain.Setting, explain.Plan, explain.State, explain.Machine:
			n++
		}
	}
	return n
}

// howMuch is the verdict's ratio, and the equation in words.
func howMuch(e explain.Explanation) (out []string) {
	if v := e.Verdict; v.Ratio != nil {
		text := fmt.Sprintf("%s is %s times %s's", labelOf(v.Metric), ratio(*v.Ratio), e.Base)
		if v.Ratio.Low != nil {
			text += fmt.Sprintf(" (%s)", v.Ratio.Method)
		}
		if v.Word != "" {
			text += ": " + v.Word
		}
		if v.Word == string(compare.Same) {
			text += fmt.Sprintf(", within ±%.3g%%", 100*v.Ratio.Threshold)
		}
		out = append(out, text)
	}
	if e.Words != "" {
		out = append(out, e.Words)
	}
	return out
}

func missingTexts(e explain.Explanation) (out []string) {
	for _, m := range e.Missing {
		text := m.Name + ": " + m.Reason
		if m.Remedy != "" {
			text += ". Remedy: " + m.Remedy
		}
		out = append(out, text)
	}
	return out
}

// differences are a table where there is room for the reasons, else sentences.
type differences struct{ explain.Explanation }

// reasonsFrom is the width from which the reasons have room in a table.
const reasonsFrom = 150

func (d differences) writeTo(w io.Writer, width int, paint func(style, string) string) error {
	if g := differencesGrid(d.Explanation); width >= reasonsFrom || len(d.Differences) == 0 {
		return g.write(w, width, paint)
	}
	sentences{unlikeTitle, differenceTexts(d.Explanation)}.write(w, width, paint)
	return nil
}

func (d differences) writeMarkdown(b *strings.Builder) {
	differencesGrid(d.Explanation).writeMarkdown(b)
}

const unlikeTitle = "Unlike, besides what was measured"

func differenceTexts(e explain.Explanation) (out []string) {
	for i, d := range e.Differences {
		if i == mostUnlike && len(e.Differences) > mostUnlike+1 {
			return append(out, moreDifferences(len(e.Differences)-i))
		}
		base, new := compare.Apart(d.Base, d.New)
		text := fmt.Sprintf("%s: %s → %s", d.Name, middle(base), middle(new))
		if d.Why != "" {
			text += " (" + d.Why + ")"
		}
		out = append(out, text)
	}
	return out
}

func moreDifferences(n int) string {
	return fmt.Sprintf("and %d more (`--format json` lists them)", n)
}

// kinds are the findings, each with its evidence below.
type kinds []explain.Finding

func (ks kinds) writeTo(w io.Writer, width int, paint func(style, string) string) error {
	fmt.Fprintln(w, paint(bold, kindsTitle))
	if len(ks) == 0 {
		fmt.Fprintln(w, "  "+noKind)
	}
	for _, k := range ks {
		fmt.Fprintln(w, wrap(plain(kindText(k)), width, "  ", "    "))
		for _, text := range evidenceTexts(k) {
			fmt.Fprintln(w, paint(dim, wrap(plain(text), width, "      ", "        ")))
		}
	}
	_, err := fmt.Fprintln(w)
	return err
}

func (ks kinds) writeMarkdown(b *strings.Builder) {
	fmt.Fprintf(b, "**%s**\n\n", kindsTitle)
	if len(ks) == 0 {
		fmt.Fprintf(b, "- %s\n", escape(noKind))
	}
	for _, k := range ks {
		fmt.Fprintf(b, "- %s\n", escape(kindText(k)))
		for _, text := range evidenceTexts(k) {
			fmt.Fprintf(b, "  - %s\n", escape(text))
		}
	}
	b.WriteByte('\n')
}

const (
	kindsTitle = "Of what kind"
	noKind     = "no rule holds (docs/compare.md lists them)"
)

func kindText(k explain.Finding) string {
	text := k.Title
	if !k.Sure {
		text += " (not sure)"
	}
	return text + ": " + k.Text
}

func evidenceTexts(k explain.Finding) (out []string) {
	for i, ev := range k.Evidence {
		if i == mostEvidence && len(k.Evidence) > mostEvidence+1 {
			return append(out, fmt.Sprintf("and %d more", len(k.Evidence)-i))
		}
		out = append(out, evidenceText(ev))
	}
	return out
}

// mostEvidence is how many numbers stand behind a finding for people.
const mostEvidence = 6

func evidenceText(ev explain.Evidence) string {
	text := ev.Name
	value := func(v *float64) string {
		if v == nil {
			return "-"
		}
		return number(*v)
	}
	if ev.Base != nil || ev.New != nil {
		text += " " + value(ev.Base) + " → " + value(ev.New)
	}
	if ev.Ratio != nil {
		text += ", x" + ratio(*ev.Ratio)
	}
	if ev.Text != "" {
		text += " (" + ev.Text + ")"
	}
	return text
}
