// Package perfcontrol speaks perf's control protocol (`--control fd:CTL,ACK`,
// man perf-stat): a command and a newline one way, an acknowledgement the other
// way. It neither starts perf nor knows what perf counts.
package perfcontrol

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"
)

// The commands that every perf with --control knows (5.10 and later; ping and
// stop came later). A disable of what is disabled changes nothing, and its
// acknowledgement says that perf has attached: it listens only then.
const (
	Enable  = "enable"
	Disable = "disable"
)

// Argument is perf's option for the two descriptors of [Open], given to the
// child as its descriptors 3 and 4.
const Argument = "fd:3,4"

// Control is our end of the two pipes.
type Control struct {
	commands *os.File
	acks     *os.File
	lost     error // set once an acknowledgement went missing: later ones could be it
}

// Open makes the pipes. The files are the child's ends, in the order of
// [Argument]; close them when the child is started, so that its death is seen.
func Open() (*Control, []*os.File, error) {
	theirCommands, commands, err := os.Pipe()
	if err != nil {
		return nil, nil, err
	}
	acks, theirAcks, err := os.Pipe()
	if err != nil {
		_ = theirCommands.Close()
		_ = commands.Close()
		return nil, nil, err
	}
	return &Control{commands: commands, acks: acks}, []*os.File{theirCommands, theirAcks}, nil
}

// ErrLate is wrapped where perf, or the machine, was too slow to answer.
var ErrLate = errors.New("no answer within")

// ErrEnded: perf closed its ends, so it has ended or is about to.
var ErrEnded = errors.New("perf ended")

// Send gives a command and returns when perf has acknowledged it. Without a
// deadline in ctx it waits for the time given. After an error the other side's
// state is unknown, and every later Send fails too.
func (c *Control) Send(ctx context.Context, command string, wait time.Duration) error {
	if c.lost != nil {
		return c.lost
	}
	err := c.send(ctx, command, wait)
	if err != nil {
		c.lost = fmt.Errorf("perf did not acknowledge %q: %w", command, err)
	}
	return c.lost
}

func (c *Control) send(ctx context.Context, command string, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	if err := ctx.Err(); err != nil {
		return err
	}
	// A read or write that waits is ended by a deadline in the past.
	stop := context.AfterFunc(ctx, func() {
		_ = c.commands.SetDeadline(time.Unix(1, 0))
		_ = c.acks.SetDeadline(time.Unix(1, 0))
	})
	defer stop()
	if _, err := c.commands.WriteString(command + "\n"); err != nil {
		return cause(ctx, err, wait)
	}
	ack, err := c.readAck()
	if err != nil {
		return cause(ctx, err, wait)
	}
	if ack != "ack\n" {
		return fmt.Errorf("it answered %q", ack)
	}
	return nil
}

// readAck reads to the NUL: an acknowledgement is "ack\n" and a NUL, and who
// reads four bytes drifts by one a command.
func (c *Control) readAck() (string, error) {
	var s strings.Builder
	var b [1]byte
	for s.Len() < 64 {
		if _, err := io.ReadFull(c.acks, b[:]); err != nil {
			return s.String(), err
		}
		if b[0] == 0 {
			return s.String(), nil
		}
		s.WriteByte(b[0])
	}
	return s.String(), fmt.Errorf("it answered %q", s.String())
}

func cause(ctx context.Context, err error, wait time.Duration) error {
	switch {
	case errors.Is(err, os.ErrDeadlineExceeded) && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Errorf("%w %v", ErrLate, wait)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return ctx.Err()
	case errors.Is(err, io.EOF), errors.Is(err, os.ErrClosed), errors.Is(err, syscall.EPIPE):
		return ErrEnded
	}
	return err
}

// Close closes our ends. It may be called twice.
func (c *Control) Close() {
	_ = c.commands.Close()
	_ = c.acks.Close()
}
