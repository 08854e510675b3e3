package report

import (
	"fmt"
	"io"
	"strings"

	"opcost/perfctl/compare"
)

// writeMarkdown writes the report for a bug report: a table a block, the base
// first, ratios beside the values.
func writeMarkdown(w io.Writer, r compare.Report) error {
	var b strings.Builder
	e := newExplanations()
	unlike, other := warnings(r)
	list := func(title string, items []string) {
		if len(items) == 0 {
			return
		}
		fmt.Fprintf(&b, "%s\n\n", title)
		for _, t := range items {
			fmt.Fprintf(&b, "- %s\n", escape(t))
		}
		b.WriteByte('\n')
	}
	list("**Unlike:**", unlike)
	bs := blocks(r, e)
	if len(bs) == 0 {
		b.WriteString("There is no run to report.\n\n")
	}
	for _, block := range bs {
		fmt.Fprintf(&b, "### %s\n\n", escape(block.title))
		block.writeMarkdown(&b)
		b.WriteByte('\n')
	}
	if summary, by, each := verdictLines(r); summary != "" {
		fmt.Fprintf(&b, "**%s**\n\n%s\n\n", escape(summary), escape(by))
		for _, v := range each {
			fmt.Fprintf(&b, "- %s: %s\n", v.verdict, escape(v.text))
		}
		if len(each) > 0 {
			b.WriteByte('\n')
		}
	}
	list("Notes:", append(e.legend(r), other...))
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func (bl block) writeMarkdown(b *strings.Builder) {
	b.WriteString("| |")
	for _, c := range bl.columns {
		name := escape(c.name)
		if c.base {
			name += " (base)"
		}
		fmt.Fprintf(b, " %s |", name)
	}
	b.WriteString("\n|:--|" + strings.Repeat("--:|", len(bl.columns)) + "\n")
	for _, r := range bl.rows {
		label := escape(r.label)
		if r.part {
			label = "&nbsp;&nbsp;" + label
		}
		fmt.Fprintf(b, "| %s |", label)
		for _, c := range r.cells {
			text := escape(c.value)
			if c.ratio != "" {
				text += "<br>" + escape(c.ratio)
			}
			if c.verdict != compare.None {
				text += " **" + string(c.verdict) + "**"
			}
			fmt.Fprintf(b, " %s |", text)
		}
		b.WriteByte('\n')
	}
}

// escape makes text that may hold anything stand as it is in Markdown, within
// tables too.
func escape(s string) string {
	var b strings.Builder
	for _, r := range plain(s) {
		if strings.ContainsRune("\\`*|<>[]#~&", r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}
