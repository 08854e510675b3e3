package callgrind

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
)

// maxReplyLine is above what valgrind prints of the longest C++ name.
const maxReplyLine = 1 << 20

// threadLine is a thread in the answer to "v.info scheduler", as valgrind's
// VG_(show_sched_status) prints it:
//
//	Thread 11: status = VgTs_WaitSys syscall 7 (lwpid 10692)
var threadLine = regexp.MustCompile(`^Thread (\d+): status = .*\(lwpid (\d+)\)`)

// threadMap is valgrind's thread numbers, which name the dumps, to the
// system's thread ids. Valgrind gives the number of an ended thread to a new
// one.
type threadMap map[int]int

// parseThreads reads the answer to "v.info scheduler".
func parseThreads(r io.Reader) (threadMap, error) {
	threads := threadMap{}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, maxReplyLine)
	for sc.Scan() {
		m := threadLine.FindStringSubmatch(sc.Text())
		if m == nil {
			continue // stack traces
		}
		number, errN := strconv.Atoi(m[1])
		tid, errT := strconv.Atoi(m[2])
		if errN != nil || errT != nil {
			return nil, fmt.Errorf("valgrind's list of threads: %q", sc.Text())
		}
		threads[number] = tid
	}
	if err := sc.Err(); err != nil {
		return nil, fmt.Errorf("valgrind's list of threads: %w", err)
	}
	if len(threads) == 0 {
		return nil, fmt.Errorf("valgrind's list of threads is empty")
	}
	return threads, nil
}
