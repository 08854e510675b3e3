package priority

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// niceness is the calling thread's as /proc says it.
func niceness(t *testing.T) int {
	t.Helper()
	b, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(unix.Gettid()) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	n, err := strconv.Atoi(strings.Fields(rest)[16]) // field 19, and the rest begins with field 3
	if err != nil {
		t.Fatal(err)
	}
	return n
}

func TestRaise(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root may raise a priority")
	}
	back := Raise()
	at := unix.Gettid()
	if n := niceness(t); n != highest {
		t.Errorf("niceness %d while raised", n)
	}
	done := make(chan int)
	go func() { done <- niceness(t) }()
	if n := <-done; n == highest {
		t.Error("another goroutine was raised too")
	}
	if unix.Gettid() != at {
		t.Error("the goroutine went to another thread")
	}
	before := niceness(t)
	back()
	b, err := os.ReadFile("/proc/self/task/" + strconv.Itoa(at) + "/stat")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(b), ") ")
	if n := strings.Fields(rest)[16]; n != "0" && before == highest {
		t.Errorf("niceness %s afterwards", n)
	}
}
