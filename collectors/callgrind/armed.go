package callgrind

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"opcost/collectors"
	"opcost/perfctl/result"
)

// armed is one window on one server.
type armed struct {
	target     collectors.Target
	dir        string
	hint       string
	control    control
	begin, end threadMap // nil until the edge was read
}

// switchTo sets the instrumentation, with further commands between, and gives
// valgrind's threads. Valgrind executes the commands in order, so the state it
// ends with acknowledges all of them.
func (a *armed) switchTo(ctx context.Context, on bool, first ...string) (threadMap, error) {
	word := "off"
	if on {
		word = "on"
	}
	commands := append(append([]string{}, first...), "instrumentation "+word)
	if on {
		// After switching on: off, there may be no counts to set to zero yet.
		commands = append(commands, "zero")
	}
	commands = append(commands, "v.info scheduler", "instrumentation")
	reply, err := a.control.send(ctx, commands...)
	if err != nil {
		return nil, err
	}
	is, err := instrumented(reply)
	if err != nil {
		return nil, err
	}
	if is != on {
		return nil, fmt.Errorf("valgrind (pid %d) did not switch instrumentation %s", a.control.pid, word)
	}
	return parseThreads(strings.NewReader(reply))
}

// Begin switches instrumentation on and all counts to zero.
func (a *armed) Begin(ctx context.Context) (err error) {
	a.begin, err = a.switchTo(ctx, true)
	return err
}

// End makes callgrind write its counts and switches instrumentation off.
func (a *armed) End(ctx context.Context) (err error) {
	if a.begin == nil {
		return errors.New("callgrind: the window's end without its beginning")
	}
	a.end, err = a.switchTo(ctx, false, "dump "+a.hint)
	return err
}

// Close reads the dumps, keeps them compressed as evidence, and removes them.
func (a *armed) Close() ([]result.Reading, error) {
	if a.end == nil {
		err := a.abandon()
		return lackingAll(result.NotCounted, "the window was not measured to its end", ""), err
	}
	dumps, err := readDumps(a.dir, a.control.pid, a.hint)
	if err != nil {
		return lackingAll(result.Failed, err.Error(), "see valgrind's log in "+a.dir), err
	}
	readings := a.readings(dumps)
	return readings, keep(dumps, a.target.Evidence, a.target.Tag)
}

// abandon leaves the server running without instrumentation.
func (a *armed) abandon() error {
	if a.begin == nil {
		return nil // it was never on
	}
	_, err := a.switchTo(context.Background(), false)
	return err
}
