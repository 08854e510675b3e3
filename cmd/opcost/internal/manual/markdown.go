package manual

import (
	"fmt"
	"io"
	"strings"
)

// Markdown writes the commands as a reference for people who read it in a
// browser. Version and date are left out, so that it changes with the commands
// alone.
func (p Page) Markdown(w io.Writer) error {
	var b strings.Builder
	for _, c := range p.Commands {
		fmt.Fprintf(&b, "- [%s %s](#%s): %s\n", p.Name, c.Path, strings.ReplaceAll(p.Name+" "+c.Path, " ", "-"), markdownProse(c.OneLine))
	}
	b.WriteString("\n")
	for _, c := range p.Commands {
		p.markdownCommand(&b, c)
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, "## %s\n\n", s.Title)
		for _, i := range s.Items {
			fmt.Fprintf(&b, "- `%s`: %s\n", i.Term, markdownProse(i.Text))
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(w, strings.TrimRight(b.String(), "\n")+"\n")
	return err
}

func (p Page) markdownCommand(b *strings.Builder, c Command) {
	fmt.Fprintf(b, "## %s %s\n\n", p.Name, c.Path)
	fmt.Fprintf(b, "```text\n%s\n```\n\n", strings.Join(p.usage(c), " "))
	for _, text := range append([]string{c.OneLine}, c.Text...) {
		b.WriteString(wrapped(markdownProse(text)) + "\n\n")
	}
	for _, v := range append(c.Args, c.Flags...) {
		term := v.Placeholder
		if !v.Argument {
			term = strings.TrimSpace("--" + v.Name + " " + v.Placeholder)
		}
		text := strings.Join(append([]string{v.Help}, v.about()...), " ")
		fmt.Fprintf(b, "- `%s`: %s\n", term, markdownProse(text))
	}
	if len(c.Args)+len(c.Flags) > 0 {
		b.WriteString("\n")
	}
	if len(c.Examples) > 0 {
		fmt.Fprintf(b, "```\n%s\n```\n\n", strings.Join(c.Examples, "\n"))
	}
}

var escapes = strings.NewReplacer(`\`, `\\`, `*`, `\*`, `_`, `\_`, `<`, `\<`, `[`, `\[`, `]`, `\]`)

// markdownProse escapes what Markdown would take for its own, outside of
// backquotes.
func markdownProse(text string) string {
	parts := strings.Split(strings.Join(strings.Fields(text), " "), "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = escapes.Replace(parts[i])
	}
	return strings.Join(parts, "`")
}

// wrapped breaks a paragraph into lines that can be read as text too.
func wrapped(text string) string {
	const width = 118
	var b strings.Builder
	n := 0
	for word := range strings.FieldsSeq(text) {
		switch {
		case n > 0 && n+1+len(word) > width:
			b.WriteByte('\n')
			n = 0
		case n > 0:
			b.WriteByte(' ')
			n++
		}
		b.WriteString(word)
		n += len(word)
	}
	return b.String()
}
