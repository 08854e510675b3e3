package perfdata

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"opcost/collectors/child"
	"opcost/profiles"

	"golang.org/x/sys/unix"
)

// about is what perf says of a file apart from its samples.
type about struct {
	buildIDs map[string]string // by the object's path
	stats    map[string]stats  // by event
	throttle int64
	kallsyms string // the kernel's names, where perf would not look for them
	warnings []string
}

// stats are what perf report counted of one event.
type stats struct{ samples, lost int64 }

// ask asks perf. What it cannot say is a warning: the samples are read anyhow.
func ask(ctx context.Context, path string, o Options) about {
	a := about{}
	out, _, err := child.Output(ctx, o.Perf, "buildid-list", "--force", "--input", path)
	if err != nil && ctx.Err() == nil {
		a.warnings = append(a.warnings, fmt.Sprintf("perf buildid-list: %v; objects have no build id", err))
	}
	a.buildIDs = parseBuildIDs(out)
	if o.SymFS != "" {
		// With --symfs, perf takes no kernel's names unless told from where.
		out, _, _ := child.Output(ctx, o.Perf, "report", "--header-only", "--force", "--input", path) // a failure is one to tell the kernel
		if recorded := parseRelease(out); recorded != "" && recorded == release() {
			a.kallsyms = "/proc/kallsyms"
		} else {
			a.warnings = append(a.warnings, fmt.Sprintf("the kernel's functions have no names: recorded on Linux %q, this is %q", recorded, release()))
		}
	}
	argv := []string{o.Perf, "report", "--stats", "--force", "--input", path}
	if o.SymFS != "" {
		argv = append(argv, "--symfs", o.SymFS)
	}
	out, _, err = child.Output(ctx, argv...)
	if err != nil && ctx.Err() == nil {
		a.warnings = append(a.warnings, fmt.Sprintf("perf report --stats: %v; lost and throttled samples are not known in full", err))
	}
	a.stats, a.throttle = parseStats(out)
	return a
}

// parseRelease finds the kernel's release in perf report --header-only.
func parseRelease(header string) string {
	for _, line := range strings.Split(header, "\n") {
		if key, value, ok := strings.Cut(strings.TrimPrefix(line, "# "), " : "); ok && strings.TrimSpace(key) == "os release" {
			return strings.TrimSpace(value)
		}
	}
	return ""
}

// release is this machine's kernel's.
func release() string {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return ""
	}
	return unix.ByteSliceToString(u.Release[:])
}

// parseBuildIDs reads perf buildid-list: hex and a path a line.
func parseBuildIDs(s string) map[string]string {
	ids := map[string]string{}
	for _, line := range strings.Split(s, "\n") {
		id, path, ok := strings.Cut(strings.TrimSpace(line), " ")
		if ok && len(id) >= 8 && strings.Trim(id, "0123456789abcdef") == "" && strings.Trim(id, "0") != "" {
			ids[strings.TrimSpace(path)] = id
		}
	}
	return ids
}

// parseStats reads perf report --stats:
//
//	Aggregated stats:
//	        THROTTLE events:         68  ( 0.4%)
//	cycles stats:
//	          SAMPLE events:       9036
//	    LOST_SAMPLES events:          1
//
// Of an event, LOST_SAMPLES is how many samples were lost; in the sum over all,
// how many records said so.
func parseStats(s string) (map[string]stats, int64) {
	events := map[string]stats{}
	var throttle int64
	event := ""
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if name, ok := strings.CutSuffix(line, " stats:"); ok {
			if event = name; name == "Aggregated" {
				event = ""
			}
			continue
		}
		what, after, ok := strings.Cut(line, " events:")
		fields := strings.Fields(after)
		if !ok || len(fields) == 0 {
			continue
		}
		n, err := strconv.ParseInt(fields[0], 10, 64)
		if err != nil || n < 0 {
			continue
		}
		st := events[event]
		switch {
		case event == "" && what == "THROTTLE":
			throttle = n
		case event != "" && what == "SAMPLE":
			st.samples = n
			events[event] = st
		case event != "" && what == "LOST_SAMPLES":
			st.lost = n
			events[event] = st
		}
	}
	return events, throttle
}

// fill puts into the profiles what perf said.
func (a about) fill(set *profiles.Set) {
	set.Warnings = append(set.Warnings, a.warnings...)
	first := &set.Profiles[0].Problems
	byRecords := first.Lost
	var bySamples int64
	for _, p := range set.Profiles {
		st, ok := a.stats[p.Event.Name]
		if !ok {
			continue
		}
		bySamples += st.lost
		if _, n := p.Total(); n != st.samples {
			set.Warnings = append(set.Warnings, fmt.Sprintf("%s: perf script printed %d samples, perf report counts %d", p.Event.Name, n, st.samples))
		}
	}
	// Since Linux 6.1 the kernel counts each event's lost samples, and perf
	// writes them at the end; the records of a full buffer count them too, so
	// that the sum of both would be twice the truth.
	if bySamples >= byRecords && bySamples > 0 {
		first.Lost = 0
		for _, p := range set.Profiles {
			p.Problems.Lost = a.stats[p.Event.Name].lost
		}
	}
	if first.Throttled = max(first.Throttled, a.throttle); first.Throttled > 0 && len(set.Profiles) > 1 {
		set.Warnings = append(set.Warnings, fmt.Sprintf("sampling was throttled %d times; of which event, perf does not say: counted with the first, %s", first.Throttled, set.Profiles[0].Event.Name))
	}
}
