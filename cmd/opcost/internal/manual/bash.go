package manual

import (
	"fmt"
	"strings"
)

// bashHead finds out what is to be completed: "command" is the words of the
// command before the cursor, "flag" the flag whose value it is at.
const bashHead = `# Completion of @NAME@ for bash, made by "@NAME@ completion bash".

_@NAME@() {
    local current=${COMP_WORDS[COMP_CWORD]} before= flag= command= i
    ((COMP_CWORD > 0)) && before=${COMP_WORDS[COMP_CWORD - 1]}
    # To bash, --format=csv is three words.
    if [[ $current == '=' ]]; then
        current= flag=$before
    elif [[ $before == '=' ]]; then
        flag=${COMP_WORDS[COMP_CWORD - 2]}
    elif [[ $before == --* ]]; then
        flag=$before
    fi
    for ((i = 1; i < COMP_CWORD; i++)); do
        case "$command ${COMP_WORDS[i]}" in
PATHS
        esac
    done
    COMPREPLY=()
    if [[ -n $flag ]]; then
        case "$command $flag" in
`

const bashTail = `
        esac
    fi
    case $current in
    -*) _@NAME@_words "$(_@NAME@_flags "$command")" ;;
    *) _@NAME@_arguments ;;
    esac
}

# These set COMPREPLY, of words or names that begin with what was typed.
_@NAME@_words() {
    mapfile -t COMPREPLY < <(compgen -W "$1" -- "$current")
}

_@NAME@_names() { # -f: files and folders; -d: folders
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen "$1" -- "$current")
}

_@NAME@_arguments() {
    case $command in
ARGUMENTS
    esac
}

_@NAME@_flags() {
    case $1 in
FLAGS
    esac
}

complete -F _@NAME@ @NAME@
`

func (p Page) bash() string {
	var paths, values, args, flags []string
	for _, path := range append([]string{""}, p.paths()...) {
		if path != "" {
			parent, last := "", path
			if i := strings.LastIndexByte(path, ' '); i >= 0 {
				parent, last = path[:i], path[i+1:]
			}
			paths = append(paths, fmt.Sprintf("        %s) command=%s ;;", shellQuoted(parent+" "+last), shellQuoted(path)))
		}
		var names []string
		for _, f := range p.flagsOf(path) {
			names = append(names, "--"+f.Name)
			if f.Placeholder != "" {
				at := shellQuoted(path + " --" + f.Name)
				values = append(values, strings.TrimRight(fmt.Sprintf("        %s) %s", at, f.bash()), " ")+" return ;;")
			}
		}
		flags = append(flags, fmt.Sprintf("    %s) echo %s ;;", shellQuoted(path), shellQuoted(strings.Join(names, " "))))
		if action := p.bashArguments(path); action != "" {
			args = append(args, fmt.Sprintf("    %s) %s ;;", shellQuoted(path), strings.TrimSuffix(action, ";")))
		}
	}
	text := strings.Replace(bashHead, "PATHS", strings.Join(paths, "\n"), 1) + strings.Join(values, "\n") + bashTail
	text = strings.Replace(text, "ARGUMENTS", strings.Join(args, "\n"), 1)
	text = strings.Replace(text, "FLAGS", strings.Join(flags, "\n"), 1)
	return strings.ReplaceAll(text, "@NAME@", p.Name)
}

// bash is the command that completes a value; nothing where only the user knows
// it.
func (v Value) bash() string {
	switch {
	case len(v.Words) > 0:
		return "_@NAME@_words " + shellQuoted(strings.Join(v.Words, " ")) + ";"
	case v.Is == File:
		return "_@NAME@_names -f;"
	case v.Is == Folder:
		return "_@NAME@_names -d;"
	}
	return ""
}

func (p Page) bashArguments(path string) string {
	var words []string
	for _, c := range p.under(path) {
		words = append(words, c.Path)
	}
	if words != nil {
		return "_@NAME@_words " + shellQuoted(strings.Join(words, " "))
	}
	for _, c := range p.Commands {
		if c.Path == path && len(c.Args) > 0 {
			return c.Args[len(c.Args)-1].bash()
		}
	}
	return ""
}

// paths of all commands.
func (p Page) paths() (all []string) {
	for _, c := range p.Commands {
		all = append(all, c.Path)
	}
	return all
}
