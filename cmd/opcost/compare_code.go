package main

import (
	"context"
	"fmt"

	"opcost/perfctl/explain"
	"opcost/perfctl/result"
	"opcost/profiles"
	"opcost/profiles/diff"
)

// noProfile says why there are no functions, and what would change that.
const noProfile = "these runs have no profile: put `profile: true` in the plan and measure again"

// code reads the profiles beside a pair's runs and takes their difference. What
// cannot be read costs the table of functions and no more.
func (c *compareCmd) code(ctx context.Context, study *explain.Study, i int) (*explain.Code, string) {
	base, new := study.Runs(i)
	bases, err := c.profiles(ctx, base)
	if err != nil {
		return nil, err.Error()
	}
	news, err := c.profiles(ctx, new)
	if err != nil {
		return nil, err.Error()
	}
	var best string
	for event, ps := range bases {
		if len(news[event]) == 0 {
			continue
		}
		if best == "" || rank(ps[0].Event) < rank(bases[best][0].Event) || rank(ps[0].Event) == rank(bases[best][0].Event) && event < best {
			best = event
		}
	}
	switch {
	case len(bases) == 0 || len(news) == 0:
		return nil, noProfile
	case best == "":
		return nil, "the two sides' profiles have no event in common"
	}
	t, err := diff.Build(asSides(bases[best]), asSides(news[best]), diff.Options{Quality: reading{}.quality(ctx)})
	if err != nil {
		return nil, err.Error()
	}
	return explain.CodeOf(t), ""
}

// profiles of runs, by their events.
func (c *compareCmd) profiles(ctx context.Context, runs []result.Run) (map[string][]*profiles.Profile, error) {
	by := map[string][]*profiles.Profile{}
	for _, run := range runs {
		groups, err := reading{}.run(ctx, run)
		if err != nil {
			return nil, fmt.Errorf("a profile of %s cannot be read: %w", run.ID, err)
		}
		for _, g := range groups {
			if c.Event == "" || g.key.event == c.Event {
				by[g.key.event] = append(by[g.key.event], g.each...)
			}
		}
	}
	return by, nil
}
