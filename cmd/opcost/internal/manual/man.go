package manual

import (
	"fmt"
	"io"
	"strings"
)

// Man writes the page for man(1), in the macros of man(7), which groff and
// mandoc both know.
func (p Page) Man(w io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, ".\\\" Made by `%s man`; changes belong into the program.\n", p.Name)
	fmt.Fprintf(&b, ".TH %s 1 \"%s\" \"%s %s\" \"User Commands\"\n", strings.ToUpper(p.Name), p.Date, p.Name, roff(p.Version))
	fmt.Fprintf(&b, ".SH NAME\n%s \\- %s\n", p.Name, roffProse(p.OneLine))
	fmt.Fprintf(&b, ".SH SYNOPSIS\n\\fB%s\\fR \\fICOMMAND\\fR [\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...\n", p.Name)
	b.WriteString(".SH DESCRIPTION\n")
	for i, text := range p.Text {
		manParagraph(&b, i > 0, text)
	}
	manValues(&b, p.Flags, ".SH OPTIONS\n")
	b.WriteString(".SH COMMANDS\n")
	for _, c := range p.Commands {
		p.manCommand(&b, c)
	}
	for _, s := range p.Sections {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(s.Title))
		for _, i := range s.Items {
			fmt.Fprintf(&b, ".TP\n\\fB%s\\fR\n%s\n", roff(i.Term), roffProse(i.Text))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (p Page) manCommand(b *strings.Builder, c Command) {
	fmt.Fprintf(b, ".SS %s %s\n", p.Name, c.Path)
	var usage []string
	for _, word := range p.usage(c) {
		if isPlain(word) {
			usage = append(usage, `\fB`+roff(word)+`\fR`)
		} else {
			usage = append(usage, `\fI`+roff(word)+`\fR`)
		}
	}
	b.WriteString(strings.Join(usage, " ") + "\n")
	manParagraph(b, true, c.OneLine)
	for _, text := range c.Text {
		manParagraph(b, true, text)
	}
	manValues(b, c.Args, "")
	manValues(b, c.Flags, "")
	if len(c.Examples) == 0 {
		return
	}
	b.WriteString(".PP\nExamples:\n.PP\n.nf\n")
	for _, e := range c.Examples {
		b.WriteString(roff(e) + "\n")
	}
	b.WriteString(".fi\n")
}

// isPlain tells a word that is typed as it stands.
func isPlain(word string) bool {
	return strings.HasPrefix(word, "--") || word == strings.ToLower(word)
}

func manParagraph(b *strings.Builder, apart bool, text string) {
	if apart {
		b.WriteString(".PP\n")
	}
	b.WriteString(roffProse(text) + "\n")
}

func manValues(b *strings.Builder, values []Value, heading string) {
	if len(values) == 0 {
		return
	}
	b.WriteString(heading)
	for _, v := range values {
		term := `\fI` + roff(v.Placeholder) + `\fR`
		if !v.Argument {
			term = `\fB` + roff("--"+v.Name) + `\fR`
			if v.Short != "" {
				term = `\fB` + roff("-"+v.Short) + `\fR, ` + term
			}
			if v.Placeholder != "" {
				term += ` \fI` + roff(v.Placeholder) + `\fR`
			}
		}
		text := strings.Join(append([]string{v.Help}, v.about()...), " ")
		fmt.Fprintf(b, ".TP\n%s\n%s\n", term, roffProse(text))
	}
}

// roff writes a text so that it is printed as it stands: a hyphen is the one
// that can be copied into a shell.
func roff(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r > 126:
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	out := b.String()
	if strings.HasPrefix(out, ".") { // else it were a request
		out = `\&` + out
	}
	return out
}

// roffProse is for sentences: what is between backquotes is set bold, and
// double quotes are printed as such.
func roffProse(text string) string {
	var b strings.Builder
	for i, part := range strings.Split(strings.Join(strings.Fields(text), " "), "`") {
		if i%2 == 1 {
			b.WriteString(`\fB` + roff(part) + `\fR`)
		} else if part != "" {
			b.WriteString(roff(part))
		}
	}
	return strings.TrimPrefix(b.String(), " ")
}
