package perfcontrol

import (
	"bufio"
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

// peer plays perf: it answers each command by what answer gives.
func peer(t *testing.T, answer func(command string) string) *Control {
	t.Helper()
	c, files, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	commands, acks := files[0], files[1]
	go func() {
		defer commands.Close()
		defer acks.Close()
		for s := bufio.NewScanner(commands); s.Scan(); {
			a := answer(s.Text())
			if a == "end" {
				return
			}
			_, _ = acks.WriteString(a)
		}
	}()
	return c
}

func TestSend(t *testing.T) {
	long := strings.Repeat("x", 1000)
	tests := []struct {
		name, answer, want string
	}{
		{"ack", "ack\n\x00", ""},
		{"death", "end", `perf did not acknowledge "enable": perf ended`},
		{"silence", "", `perf did not acknowledge "enable": no answer within 50ms`},
		{"no NUL", "ack\n", `perf did not acknowledge "enable": no answer within 50ms`},
		{"another word", "nak\n\x00", `perf did not acknowledge "enable": it answered "nak\n"`},
		{"garbage", long, `perf did not acknowledge "enable": it answered "` + long[:64] + `"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			c := peer(t, func(string) string { return tt.answer })
			wait := 50 * time.Millisecond
			if tt.want == "" || tt.answer == "end" {
				wait = time.Minute
			}
			err := c.Send(context.Background(), Enable, wait)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// An acknowledgement that comes late belongs to the command before, so nothing
// after it can be trusted.
func TestLateAckIsNotTakenForTheNext(t *testing.T) {
	release := make(chan struct{})
	c := peer(t, func(command string) string {
		if command == Enable {
			<-release
		}
		return "ack\n\x00"
	})
	first := c.Send(context.Background(), Enable, 20*time.Millisecond)
	close(release)
	second := c.Send(context.Background(), Disable, time.Minute)
	if first == nil || !errors.Is(second, first) {
		t.Errorf("first %v, second %v", first, second)
	}
}

func TestManyCommandsStayInStep(t *testing.T) {
	var got []string
	c := peer(t, func(command string) string { got = append(got, command); return "ack\n\x00" })
	var want []string
	for range 50 {
		for _, command := range []string{Enable, Disable} {
			if err := c.Send(context.Background(), command, time.Minute); err != nil {
				t.Fatal(err)
			}
			want = append(want, command)
			// Acknowledged means received: no command waits in the pipe.
			if len(got) != len(want) {
				t.Fatalf("acknowledged %d commands, perf saw %d", len(want), len(got))
			}
		}
	}
}

func TestCancelledContextEndsTheWait(t *testing.T) {
	c := peer(t, func(string) string { return "" })
	ctx, cancel := context.WithCancel(context.Background())
	time.AfterFunc(20*time.Millisecond, cancel)
	if err := c.Send(ctx, Enable, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestClosedPipeIsAnEnd(t *testing.T) {
	c, files, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		_ = f.Close()
	}
	if err := c.Send(context.Background(), Enable, time.Minute); !errors.Is(err, ErrEnded) {
		t.Errorf("write to nobody: %v", err)
	}
	c.Close()
	c.Close()
}
