package main

type manCmd struct{}

func (manCmd) Help() string {
	return `Examples:
  opcost man | man -l -
  opcost man > opcost.1`
}

// Run prints the manual page.
func (manCmd) Run(con console) error {
	p, err := manualPage()
	if err != nil {
		return err
	}
	return p.Man(con.out)
}

type completionCmd struct {
	Shell string `arg:"" enum:"bash,zsh,fish" help:"The shell: bash, zsh or fish."`
}

func (completionCmd) Help() string {
	return `The script completes commands, flags, values and names of files, without starting opcost.
For yourself put one of the first two lines into ~/.bashrc, or into ~/.zshrc behind
compinit; fish reads ~/.config/fish/completions/opcost.fish. For every user it is
/usr/share/bash-completion/completions/opcost, /usr/share/zsh/vendor-completions/_opcost
or /usr/share/fish/vendor_completions.d/opcost.fish.

Examples:
  eval "$(opcost completion bash)"
  eval "$(opcost completion zsh)"
  opcost completion fish > opcost.fish`
}

// Run prints a completion script.
func (c completionCmd) Run(con console) error {
	p, err := manualPage()
	if err != nil {
		return err
	}
	return p.Complete(con.out, c.Shell)
}
