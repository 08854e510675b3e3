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
		s.parts = append(s.parts, differencesGrid(e))
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
		s.parts = append(s.parts, sentences{"Of what kind", kindTexts(e)})
		s.parts = append(s.parts, sentences{"What would make it surer", e.Surer})
		s.parts = append(s.parts, commands{"Next", e.Next})
	}
	return s
}

// said is a line that stands out.
type said string

func (t said) writeTo(w io.Writer, width int, paint func(style, string) string) error {
	_, err := fmt.Fprintf(w, "%s\n\n", paint(bold, wrap(plain(string(t)), width, "")))
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

// kindTexts are the findings, each with its evidence.
func kindTexts(e explain.Explanation) (out []string) {
	for _, k := range e.Kinds {
		out = append(out, kindText(k))
	}
	if len(out) == 0 {
		out = []string{"no rule holds (docs/compare.md lists them)"}
	}
	return out
}

func kindText(k explain.Finding) string {
	text := k.Title
	if !k.Sure {
		text += " (not sure)"
	}
	text += ": " + k.Text
	var behind []string
	for i, ev := range k.Evidence {
		if i == mostEvidence {
			behind = append(behind, fmt.Sprintf("and %d more", len(k.Evidence)-i))
			break
		}
		behind = append(behind, evidenceText(ev))
	}
	if len(behind) > 0 {
		text += ". Evidence: " + strings.Join(behind, "; ")
	}
	return text
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
