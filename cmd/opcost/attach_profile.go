package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"opcost/collectors/record"
	"opcost/perfctl"
	"opcost/perfctl/report"
	"opcost/perfctl/result"
	"opcost/profiles/granularity"
)

// profiling are the flags of a sampled window after the counting one.
type profiling struct {
	Profile      bool   `help:"Record a profile too: a second window, in which perf samples the server."`
	ProfileHz    int    `help:"Samples a second and CPU. Default: 499." placeholder:"N"`
	CallGraph    string `help:"How stacks are walked: fp (frame pointers, the default), dwarf (50 times the data, more load), lbr (Intel, hardware events)." placeholder:"KIND" words:"fp,dwarf,lbr"`
	ProfileEvent string `help:"What is sampled, as perf names it. Default: instructions, else cycles, else cpu-clock." placeholder:"EVENT"`
	ProfileOut   string `help:"A new file for the profile (pprof). Default: opcost-profile-TIME.pb.gz." placeholder:"FILE"`
}

func (p profiling) options() record.Options {
	return record.Options{Hz: p.ProfileHz, CallGraph: record.CallGraph(p.CallGraph), Event: p.ProfileEvent}
}

// checkProfile finds what would be wrong only after windows have been measured.
func (p *profiling) checkProfile() error {
	if !p.Profile {
		if (*p != profiling{}) {
			return errors.New("--profile-hz, --call-graph, --profile-event and --profile-out go with --profile only")
		}
		return nil
	}
	if err := p.options().Check(); err != nil {
		return fmt.Errorf("--profile: %w", err)
	}
	p.ProfileOut = cmp.Or(p.ProfileOut, time.Now().Format("opcost-profile-20060102-150405.pb.gz"))
	return newFile("--profile-out", p.ProfileOut)
}

// newFile: a file that exists is left as it is, and its folder must be there.
func newFile(flag, path string) error {
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s: %s exists and is left as it is; give another name", flag, path)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("%s: there is no folder %s; make it first", flag, filepath.Dir(path))
	}
	return nil
}

// canProfile says before anything is measured why there can be no profile.
func (a *attachment) canProfile() error {
	if a.process.PID == 0 {
		return fmt.Errorf("--profile: the server's process cannot be seen: %s", a.process.Reason)
	}
	return perfctl.CanSample(a.caps)
}

// profile makes the sampled window, as a pass of the run.
func (c *attachCmd) profile(ctx context.Context, con console, a *attachment, run *result.Run) error {
	event, note := record.Event(a.caps)
	if event = cmp.Or(c.ProfileEvent, event); note != "" && c.ProfileEvent == "" {
		event += " (" + note + ")"
	}
	fmt.Fprintf(con.err, "sampling %s for %v by %s\n", a, c.Duration, event)
	dir, err := os.MkdirTemp("", "opcost-attach-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	target := a.target
	target.Evidence, target.Tag = dir, "profile"
	warned := len(run.Warnings)
	err = perfctl.AttachProfile(ctx, perfctl.AttachOptions{
		Target: target, Ops: a.ops, Length: c.Duration, Caps: a.caps, Ended: a.process.Ended,
	}, c.options(), run, c.ProfileOut)
	for i := range run.Passes { // it was in a folder of this window only
		for j := range run.Passes[i].Windows {
			run.Passes[i].Windows[j].Evidence = nil
		}
	}
	for _, w := range run.Warnings[warned:] {
		fmt.Fprintln(con.err, "warning:", w.Text)
	}
	if err != nil {
		return a.explain(err)
	}
	fmt.Fprintf(con.err, "profile: %s\n", c.ProfileOut)
	return nil
}

// shownFunctions is the rows of the table after a window; `opcost profile top`
// gives more.
const shownFunctions = 15

// showProfile prints the functions that a profile's cost was in, where a table
// is printed for people: a format for programs holds one document, and the file
// the rest.
func (c *attachCmd) showProfile(ctx context.Context, con console, f report.Format) error {
	if _, err := os.Stat(c.ProfileOut); errors.Is(err, os.ErrNotExist) {
		return nil // why there is none was said
	}
	if f != report.Table && f != report.Markdown {
		return nil
	}
	if _, err := fmt.Fprintln(con.out); err != nil {
		return err
	}
	top := profileTopCmd{Inputs: []string{c.ProfileOut}, rows: rows{Granularity: string(granularity.Function), Limit: shownFunctions}, showing: c.showing}
	return top.Run(ctx, con)
}
