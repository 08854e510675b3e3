package callgrind

import (
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// The names of the readings.
const (
	total      = "instructions_user"
	connection = "instructions_connection_user"
	background = "instructions_background_user"
)

func got(name string, n uint64) result.Reading {
	return result.Got(name, float64(n), "count", result.SourceCallgrind, result.User)
}

func lacking(name string, st result.State, reason, remedy string) result.Reading {
	return result.Lacking(name, "count", result.SourceCallgrind, result.User, st, reason, remedy)
}

func lackingAll(st result.State, reason, remedy string) []result.Reading {
	var all []result.Reading
	for _, name := range []string{total, connection, background} {
		all = append(all, lacking(name, st, reason, remedy))
	}
	return all
}

// readings are the instructions of all threads, and of the connection threads
// and the rest apart where that can be told.
func (a *armed) readings(dumps []dump) []result.Reading {
	connections, whyNot := a.connectionThreads()
	var all, conn uint64
	for _, d := range dumps {
		all += d.instructions
		if connections[d.thread] {
			conn += d.instructions
		}
	}
	readings := []result.Reading{got(total, all)}
	if whyNot != "" {
		return append(readings, lacking(connection, result.NotCounted, whyNot, ""), lacking(background, result.NotCounted, whyNot, ""))
	}
	return append(readings, got(connection, conn), got(background, all-conn))
}

// connectionThreads are valgrind's numbers of the threads that serve the
// workload's connections. Each must have been the same thread at both edges,
// because a dump holds all that ran under its number.
func (a *armed) connectionThreads() (numbers map[int]bool, whyNot string) {
	if a.target.ConnTIDs == nil {
		if a.target.ConnTIDsReason != "" {
			return nil, a.target.ConnTIDsReason
		}
		return nil, "it is not known which threads serve the connections"
	}
	numbers = map[int]bool{}
	var lost []string
	for _, tid := range a.target.ConnTIDs {
		n, ok := a.number(a.begin, tid)
		if m, still := a.number(a.end, tid); ok && still && m == n {
			numbers[n] = true
			continue
		}
		lost = append(lost, fmt.Sprint(tid))
	}
	if lost != nil {
		slices.Sort(lost)
		return nil, "connection threads began or ended within the window: " + strings.Join(lost, ", ")
	}
	return numbers, ""
}

// number finds valgrind's number of a thread.
func (a *armed) number(threads threadMap, tid int) (int, bool) {
	for n, lwp := range threads {
		if here, ok := a.target.NSTIDs[lwp]; ok {
			lwp = here
		}
		if lwp == tid {
			return n, true
		}
	}
	return 0, false
}
