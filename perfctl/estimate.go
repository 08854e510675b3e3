package perfctl

import (
	"context"
	"fmt"
	"slices"
	"time"

	"opcost/collectors/probe"
	"opcost/perfctl/plan"
	"opcost/perfctl/result"
	"opcost/perfctl/server"
	"opcost/perfctl/workload"
)

// Need is what a plan needs, as far as it can be told before it starts. With a
// budget, Time and Starts are those of the first screen and of all repeats.
type Need struct {
	Starts int           `json:"starts"` // server starts that are not on disk yet
	Time   time.Duration `json:"time_ns"`
	// Screen is the time of the first screen of a plan with a budget, else Time.
	Screen time.Duration `json:"screen_ns"`
	Budget time.Duration `json:"budget_ns,omitempty"`
	Parts  []NeedPart    `json:"parts"`
	Disk   int64         `json:"disk_bytes"` // the most at one time
	Copies []NeedCopy    `json:"copies"`
}

// NeedPart is the loads, or the starts of one pass.
type NeedPart struct {
	What   string        `json:"what"`
	Number int           `json:"number"`
	Time   time.Duration `json:"time_ns"`
}

// NeedCopy is one version's data: as loaded, and as measured on.
type NeedCopy struct {
	Version string `json:"version"`
	Copies  int    `json:"copies"`
	Bytes   int64  `json:"bytes"` // of one
}

// Estimate tells what the runs of a plan that are not on disk yet need. It asks
// the server binaries for their versions and times a little work in dir (which
// must exist), and starts nothing else.
func Estimate(ctx context.Context, p *plan.Plan, caps probe.Caps, have map[string]bool, dir string) (Need, error) {
	tests, err := workload.Resolve(p.Workloads)
	if err != nil {
		return Need{}, err
	}
	ways, err := waysOf(p, caps)
	if err != nil {
		return Need{}, err
	}
	if _, err := identify(ctx, p, tests); err != nil {
		return Need{}, err
	}
	pace, err := measurePace(dir)
	if err != nil {
		return Need{}, fmt.Errorf("time a write in %s: %w", dir, err)
	}
	ids := make([]server.Identity, len(p.Versions))
	for i, v := range p.Versions {
		if ids[i], err = server.Identify(ctx, v.Mysqld, v.Launcher, v.Env); err != nil {
			return Need{}, fmt.Errorf("version %s: %w", v.Name, err)
		}
	}
	return estimate(p, ways, missing(Schedule(p, tests, ways.kinds()), p, have), ids, pace), nil
}

func estimate(p *plan.Plan, ways ways, starts []Start, ids []server.Identity, pace pace) Need {
	n := Need{Starts: len(starts), Budget: p.Budget, Copies: []NeedCopy{}, Parts: []NeedPart{}}
	k := costs{plan: p, ways: ways, pace: pace}
	loads := NeedPart{What: "load"}
	for i, v := range p.Versions {
		if !needed(starts, i) {
			continue
		}
		copies := NeedCopy{Version: v.Name, Copies: 2, Bytes: copyOf(p, v, ids[i])}
		if p.Restore.Kind == server.RestoreReflink || replays(p) {
			copies.Copies = 1 // blocks are shared, or there is nothing to go back to
		}
		n.Copies = append(n.Copies, copies)
		n.Disk += int64(copies.Copies) * copies.Bytes
		k.copy = max(k.copy, copies.Bytes)
		loads.Number++
		loads.Time += k.load()
	}
	if loads.Number > 0 {
		n.Parts = append(n.Parts, loads)
	}
	n.Screen = loads.Time
	first := len(n.Parts)
	for _, pass := range ways.kinds() {
		n.Parts = append(n.Parts, NeedPart{What: passName(pass)})
	}
	done, dirty := make([][]Past, len(p.Versions)), make([]bool, len(p.Versions)) // by version
	for i := range dirty {
		dirty[i] = !replays(p)
	}
	longest := time.Duration(0) // write test
	for _, s := range starts {
		loaded, todo := missingPast(p, s, done[s.Version], dirty[s.Version])
		d := k.start(s, loaded) + k.redo(todo)
		done[s.Version], dirty[s.Version] = s.Past, false
		if s.Cells[0].Test.Write {
			longest = max(longest, d)
			if dirty[s.Version] = !replays(p); replays(p) {
				done[s.Version] = append(s.Past[:len(s.Past):len(s.Past)], Past{s.Cells[0], s.Repeat, s.Pass})
			}
		}
		part := &n.Parts[first+slices.Index(ways.kinds(), s.Pass)]
		part.Number++
		part.Time += d
		if p.Budget == 0 || s.Repeat < screenStarts {
			n.Screen += d
		}
		for _, c := range s.Cells {
			n.Disk += runBytes + k.profileBytes(ways.of(s.Pass), c)
		}
	}
	for _, part := range n.Parts {
		n.Time += part.Time
	}
	if n.Starts > 0 {
		n.Disk += temporary + int64(longest.Seconds())*writtenBytes
	}
	return n
}

func passName(k result.PassKind) string {
	if k == result.PassCallgrind {
		return "start under valgrind"
	}
	return "start"
}
