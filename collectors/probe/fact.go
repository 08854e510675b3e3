package probe

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Fact is something read of the machine, or the reason why it is unknown. The
// zero value is unknown.
type Fact[T any] struct {
	Value T
	Known bool
	// Reason says why it is unknown, or remarks on a known value.
	Reason string
}

func known[T any](v T) Fact[T] { return Fact[T]{Value: v, Known: true} }

func unknown[T any](reason string) Fact[T] { return Fact[T]{Reason: reason} }

// text reads a small file of proc or sys. The reason names it as it is called
// on the machine itself.
func (a asker) text(file string) Fact[string] {
	b, err := os.ReadFile(filepath.Join(a.root, file))
	if err != nil {
		return unknown[string](cannotRead(file, err))
	}
	return known(strings.TrimSpace(string(b)))
}

func cannotRead(file string, err error) string {
	var p *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no /" + file
	case errors.As(err, &p):
		err = p.Err // without the path, which may be one of a test's root
	}
	return "cannot read /" + file + ": " + err.Error()
}

// number reads a file that holds one whole number.
func (a asker) number(file string) Fact[int] {
	t := a.text(file)
	if !t.Known {
		return unknown[int](t.Reason)
	}
	n, err := strconv.Atoi(t.Value)
	if err != nil {
		return unknown[int]("/" + file + " holds " + clean(t.Value) + ", which is no number")
	}
	return known(n)
}

// flag reads a file that holds 0 or 1.
func (a asker) flag(file string) Fact[bool] {
	n := a.number(file)
	switch {
	case !n.Known:
		return unknown[bool](n.Reason)
	case n.Value != 0 && n.Value != 1:
		return unknown[bool]("/" + file + " holds " + strconv.Itoa(n.Value) + ", neither 0 nor 1")
	}
	return known(n.Value == 1)
}
