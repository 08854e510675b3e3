package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// completions: what the tab key offers behind a line, in a folder with the files
// plan.yaml and "a b.json" and the folder night. Each is an offer that must be
// there; one with a minus in front must not.
var completions = []struct{ line, offers string }{
	{"opcost ", "doctor|run|attach|report|compare|import|profile|narrow|man|completion|-top|-plan.yaml"},
	{"opcost re", "report|-run"},
	{"opcost --", "--help|--version|-doctor"},
	{"opcost profile ", "top|diff|flame|export|-doctor|-plan.yaml"},
	{"opcost profile diff --gran", "--granularity"},
	{"opcost profile diff --granularity ", "function|name|object|subsystem|-plan.yaml"},
	{"opcost profile top night --", "--operations|--help|---keep-noise"},
	{"opcost run ", "plan.yaml|night"},
	{"opcost run plan.yaml --out ", "night|-plan.yaml"},
	{"opcost run plan.yaml --esti", "--estimate"},
	{"opcost run --estimate p", "plan.yaml|-night"},
	{"opcost report ", "night|-plan.yaml"},
	{"opcost report night --format ", "table|markdown|csv|tsv|json|benchfmt|html|-night"},
	{"opcost attach --format h", "-html|-night"},
	{"opcost attach --format c", "csv|-table"},
	{"opcost attach --against ", "a b.json|plan.yaml|night"},
	{"opcost attach --per s", "statement|select|second|-row"},
	{"opcost report --width ", "-night|-plan.yaml|-table"},
	{"opcost completion ", "bash|zsh|fish|-plan.yaml"},
	{"opcost compare --fail-on ", "slower|-night"},
}

func completionScript(t *testing.T, shell string) (dir, script string) {
	t.Helper()
	o := inProcess("completion", shell)
	if o.code != exitDone || o.stderr != "" {
		t.Fatalf("%+v", o)
	}
	dir = t.TempDir()
	script = filepath.Join(t.TempDir(), "opcost."+shell)
	err := errors.Join(os.WriteFile(script, []byte(o.stdout), 0o600), os.Mkdir(filepath.Join(dir, "night"), 0o700),
		os.WriteFile(filepath.Join(dir, "plan.yaml"), nil, 0o600), os.WriteFile(filepath.Join(dir, "a b.json"), nil, 0o600))
	if err != nil {
		t.Fatal(err)
	}
	return dir, script
}

// offered runs a shell and gives the lines that it prints.
func offered(t *testing.T, dir string, argv ...string) []string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "HOME="+t.TempDir(), "TERM=dumb")
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil || errs.Len() > 0 {
		t.Fatalf("%q: %v, %s", argv, err, errs.String())
	}
	return strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
}

func checkCompletions(t *testing.T, offers func(line string) []string) {
	t.Helper()
	for _, c := range completions {
		got := offers(c.line)
		for want := range strings.SplitSeq(c.offers, "|") {
			not, mustNot := strings.CutPrefix(want, "-")
			if strings.HasPrefix(want, "--") && !strings.HasPrefix(want, "---") {
				not, mustNot = "", false
			}
			if mustNot && slices.Contains(got, not) {
				t.Errorf("%s: offers %s: %q", c.line, not, got)
			}
			if !mustNot && !slices.Contains(got, want) {
				t.Errorf("%s: does not offer %s but %q", c.line, want, got)
			}
		}
	}
}

func TestCompletionInBash(t *testing.T) {
	if _, err := exec.LookPath("bash"); err != nil {
		t.Skip("bash is not installed")
	}
	dir, script := completionScript(t, "bash")
	// As readline does: the words, "=" being one, and the number of the one at the cursor.
	const asked = `source "$0" && complete -p opcost >/dev/null && for line; do
	IFS='|' read -ra COMP_WORDS <<<"$line"
	[[ $line == *'|' ]] && COMP_WORDS+=('')
	COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
	_opcost opcost
	printf '%s|' "${COMPREPLY[@]}"
	echo
done`
	answer := func(lines ...string) []string {
		for i, l := range lines {
			lines[i] = strings.ReplaceAll(strings.ReplaceAll(l, "=", "|=|"), " ", "|")
		}
		return offered(t, dir, append([]string{"bash", "--norc", "--noprofile", "-c", asked, script}, lines...)...)
	}
	var lines []string
	for _, c := range completions {
		lines = append(lines, c.line)
	}
	answers := answer(slices.Clone(lines)...)
	if len(answers) != len(lines) {
		t.Fatalf("%d answers for %d lines: %q", len(answers), len(lines), answers)
	}
	checkCompletions(t, func(line string) []string { return strings.Split(answers[slices.Index(lines, line)], "|") })
	for line, want := range map[string]string{"opcost report --format=c": "csv|", "opcost report --format=": "table|markdown|csv|tsv|json|benchfmt|html|", "opcost run --out=n": "night|"} {
		if got := answer(line); !slices.Equal(got, []string{want}) {
			t.Errorf("%s: %q", line, got)
		}
	}
}

func TestLongCompletionInFish(t *testing.T) {
	long(t)
	lacking(t, "fish")
	dir, script := completionScript(t, "fish")
	checkCompletions(t, func(line string) (names []string) {
		for _, l := range offered(t, dir, "fish", "--no-config", "-c", fmt.Sprintf("source %s; complete -C %q", script, line)) {
			name, _, _ := strings.Cut(l, "\t")
			names = append(names, strings.ReplaceAll(strings.TrimSuffix(name, "/"), `\ `, " "))
		}
		return names
	})
}

// zshAsked types lines into a real zsh behind a terminal, and prints what its
// completion adds, and "." behind each line's. The list comppostfuncs is emptied
// before its functions are called; a comment is none to an interactive zsh.
const zshAsked = `
zmodload zsh/zpty
await() { # a file; what the terminal shows meanwhile has to be taken from it
	repeat 3000; do
		[[ -e $1 ]] && return
		while zpty -rt z shown '*'; do :; done
		sleep 0.02
	done
	print -u2 "no $1"
	exit 1
}
at=$1/..
zpty z zsh -f -i
zpty -w z "PROMPT= RPROMPT=; cd ${(q)1}; autoload -Uz compinit; compinit -u -d $at/dump; eval \"\$(<${(q)2})\""
zpty -w z '
compadd() {
	if [[ ${@[1,(i)(-|--)]} != *-(O|A|D)\ * ]]; then
		local -a hits
		builtin compadd -A hits "$@"
		print -rl -- $hits >>$PWD/../offers
	fi
	builtin compadd "$@"
}
ended() {
	comppostfuncs=(ended)
	print >>$PWD/../ended
}
comppostfuncs=(ended)
bindkey "^I" complete-word
bindkey "^U" kill-whole-line
setopt no_list_beep no_auto_menu
print >$PWD/../ready'
await $at/ready
for line in "${@[3,-1]}"; do
	rm -f $at/offers $at/ended
	zpty -w -n z "$line"$'\t'
	await $at/ended
	[[ -e $at/offers ]] && cat $at/offers
	print .
	zpty -w -n z $'\x15'
done
zpty -d z
`

func TestLongCompletionInZsh(t *testing.T) {
	long(t)
	lacking(t, "zsh")
	dir, script := completionScript(t, "zsh")
	var lines []string
	for _, c := range completions {
		lines = append(lines, c.line)
	}
	text := strings.Join(offered(t, dir, append([]string{"zsh", "-f", "-c", zshAsked, "zsh", dir, script}, lines...)...), "\n")
	answers := strings.Split(strings.TrimSuffix("\n"+text, "\n."), "\n.")
	if len(answers) != len(lines) {
		t.Fatalf("%d answers for %d lines: %q", len(answers), len(lines), text)
	}
	checkCompletions(t, func(line string) (names []string) {
		for l := range strings.SplitSeq(answers[slices.Index(lines, line)], "\n") {
			names = append(names, strings.ReplaceAll(strings.TrimSuffix(l, "="), `\ `, " "))
		}
		return names
	})
}

// TestCompletionScriptsParse: the shells take the scripts, without a test's line.
func TestCompletionScriptsParse(t *testing.T) {
	tried := 0
	for _, shell := range []string{"bash", "zsh", "fish"} {
		if _, err := exec.LookPath(shell); err != nil {
			continue
		}
		tried++
		dir, script := completionScript(t, shell)
		offered(t, dir, shell, "-n", script)
	}
	if tried == 0 {
		t.Skip("none of bash, zsh and fish is installed")
	}
	if o := inProcess("completion", "tcsh"); o.code != exitUsage || !strings.Contains(o.stderr, "bash") {
		t.Errorf("%+v", o)
	}
}
