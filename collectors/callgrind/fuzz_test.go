package callgrind

import (
	"fmt"
	"strings"
	"testing"

	"opcost/testbed/linear"
)

// Whatever valgrind answers: threads have numbers, and a state that is not said
// is an error.
func FuzzAnswers(f *testing.F) {
	for _, s := range []string{
		"Thread 11: status = VgTs_WaitSys syscall 7 (lwpid 10692)\n   at 0x1: poll\n", "Thread 99999999999999999999: status = x (lwpid 1)\n",
		"Thread 1: status = (lwpid 7) (lwpid 8)\n\x00", "instrumentation: on\n", "x\ninstrumentation: off", "", "\n\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		threads, err := parseThreads(strings.NewReader(text))
		if (err == nil) != (len(threads) > 0) {
			t.Errorf("%v with %v", threads, err)
		}
		on, err := instrumented(text)
		if err == nil && on != strings.HasSuffix(strings.TrimSpace(text), "instrumentation: on") {
			t.Errorf("it is on: %v", on)
		}
		_ = ptraceHint(text)
	})
}

func TestManyThreads(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		var b strings.Builder
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, "Thread %d: status = VgTs_WaitSys syscall 7 (lwpid %d)\n==1==    at 0x4E: poll (poll.c:29)\n==1==    by 0x5F: handle_connections_sockets() (mysqld.cc:1)\n", i, i)
		}
		return b.String()
	}, func(s string) {
		if _, err := parseThreads(strings.NewReader(s)); err != nil {
			t.Error(err)
		}
	})
}
