package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"sync"
	"syscall"
	"time"
)

// stopper turns signals into an orderly end. The first SIGINT, SIGTERM or
// SIGHUP cancels the context: a measurement ends its window, keeps it, stops its
// servers and prints what there is. The second ends the program at once.
type stopper struct {
	err io.Writer

	mu  sync.Mutex
	end []func() error
}

// atOnce adds what the second signal must still do.
func (s *stopper) atOnce(end func() error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.end = append(s.end, end)
}

// context is for commands that measure. Only when one asks for it are signals
// caught; a command that only reads and prints just ends.
func (s *stopper) context() context.Context {
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if !signal.Ignored(syscall.SIGHUP) { // nohup means to go on
		signal.Notify(signals, syscall.SIGHUP)
	}
	// Whoever read our progress may go away; the measurement goes on. A signal
	// that is caught, unlike one that is ignored, is not so in our children.
	signal.Notify(make(chan os.Signal, 1), syscall.SIGPIPE)

	ctx, cancel := context.WithCancelCause(context.Background())
	go func() {
		first := <-signals
		newProgress(s.err).note("stopping; press Ctrl-C again to end at once")
		cancel(interrupted{first})
		<-signals
		s.now()
	}()
	return ctx
}

// interrupted is why a context was cancelled.
type interrupted struct{ os.Signal }

func (i interrupted) Error() string { return i.String() }

// quick is how long the removal of data may take when the user wants out.
const quick = 3 * time.Second

// now ends the program. Its servers and tools are killed by the kernel when it
// is gone; what it cannot remove in time, the next `opcost run` does.
func (s *stopper) now() {
	done := make(chan error, 1)
	go func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		var failed error
		for _, end := range s.end {
			failed = errors.Join(failed, end())
		}
		done <- failed
	}()
	why := "ended at once"
	select {
	case err := <-done:
		if err != nil {
			why = fmt.Sprintf("ended at once; %v; the next `opcost run` clears it", err)
		}
	case <-time.After(quick):
		why = "ended at once; data is left, which the next `opcost run` clears"
	}
	newProgress(s.err).note("opcost: %s", why)
	os.Exit(exitIncomplete)
}
