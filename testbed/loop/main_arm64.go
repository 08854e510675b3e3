// Command loop retires two instructions a turn of a loop written in assembly,
// beside a start and an end that do not depend on the number of turns:
//
//	loop TURNS
//
// So a counter of user instructions can be judged by a number known beforehand.
package main

import (
	"fmt"
	"os"
	"strconv"
)

// spin makes turns (more than 0) turns of SUBS and BNE.
func spin(turns uint64)

func main() {
	if len(os.Args) == 2 {
		if n, err := strconv.ParseUint(os.Args[1], 10, 64); err == nil && n > 0 {
			spin(n)
			return
		}
	}
	fmt.Fprintln(os.Stderr, "usage: loop TURNS")
	os.Exit(2)
}
