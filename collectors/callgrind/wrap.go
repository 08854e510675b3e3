package callgrind

import "path/filepath"

// Wrapper is how a server is started under callgrind.
type Wrapper struct {
	// Valgrind is the valgrind program; "" means "valgrind" on PATH.
	Valgrind string
	// Dir is a private folder, an absolute path without '%': valgrind's log,
	// its dumps and vgdb's pipes go there. The caller makes it before the
	// server starts and removes it after the server has ended (valgrind removes
	// its pipes at a clean end, and writes a last dump a thread).
	Dir string
}

// Wrap puts valgrind in front of a server's command line. The process keeps
// the id it was started with: valgrind replaces itself by the tool, and a
// launcher in argv (numactl, a loader) is followed to what it executes.
//
// The server must go on as the user who started valgrind: valgrind takes
// commands only from a vgdb that its own user may signal, so a server that is
// started by root must get --user=root.
func (w Wrapper) Wrap(argv []string) []string {
	valgrind := w.Valgrind
	if valgrind == "" {
		valgrind = "valgrind"
	}
	return append([]string{
		valgrind,
		"--tool=callgrind",
		"--instr-atstart=no",     // start-up and loading run at several times the speed
		"--fair-sched=yes",       // else a busy thread can keep the others from running at all
		"--separate-threads=yes", // connection threads apart from background threads
		"--trace-children=yes",   // through a launcher to the server
		"--callgrind-out-file=" + filepath.Join(w.Dir, dumpName+"%p"),
		"--vgdb-prefix=" + w.vgdbPrefix(),
		"--log-file=" + filepath.Join(w.Dir, "valgrind.%p.log"),
	}, argv...)
}

// dumpName begins the names of callgrind's output files.
const dumpName = "callgrind.out."

// vgdbPrefix is what the names of valgrind's pipes begin with.
func (w Wrapper) vgdbPrefix() string { return filepath.Join(w.Dir, "vgdb-pipe") }
