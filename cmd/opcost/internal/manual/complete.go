package manual

import (
	"fmt"
	"io"
	"strings"
)

// Shells are those that there are completions for.
var Shells = []string{"bash", "zsh", "fish"}

// Complete writes the completion script of one of [Shells]. It completes
// commands, flags, the values that a flag is known to take, and names of files
// and folders; it does not start the program.
func (p Page) Complete(w io.Writer, shell string) error {
	text := ""
	switch shell {
	case "bash":
		text = p.bash()
	case "zsh":
		text = p.zsh()
	case "fish":
		text = p.fish()
	default:
		return fmt.Errorf("there is no completion for %q, but for %s", shell, strings.Join(Shells, ", "))
	}
	_, err := io.WriteString(w, text)
	return err
}

// flagsOf are the flags that are completed behind a path; "" is the program.
func (p Page) flagsOf(path string) []Value {
	if path == "" {
		return p.Flags
	}
	help := Value{Name: "help", Short: "h", Help: "Show the help of this command."}
	for _, c := range p.Commands {
		if c.Path == path {
			return append([]Value{help}, c.Flags...)
		}
	}
	return nil
}

// sentence is the first of a help, for places that have one line.
func sentence(help string) string {
	first, _, more := strings.Cut(help, ". ")
	if more {
		return first
	}
	return strings.TrimSuffix(help, ".")
}

// word is a path as a part of a function's name.
func word(path string) string { return strings.NewReplacer(" ", "_", "-", "_").Replace(path) }

// shellQuoted is text in single quotes, for bash and zsh.
func shellQuoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
