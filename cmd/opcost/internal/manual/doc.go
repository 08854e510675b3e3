// Package manual turns the command line's own description (the model that
// kong makes of the commands' structs) into what is kept outside the program: a
// man page, a reference in Markdown, and completions for bash, zsh and fish. So
// a flag is described in one place, beside the code that reads it.
//
// It knows no command of opcost: what stands in a page comes from the model and
// from the sections it is given. It opens no files and runs nothing.
//
// Libraries that were tried first: mango-kong leaves out positional arguments
// and runs examples together into one paragraph; kongplete and kong-completion
// start the program at each press of the tab key, and give zsh and fish no
// descriptions.
package manual
