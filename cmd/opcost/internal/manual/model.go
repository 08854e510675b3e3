package manual

import (
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Page is everything that a page says.
type Page struct {
	Name     string // of the program
	Version  string // of the program
	Date     string // as 2026-11-30; "" where it is not known
	OneLine  string // what the program is for, in a clause without a capital and a full stop
	Text     []string
	Flags    []Value // of the program itself; --help goes with every command
	Commands []Command
	Sections []Section // behind the commands
}

// Command is one command, or a word that commands of a kind begin with.
type Command struct {
	Path     string // its words: "profile top"
	Group    bool   // it is the beginning of others, and does nothing by itself
	OneLine  string
	Text     []string // paragraphs
	Examples []string
	Args     []Value
	Flags    []Value // its own, without --help
}

// Value is a flag or an argument.
type Value struct {
	Name        string // without hyphens
	Argument    bool   // it stands by itself, not behind a flag
	Short       string // its one letter, or ""
	Placeholder string // what stands for the value; "" for a flag that takes none
	Help        string
	Default     string
	Words       []string // values that it takes, or the usual ones
	Only        bool     // it takes no others
	Is          Kind
	Required    bool
	Repeated    bool
	Separator   string // between the values of a flag that takes several; "": it is given again for each
}

// Kind is what a value is, for completions.
type Kind int

const (
	Text Kind = iota
	File
	Folder
)

// Section is a part of the page that is not about one command.
type Section struct {
	Title string
	Items []Item
}

// Item is a term and what it means.
type Item struct{ Term, Text string }

// kinds: what a value is called says what it is. SEL may begin with a folder,
// or be a file.
var kinds = map[string]Kind{"FILE": File, "PLAN": File, "INPUT": File, "PATH": File, "SEL": File, "DIR": Folder}

var firstWord = regexp.MustCompile(`^[A-Z]+`)

// Of makes a page of a model. What is hidden in the model is left out.
func Of(app *kong.Application) Page {
	p := Page{Name: app.Name, Text: paragraphs(app.Help), Flags: flags(app.Node)}
	p.add(app.Node)
	return p
}

func (p *Page) add(n *kong.Node) {
	for _, c := range n.Children {
		if c.Hidden {
			continue
		}
		p.Commands = append(p.Commands, command(c))
		p.add(c)
	}
}

func command(n *kong.Node) Command {
	c := Command{Path: n.Path(), Group: !n.Leaf(), OneLine: n.Help, Flags: flags(n)}
	for _, text := range paragraphs(n.Detail) {
		if list, ok := strings.CutPrefix(text, "Examples:\n"); ok {
			for line := range strings.SplitSeq(list, "\n") {
				c.Examples = append(c.Examples, strings.TrimPrefix(line, "  "))
			}
			continue
		}
		c.Text = append(c.Text, strings.ReplaceAll(text, "\n", " "))
	}
	for _, a := range n.Positional {
		c.Args = append(c.Args, value(a, strings.ToUpper(a.Name)))
	}
	return c
}

// paragraphs of a text; those between lines that are empty.
func paragraphs(text string) (all []string) {
	for part := range strings.SplitSeq(strings.TrimSpace(text), "\n\n") {
		if part = strings.Trim(part, "\n"); part != "" {
			all = append(all, part)
		}
	}
	return all
}

func flags(n *kong.Node) (all []Value) {
	for _, f := range n.Flags {
		if f.Hidden {
			continue
		}
		v := value(f.Value, "")
		if f.Short != 0 {
			v.Short = string(f.Short)
		}
		if !f.IsBool() {
			v.Placeholder = f.PlaceHolder
			if v.Placeholder == "" {
				v.Placeholder = strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
			}
			v.Is = kinds[firstWord.FindString(v.Placeholder)]
		}
		all = append(all, v)
	}
	return all
}

func value(v *kong.Value, placeholder string) Value {
	out := Value{
		Name: v.Name, Argument: v.Flag == nil, Placeholder: placeholder, Help: v.Help, Default: v.Default,
		Is: kinds[placeholder], Required: v.Required, Repeated: v.IsCumulative(),
	}
	if out.Repeated && !out.Argument && v.Tag.Sep > 0 {
		out.Separator = string(v.Tag.Sep)
	}
	words := os.Expand(v.Tag.Get("words"), func(name string) string { return v.Tag.Vars[name] })
	if v.Enum != "" {
		words, out.Only = v.Enum, true
	}
	for w := range strings.SplitSeq(words, ",") {
		if w = strings.TrimSpace(w); w != "" {
			out.Words = append(out.Words, w)
		}
	}
	return out
}

// usage is the command in one line.
func (p Page) usage(c Command) []string {
	words := []string{p.Name, c.Path}
	if c.Group {
		return append(words, "COMMAND")
	}
	for _, f := range c.Flags {
		if f.Required {
			words = append(words, "--"+f.Name, f.Placeholder)
		}
	}
	for _, a := range c.Args {
		text := a.Placeholder
		if a.Repeated {
			text += "..."
		}
		if !a.Required {
			text = "[" + text + "]"
		}
		words = append(words, text)
	}
	if slices.ContainsFunc(c.Flags, func(f Value) bool { return !f.Required }) {
		words = append(words, "[OPTION]...")
	}
	return words
}

// about is what is said of a value besides its help.
func (v Value) about() (sentences []string) {
	if len(v.Words) > 0 && v.Only && !allIn(v.Words, v.Help) {
		sentences = append(sentences, "One of "+strings.Join(v.Words, ", ")+".")
	}
	if v.Default != "" && !strings.Contains(v.Help, "Default:") {
		sentences = append(sentences, "Default: `"+v.Default+"`.")
	}
	switch {
	case v.Separator != "":
		sentences = append(sentences, "Several stand with `"+v.Separator+"` between them.")
	case v.Repeated && !v.Argument:
		sentences = append(sentences, "It may be given several times.")
	}
	if v.Required && !v.Argument {
		sentences = append(sentences, "It must be given.")
	}
	return sentences
}

// allIn: a help that names all words need not have them listed again.
func allIn(words []string, help string) bool {
	return !slices.ContainsFunc(words, func(w string) bool { return !strings.Contains(help, w) })
}

// under are the last words of what comes directly under a path: "" gives the
// commands, "profile" its own.
func (p Page) under(path string) (children []Command) {
	for _, c := range p.Commands {
		parent, last := "", c.Path
		if i := strings.LastIndexByte(c.Path, ' '); i >= 0 {
			parent, last = c.Path[:i], c.Path[i+1:]
		}
		if parent == path {
			c.Path = last
			children = append(children, c)
		}
	}
	return children
}
