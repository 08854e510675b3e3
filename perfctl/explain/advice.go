package explain

import (
	"fmt"
	"slices"
	"strings"

	"opcost/perfctl/compare"
	"opcost/perfctl/result"
)

// surer says what would make the answer surer.
func (f *facts) surer(e Explanation) []string {
	out := []string{}
	v := e.Verdict
	if r := v.Ratio; r != nil {
		switch {
		case v.Word == string(compare.Unsure) && r.MoreStarts > 0:
			out = append(out, fmt.Sprintf("about %d more server starts a side would tell %s (there are %d and %d): repeats: %d in the plan", r.MoreStarts, label(v.Metric), e.BaseStarts, e.NewStarts, min(e.BaseStarts, e.NewStarts)+r.MoreStarts))
		case v.Reason != "":
			out = append(out, label(v.Metric)+": "+v.Reason)
		}
		if c, _ := f.of(v.Metric); r.Low == nil && v.Word == "" && c.m.Source != result.SourceImport {
			out = append(out, fmt.Sprintf("there is no interval, since there are %d and %d server starts: set repeats to 4 and more", e.BaseStarts, e.NewStarts))
		}
	} else if v.Reason != "" {
		out = append(out, v.Reason)
	}
	settings := 0
	for _, d := range e.Differences {
		if d.Class == Session || d.Class == Setting {
			settings++
		}
	}
	if settings > 0 {
		out = append(out, fmt.Sprintf("%s of the session or of the server differ: make them alike one at a time before the version is blamed", things(settings)))
	}
	for _, k := range e.Kinds {
		if k.Kind == NoisyMachine {
			out = append(out, "a quiet machine: times and QPS met other load")
		}
	}
	if f.code == nil && e.Lack != "" {
		out = append(out, "which code: "+e.Lack)
	}
	return out
}

func things(n int) string {
	if n == 1 {
		return "1 setting"
	}
	return fmt.Sprintf("%d settings", n)
}

// next are commands to go on with. DIR stands for the folder of results.
func (f *facts) next(e Explanation) []string {
	out := []string{}
	b, n := f.selector(f.baseRuns[0].Version, f.baseKey, f.baseRuns[0].Dir), f.selector(f.newRuns[0].Version, f.newKey, f.newRuns[0].Dir)
	if slices.ContainsFunc(e.Differences, func(d Difference) bool { return d.Isolate.Where != "" && d.Class != Build }) {
		out = append(out, fmt.Sprintf("opcost compare --base %s --new %s --isolate plans/   # a plan for each setting that differs", b, n))
	}
	if f.code != nil {
		out = append(out, fmt.Sprintf("opcost profile flame --base %s --new %s", b, n))
	}
	if len(f.all) > 1 {
		out = append(out, "opcost compare ... --all   # explains each workload and number of clients")
	}
	return out
}

// selector is what names a side on a command line.
func (f *facts) selector(version string, k key, dir string) string {
	text := version
	if dir != "" {
		text = dir + ":" + text
	}
	text += ",workload=" + k.workload
	if k.clients != "0" { // of a load that is not ours
		text += ",clients=" + k.clients
	}
	for i, name := range fieldNames {
		if name == "workload" || name == "clients" {
			continue
		}
		if f.free[i] || slices.ContainsFunc(f.all, func(o *facts) bool { return *o.newKey.fields()[i] != *f.newKey.fields()[i] }) {
			text += "," + name + "=" + *k.fields()[i]
		}
	}
	if strings.ContainsAny(text, " \t'\"$&;|<>()*?`\\!#") {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	return text
}
