package callgrind

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestParseThreads(t *testing.T) {
	// The shape of valgrind 3.19's answer.
	const reply = `
host stacktrace:
==7==    at 0x58020C4A: ??? (in /usr/libexec/valgrind/callgrind-amd64-linux)

sched status:
  running_tid=0

Thread 1: status = VgTs_WaitSys syscall 7 (lwpid 10675)
==7==    at 0x536E26F: poll (poll.c:29)
client stack range: [0x1FFEFF4000 0x1FFF000FFF] client SP: 0x1FFEFFFC40

Thread 12: status = VgTs_Yielding (lwpid 10692)
==7==    by 0xFA5A00: f(int) (in /usr/sbin/mariadbd)
instrumentation: on
`
	got, err := parseThreads(strings.NewReader(reply))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(threadMap{1: 10675, 12: 10692}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	for _, bad := range []string{"", "instrumentation: on\n", "Thread 1: status = x (lwpid 99999999999999999999)\n"} {
		if got, err := parseThreads(strings.NewReader(bad)); err == nil {
			t.Errorf("%q: %v", bad, got)
		}
	}
}
