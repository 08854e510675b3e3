package main

import "golang.org/x/sys/unix"

// private has what this process and the programs that it starts (servers, perf,
// drivers) write be this user's alone, whatever the umask says: what they write
// may show what a server is asked. It is for commands that measure or keep
// results; a file that is asked for with --out by the others is the user's to
// show around.
func private() { unix.Umask(0o077) }
