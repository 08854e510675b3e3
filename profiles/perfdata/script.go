package perfdata

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"time"

	"opcost/collectors/child"
	"opcost/profiles"
	"opcost/profiles/perfscript"

	"golang.org/x/sys/unix"
)

// fields to print. The period and the time make a sample's line unmistakable,
// whatever a thread is called; a file may lack either.
var fields = []string{"comm", "pid", "tid", "time", "event", "period", "ip", "sym", "dso"}

// arguments of perf script. The records tell where files are mapped and what
// was lost. Nothing is made up of hardware traces.
func arguments(path string, o Options, kallsyms string, fields []string) []string {
	argv := []string{o.Perf, "script", "--force", "--input", path,
		"--fields", strings.Join(fields, ","), "--header", "--no-itrace",
		"--show-mmap-events", "--show-task-events", "--show-lost-events"}
	if kallsyms != "" {
		argv = append(argv, "--kallsyms", kallsyms)
	}
	if !o.Inline {
		argv = append(argv, "--no-inline")
	}
	if o.SymFS != "" {
		argv = append(argv, "--symfs", o.SymFS)
	}
	return argv
}

// refused is how perf script says that a file was recorded without a field.
var refused = regexp.MustCompile(`do not have [A-Z_]+ attribute set\. Cannot print '(\w+)' field`)

// script runs perf script and reads what it prints while it prints. A field
// that the file does not have is left out in a further try.
func script(ctx context.Context, path string, o Options, a about) (*profiles.Set, error) {
	with := slices.Clone(fields)
	for {
		set, said, err := run(ctx, arguments(path, o, a.kallsyms, with), perfscript.Options{Threads: o.Threads, BuildIDs: a.buildIDs})
		if err == nil {
			return set, nil
		}
		m := refused.FindStringSubmatch(said)
		if m == nil || !slices.Contains(with, m[1]) || ctx.Err() != nil {
			return nil, err
		}
		with = slices.DeleteFunc(with, func(f string) bool { return f == m[1] })
	}
}

// run runs a perf script and reads its output. What it said on stderr is given
// too, and, where the reading succeeded, is in the set's warnings.
func run(ctx context.Context, argv []string, o perfscript.Options) (*profiles.Set, string, error) {
	errFile, err := os.CreateTemp("", "opcost-perf-*")
	if err != nil {
		return nil, "", err
	}
	defer errFile.Close()
	if err := os.Remove(errFile.Name()); err != nil {
		return nil, "", err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, "", err
	}
	defer r.Close()
	in := &patient{r: r}
	if size, err := unix.FcntlInt(w.Fd(), unix.F_SETPIPE_SZ, 1<<20); err == nil && size >= 1<<20 {
		in.pause = 4 * time.Millisecond // perf script prints some 400 kB meanwhile
	}
	p, err := child.Start(child.Spec{Argv: append(inLargePieces(), argv...), Stdout: w, Stderr: errFile})
	_ = w.Close() // the child has its own; else the reading would not end
	if err != nil {
		return nil, "", fmt.Errorf("perf script: %w", err)
	}
	stop := context.AfterFunc(ctx, func() {
		select {
		case <-p.Done():
		default:
			_ = syscall.Kill(-p.PID(), syscall.SIGKILL) // and what it started
		}
		_ = r.Close()
	})
	defer stop()
	set, parseErr := perfscript.Parse(in, o)
	if parseErr != nil {
		_ = r.Close() // perf may still be printing
		_ = p.Stop(syscall.SIGTERM, 5*time.Second)
	}
	<-p.Done()
	if ctx.Err() != nil {
		return nil, "", fmt.Errorf("perf script: %w", context.Cause(ctx))
	}
	buf := make([]byte, 64<<10)
	n, _ := errFile.ReadAt(buf, 0)
	said := messages(string(buf[:n]))
	ended := ""
	if err := p.Err(); err != nil && parseErr == nil || err != nil && errors.Is(parseErr, perfscript.ErrNoSamples) {
		ended = fmt.Sprintf("perf script ended with %v", err)
	}
	switch {
	case parseErr != nil:
		return nil, strings.Join(said, "\n"), explain(parseErr, said, ended)
	case ended != "":
		set.Warnings = append(set.Warnings, ended+" in the middle of the file: the profile is of what it printed until then")
	}
	for _, s := range said {
		set.Warnings = append(set.Warnings, "perf script: "+s)
	}
	return set, strings.Join(said, "\n"), nil
}

// inLargePieces is what stands before a program's arguments to have it print
// 64 kB at a time, nothing where stdbuf (of GNU coreutils) is not there. perf
// prints 4 kB at a time by itself; of 288 MB, writing so took a tenth of all its
// time even into /dev/null.
func inLargePieces() []string {
	path, err := exec.LookPath("stdbuf")
	if err != nil {
		return nil
	}
	return []string{path, "--output=64K"}
}

// patient reads a large pipe in large pieces: a reader that woke for each that
// perf prints would cost as much as the parsing.
type patient struct {
	r     io.Reader
	pause time.Duration // shorter than what fills the pipe
	full  bool          // the last read left something behind
}

func (p *patient) Read(b []byte) (int, error) {
	if !p.full {
		time.Sleep(p.pause)
	}
	n, err := p.r.Read(b)
	p.full = n == len(b)
	return n, err
}

// explain makes an error of what perf printed, on which stream ever.
func explain(parseErr error, said []string, ended string) error {
	text := strings.Join(said, "; ")
	switch {
	case !errors.Is(parseErr, perfscript.ErrNoSamples):
		return fmt.Errorf("what perf script prints of it cannot be read: %w", parseErr)
	case strings.Contains(text, "incompatible file format"):
		return fmt.Errorf("perf cannot read this file (%s): it is cut off, broken, or of a newer perf or another byte order; read it with the perf that recorded it", text)
	case ended != "" && text != "":
		return fmt.Errorf("%s: %s; the file may be cut off, or of a newer perf: copy it again, or read it with the perf that recorded it", ended, text)
	case ended != "":
		return errors.New(ended)
	case text != "":
		return fmt.Errorf("%w: perf script says: %s", perfscript.ErrNoSamples, text)
	}
	return fmt.Errorf("%w in it: perf could not attach (Yama, capabilities, kernel.perf_event_paranoid), or nothing ran", perfscript.ErrNoSamples)
}

// messages are the lines that perf said, joined where it wraps a warning, once each.
func messages(s string) []string {
	var all []string
	seen := map[string]bool{}
	for _, line := range strings.Split(s, "\n") {
		line = strings.TrimSpace(line)
		if line == "" || line == "Warning:" || seen[line] {
			continue
		}
		seen[line] = true
		if len(all) == 20 {
			return append(all, "and more")
		}
		all = append(all, line)
	}
	return all
}
