// Package isolate writes the plans that find out which of several differences
// between two versions a change comes from: the base as it was measured, beside
// the base with one setting taken from the other side.
//
// It reads no records and measures nothing: runs and their differences in,
// texts of plans out; [Write] puts them into a folder. It does not decide what
// differs (package explain does), nor whether a server will take an option.
package isolate

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"opcost/perfctl/explain"
	"opcost/perfctl/result"
)

// Input is what the plans are made from.
type Input struct {
	// Base and New are a run of each side, of one cell.
	Base, New result.Run
	// Plan is the text of the plan that the base was measured by, for lengths,
	// repeats and the like; nil where it is lost: then a plan's defaults hold.
	Plan        []byte
	Differences []explain.Difference
}

// Plan is one, ready to run.
type Plan struct {
	Name string // of the file
	Text []byte
}

// Skipped is a difference of which there is no plan.
type Skipped struct{ Name, Reason string }

// Plans makes a plan for each difference that one setting of the plan can take
// away. The others are named with the reason. Runs that were imported or
// attached to have no server of opcost's, which is an error.
func Plans(in Input) (plans []Plan, skipped []Skipped, err error) {
	base, err := versionOf(in.Base)
	if err != nil {
		return nil, nil, fmt.Errorf("base %s: %w", in.Base.Version, err)
	}
	common, err := commonKeys(in.Plan, in.Base)
	if err != nil {
		return nil, nil, err
	}
	var done [][2]string // what is set, and the difference it is set for
	for _, d := range in.Differences {
		skip := func(reason string) { skipped = append(skipped, Skipped{d.Name, reason}) }
		if d.Isolate.Where == "" {
			skip(d.Isolate.Reason)
			continue
		}
		if name, ok := strings.CutPrefix(d.Name, "option "); ok && !planSets(name, in.Base) && !planSets(name, in.New) {
			skip("neither plan sets it: opcost does, as a server needs it")
			continue
		}
		what := d.Isolate.Where + " " + d.Isolate.Key
		if i := slices.IndexFunc(done, func(o [2]string) bool { return o[0] == what }); i >= 0 {
			skip("the plan for " + done[i][1] + " is its plan too")
			continue
		}
		done = append(done, [2]string{what, d.Name})
		other := base.clone()
		other.Name = versionName(base.Name, d)
		keys := slices.Clone(common)
		switch reason := other.take(d.Isolate, in.New); {
		case reason != "":
			skip(reason)
			continue
		case d.Isolate.Where == "transport":
			if keys, reason = transport(keys, d.Isolate.New); reason != "" {
				skip(reason)
				continue
			}
		}
		versions := []version{base, other}
		if d.Isolate.Where == "transport" { // of a whole plan: the base again is what was measured
			versions = []version{other}
		}
		text, err := write(about(d, in.Base, in.New), versions, keys)
		if err != nil {
			return nil, nil, fmt.Errorf("plan for %s: %w", d.Name, err)
		}
		plans = append(plans, Plan{Name: fmt.Sprintf("%02d-%s.yaml", len(plans)+1, plainName(cmpOr(d.Isolate.Key, d.Isolate.Where))), Text: text})
	}
	return plans, skipped, nil
}

// planSets tells whether a run's plan had an option.
func planSets(name string, r result.Run) bool {
	return slices.ContainsFunc(r.Server.Options, func(o string) bool { return named(o, strings.ReplaceAll(name, "-", "_")) || bare(o) == name })
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// about is the comment at a plan's head.
func about(d explain.Difference, base, new result.Run) []string {
	lines := []string{
		fmt.Sprintf("Does %s explain the change from %s to %s?", d.Name, base.Version, new.Version),
		fmt.Sprintf("%s has %s, %s has %s.", base.Version, shown(d.Isolate.Base), new.Version, shown(d.Isolate.New)),
		fmt.Sprintf("Here %s is measured with %s's.", base.Version, new.Version),
	}
	if d.Isolate.Where == "mysqld" {
		lines = append(lines, "The launcher and the environment come with the program.")
	}
	if d.Isolate.Where == "transport" {
		lines = append(lines, "A plan has one transport, so the version stands alone: compare it with the base's results.")
	}
	return lines
}

func shown(s string) string {
	if s == "" {
		return "nothing"
	}
	return s
}

var unfit = regexp.MustCompile(`[^A-Za-z0-9._+-]+`)

// plainName does as part of a file's and of a version's name.
func plainName(s string) string {
	s = strings.Trim(unfit.ReplaceAllString(s, "-"), "-._+")
	if s == "" {
		return "setting"
	}
	return s[:min(len(s), 40)]
}

// versionName is within the 64 characters that a version's name may have.
func versionName(base string, d explain.Difference) string {
	with := "-with-" + plainName(cmpOr(d.Isolate.Key, d.Isolate.Where))
	return base[:min(len(base), 64-len(with))] + with
}

// version is one of a plan.
type version struct {
	Name         string
	Mysqld       string
	DefaultsFile string
	Options      []string
	Charset      string
	Protocol     string
	TLS          bool
	Launcher     []string
	Env          map[string]string
}

// versionOf is the version that a run was measured as.
func versionOf(r result.Run) (version, error) {
	switch {
	case r.Driver == result.Attached:
		return version{}, errors.New("it is a live server that opcost attached to: opcost has no way to start it with another setting. Repeat it with a plan, then compare")
	case r.Server.Binary == "" || len(r.Server.Argv) == 0:
		return version{}, errors.New("its record does not say how the server was started, as with imported results: there is nothing to take a plan from")
	}
	return version{Name: plainVersion(r.Version), Mysqld: r.Server.Binary, DefaultsFile: r.Server.Defaults, Options: r.Server.Options,
		Charset: r.Charset, Protocol: r.Protocol, TLS: r.TLS, Launcher: r.Server.Launcher, Env: r.Server.Env}, nil
}

func plainVersion(name string) string { return plainName(name) }
