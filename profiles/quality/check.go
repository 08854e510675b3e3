package quality

import (
	"fmt"
	"strings"

	"opcost/perfctl/result"
	"opcost/profiles"
)

// Options are what the profile itself does not know.
type Options struct {
	// SymbolPackage names the package that has an object's debug symbols; "" where
	// that is not known. Object is as the profile says it. nil: nothing is known.
	// See [DebugPackage].
	SymbolPackage func(object, buildID string) string
}

// DebugPackage is the package with the debug symbols of what another package
// installed: manager is dpkg or rpm; "" for another, or no package.
//
// Debian and Ubuntu build NAME-dbgsym (in an archive of its own, see
// wiki.debian.org/AutomaticDebugPackages), Fedora and its kin NAME-debuginfo.
func DebugPackage(manager, installed string) string {
	installed, _, _ = strings.Cut(installed, ":") // dpkg: libc6:amd64
	switch {
	case installed == "":
		return ""
	case manager == "dpkg" && (installed == "libc6" || installed == "libc6-i386"):
		return "libc6-dbg" // glibc's are built by hand
	case manager == "dpkg":
		return installed + "-dbgsym"
	case manager == "rpm":
		return installed + "-debuginfo"
	}
	return ""
}

// Check applies the rules to a profile. A rule that the profile has no numbers
// for is left out.
func Check(p *profiles.Profile, o Options) []result.Quality {
	f := gather(p, o)
	var qs []result.Quality
	for _, r := range Rules {
		v, known := r.value(f)
		if !known {
			continue
		}
		q := result.Quality{Name: r.Name, Value: v, Limit: r.Limit, OK: v <= r.Limit}
		if !q.OK {
			shown := v
			if r.percent {
				shown *= 100
			}
			q.Text = fmt.Sprintf(r.Text, shown)
			if r.more != nil {
				q.Text += r.more(f)
			}
		}
		qs = append(qs, q)
	}
	return qs
}

// Worst is, of several profiles' checks, of each name the one with the largest
// value.
func Worst(all ...[]result.Quality) []result.Quality {
	var out []result.Quality
	for _, r := range Rules {
		var worst *result.Quality
		for _, qs := range all {
			for i := range qs {
				if qs[i].Name == r.Name && (worst == nil || qs[i].Value > worst.Value) {
					worst = &qs[i]
				}
			}
		}
		if worst != nil {
			out = append(out, *worst)
		}
	}
	return out
}
