package manual

import (
	"fmt"
	"strings"
)

// The last lines are for both ways of use: as a file in $fpath, which zsh calls,
// and read by eval.
const zshTail = `
if [ "$funcstack[1]" = _@NAME@ ]; then
    _@NAME@ "$@"
else
    compdef _@NAME@ @NAME@
fi
`

func (p Page) zsh() string {
	var b strings.Builder
	b.WriteString("#compdef @NAME@\n# Completion of @NAME@ for zsh, made by \"@NAME@ completion zsh\".\n")
	p.zshGroup(&b, "")
	for _, c := range p.Commands {
		if c.Group {
			p.zshGroup(&b, c.Path)
			continue
		}
		fmt.Fprintf(&b, "\n_@NAME@_%s() {\n    _arguments", word(c.Path))
		for _, f := range p.flagsOf(c.Path) {
			b.WriteString(" \\\n        " + f.zsh())
		}
		for i, a := range c.Args {
			at := fmt.Sprint(i + 1)
			if a.Repeated {
				at = "*"
			}
			if !a.Required && !a.Repeated {
				at += ":"
			}
			b.WriteString(" \\\n        " + shellQuoted(at+":"+zshText(a.Name)+":"+a.zshAction()))
		}
		b.WriteString("\n}\n")
	}
	b.WriteString(zshTail)
	return strings.ReplaceAll(b.String(), "@NAME@", p.Name)
}

// zshGroup writes the function of a word behind which a command stands.
func (p Page) zshGroup(b *strings.Builder, path string) {
	name := "_@NAME@"
	if path != "" {
		name += "_" + word(path)
	}
	fmt.Fprintf(b, "\n%s() {\n    local curcontext=$curcontext state line\n    typeset -A opt_args\n    _arguments -C", name)
	for _, f := range p.flagsOf(path) {
		b.WriteString(" \\\n        " + f.zsh())
	}
	b.WriteString(" \\\n        '1: :->command' '*:: :->rest' && return\n    case $state in\n    command)\n        local -a commands=(\n")
	for _, c := range p.under(path) {
		fmt.Fprintf(b, "            %s\n", shellQuoted(c.Path+":"+strings.ReplaceAll(sentence(c.OneLine), ":", `\:`)))
	}
	b.WriteString("        )\n        _describe command commands\n        ;;\n    rest)\n        case $words[1] in\n")
	for _, c := range p.under(path) {
		fmt.Fprintf(b, "        %s) %s_%s ;;\n", c.Path, name, word(c.Path))
	}
	b.WriteString("        esac\n        ;;\n    esac\n}\n")
}

// zsh is a flag as _arguments wants it.
func (v Value) zsh() string {
	spec := "[" + zshText(sentence(v.Help)) + "]"
	if v.Placeholder == "" {
		if v.Short != "" {
			return fmt.Sprintf("'(- *)'{-%s,--%s}%s", v.Short, v.Name, shellQuoted(spec))
		}
		return shellQuoted("--" + v.Name + spec)
	}
	name := "--" + v.Name + "="
	if v.Repeated {
		name = "*" + name
	}
	return shellQuoted(name + spec + ":" + zshText(v.Placeholder) + ":" + v.zshAction())
}

func (v Value) zshAction() string {
	switch {
	case len(v.Words) > 0:
		return "(" + strings.Join(v.Words, " ") + ")"
	case v.Is == File:
		return "_files"
	case v.Is == Folder:
		return "_files -/"
	}
	return " " // the message alone
}

// zshText escapes what ends a part of a specification.
func zshText(text string) string {
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, ":", `\:`).Replace(text)
}
