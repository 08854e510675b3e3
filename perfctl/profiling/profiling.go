package profiling

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/callgrind"
	"opcost/profiles/perfdata"
	"opcost/profiles/pprof"
)

// Input is a recorded window.
type Input struct {
	Data  []string // one file of perf's, or callgrind's dumps, one a thread
	Out   string   // the profile is written here; a file that exists is not overwritten
	Perf  string   // the perf program that reads its data
	PID   int      // the server, which still runs: it may see other files than we do; 0: not known
	About profiles.About
}

// KeepBytes is the size up to which perf's raw data are kept once they are
// converted: they hold what a profile does not (times, CPUs, copies of stacks),
// and with dwarf they are 50 times the profile.
const KeepBytes = 64 << 20

// Sampled converts perf's data. They are kept, unless they are larger than
// [KeepBytes]; that is one of the warnings.
func Sampled(ctx context.Context, in Input) (warnings []string, err error) {
	data := in.Data[0]
	root := rootOf(in.PID)
	set, err := perfdata.Read(ctx, data, perfdata.Options{Perf: in.Perf, SymFS: root})
	if err != nil {
		return nil, err
	}
	if len(set.Profiles) == 0 {
		return nil, fmt.Errorf("%s: no sample: the server used no CPU in the window", data)
	}
	warnings, err = in.write(set, root)
	if err != nil {
		return warnings, err
	}
	note, err := trim(data, KeepBytes)
	if note != "" {
		warnings = append(warnings, note)
	}
	return warnings, err
}

// trim removes raw data of more than so many bytes, and says so.
func trim(data string, most int64) (note string, err error) {
	info, err := os.Stat(data)
	if err != nil || info.Size() <= most {
		return "", err
	}
	note = fmt.Sprintf("perf's raw data (%d MB) were removed once they were converted: only up to %d MB are kept", info.Size()>>20, most>>20)
	return note, os.Remove(data)
}

// Counted converts callgrind's dumps, which are kept.
func Counted(in Input) (warnings []string, err error) {
	if len(in.Data) == 0 {
		return nil, errors.New("callgrind left no dump to make a profile of")
	}
	set, err := callgrind.ReadFiles(in.Data...)
	if err != nil {
		return nil, err
	}
	return in.write(set, rootOf(in.PID))
}

// write completes the profiles, whose objects are under root, and writes them to a new file. The warnings are
// those of the reader, and its own.
func (in Input) write(set *profiles.Set, root string) (warnings []string, err error) {
	for i, p := range set.Profiles {
		resolved, more := resolve(p, root)
		resolved.About = in.about(p.About)
		set.Profiles[i], set.Warnings = resolved, append(set.Warnings, more...)
	}
	err = result.NewFile(in.Out, 0o600, func(w io.Writer) error { return pprof.Write(w, set) })
	if err != nil {
		err = fmt.Errorf("the profile: %w", err)
	}
	return set.Warnings, err
}

// about is what we know of the profile, and the rest as its reader found it.
func (in Input) about(read profiles.About) profiles.About {
	a := in.About
	if a.CallGraph == "" {
		a.CallGraph = read.CallGraph
	}
	if a.Hz == 0 {
		a.Hz = read.Hz
	}
	return a
}
