package perfcontrol

import (
	"bytes"
	"testing"
	"time"
)

// Whatever perf answers: a command is acknowledged by "ack\n" and a NUL alone,
// and after any other answer no later one is believed.
func FuzzAnswer(f *testing.F) {
	for _, s := range []string{"ack\n\x00", "ack\n", "ack\n\x00ack\n\x00", "nak\n\x00ack\n\x00", "\x00", "", "ack\x00", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\x00"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, answers []byte) {
		if len(answers) > 4096 {
			return // less than a pipe holds
		}
		control, theirs, err := Open()
		if err != nil {
			t.Fatal(err)
		}
		defer control.Close()
		defer theirs[0].Close()
		if _, err := theirs[1].Write(answers); err != nil {
			t.Fatal(err)
		}
		if err := theirs[1].Close(); err != nil {
			t.Fatal(err)
		}
		const ack = "ack\n\x00"
		rest, failed := answers, false
		for range 3 {
			err := control.Send(t.Context(), Enable, time.Minute)
			good := !failed && bytes.HasPrefix(rest, []byte(ack))
			if (err == nil) != good {
				t.Fatalf("%q answered: %v", rest, err)
			}
			if failed = !good; good {
				rest = rest[len(ack):]
			}
		}
	})
}
