package manual

import (
	"fmt"
	"strings"
)

const fishHead = `# Completion of @NAME@ for fish, made by "@NAME@ completion fish".

# Succeeds where the words of the command before the cursor are these.
function __@NAME@_at
    set -l words (commandline -opc)
    set -e words[1]
    set words (string match -v -- '-*' $words)
    set -l at $words[1]
    contains -- "$at" GROUPS; and set at (string trim -- "$at $words[2]")
    test "$at" = "$argv"
end

complete -c @NAME@ -f
`

func (p Page) fish() string {
	var b strings.Builder
	var groups []string
	for _, c := range p.Commands {
		if c.Group {
			groups = append(groups, c.Path)
		}
	}
	b.WriteString(strings.Replace(fishHead, "GROUPS", strings.Join(groups, " "), 1))
	for _, path := range append([]string{""}, p.paths()...) {
		at := "complete -c @NAME@ -n " + fishQuoted(strings.TrimSpace("__@NAME@_at "+path))
		b.WriteString("\n")
		for _, c := range p.under(path) {
			fmt.Fprintf(&b, "%s -a %s -d %s\n", at, c.Path, fishQuoted(sentence(c.OneLine)))
		}
		for _, f := range p.flagsOf(path) {
			letter := ""
			if f.Short != "" {
				letter = " -s " + f.Short
			}
			fmt.Fprintf(&b, "%s%s -l %s -d %s%s\n", at, letter, f.Name, fishQuoted(sentence(f.Help)), f.fishValue())
		}
		for _, c := range p.Commands {
			if c.Path == path && len(c.Args) > 0 {
				b.WriteString(at + c.Args[len(c.Args)-1].fishWords() + "\n")
			}
		}
	}
	return strings.ReplaceAll(b.String(), "@NAME@", p.Name)
}

// fishValue says that a flag takes a value, and which.
func (v Value) fishValue() string {
	if v.Placeholder == "" {
		return ""
	}
	if v.Is == File && len(v.Words) == 0 {
		return " -r -F"
	}
	return " -x" + v.fishWords()
}

func (v Value) fishWords() string {
	switch {
	case len(v.Words) > 0:
		return " -a " + fishQuoted(strings.Join(v.Words, " "))
	case v.Is == File:
		return " -F"
	case v.Is == Folder:
		return " -a '(__fish_complete_directories)'"
	}
	return ""
}

func fishQuoted(text string) string {
	return "'" + strings.NewReplacer(`\`, `\\`, "'", `\'`).Replace(text) + "'"
}
