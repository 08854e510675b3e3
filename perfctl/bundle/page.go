package bundle

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"opcost/perfctl/result"
)

// page is the bundle's one page.
func (s *scrubber) page(in Input, files []File, left []string) []byte {
	var b strings.Builder
	say := func(format string, args ...any) { fmt.Fprintf(&b, format, args...) }
	say("# %s\n\n", s.lines(in.Title))
	say("Measured with opcost %s: costs of the server process per query.\n\n", in.Program)
	base, new := in.Base.Runs[0], in.New.Runs[0]

	say("## What was compared\n\n| | base: %s | new: %s |\n|---|---|---|\n", s.words(in.Base.Name), s.words(in.New.Name))
	row := func(name, a, c string) { say("| %s | %s | %s |\n", name, cell(s.words(a)), cell(s.words(c))) }
	row("version", base.Server.VersionText, new.Server.VersionText)
	row("build id", base.Server.BuildID, new.Server.BuildID)
	for _, k := range keysOf(base.Server.Build, new.Server.Build) {
		row("build: "+k, base.Server.Build[k], new.Server.Build[k])
	}
	row("options of the plan", strings.Join(base.Server.Options, " "), strings.Join(new.Server.Options, " "))
	row("launcher", strings.Join(base.Server.Launcher, " "), strings.Join(new.Server.Launcher, " "))
	row("workload", cellName(base), cellName(new))
	row("data", data(base), data(new))
	row("session", sessionText(base), sessionText(new))
	row("server starts", fmt.Sprint(starts(in.Base.Runs)), fmt.Sprint(starts(in.New.Runs)))

	say("\n## How to repeat it\n\n")
	for _, c := range in.Commands {
		say("    %s\n", s.words(c))
	}
	say("\nPaths in the plans are those of the machine that measured; opcost makes private servers and data of its own.\n")

	say("\n## What was found\n\n%s\n", deeper(strings.TrimSpace(s.lines(in.Explanation))))

	say("\n## Configurations\n\nEffective variables that differ, of those that bear on cost; all of them are in the records (`runs/`).\n\n| variable | base | new |\n|---|---|---|\n")
	n := 0
	for _, k := range keysOf(base.Server.Variables, new.Server.Variables) {
		a, c := base.Server.Variables[k], new.Server.Variables[k]
		if a != c {
			row(k, s.keyed(k, a, nil), s.keyed(k, c, nil))
			n++
		}
	}
	if n == 0 {
		row("none", "", "")
	}
	say("\nPlans of the statements:\n\n| statement | base | new |\n|---|---|---|\n")
	for _, k := range keysOf(base.Server.Plans, new.Server.Plans) {
		say("| `%s` | %s | %s |\n", strings.ReplaceAll(s.text(k), "|", `\|`), cell(s.words(base.Server.Plans[k])), cell(s.words(new.Server.Plans[k])))
	}

	say("\n## Machine\n\n| | base | new |\n|---|---|---|\n")
	a, c := machine(base.Machine), machine(new.Machine)
	for i := range a {
		row(a[i][0], a[i][1], c[i][1])
	}

	say("\n## Files\n\n")
	for _, f := range files {
		if f.About != "" {
			say("- `%s`: %s\n", s.words(f.Name), s.words(f.About))
		}
	}
	say("- `runs/`: the record of each run, and its raw evidence\n")
	if len(left) > 0 {
		say("\nLeft out:\n\n")
		for _, l := range left {
			say("- %s\n", s.lines(l))
		}
	}
	say("\nHost names, addresses, users' names, passwords and values in statements were replaced (host-1, ADDRESS, USER, %s, ?).\n", removed)
	return []byte(b.String())
}

// deeper puts headings one level down.
func deeper(markdown string) string {
	var b strings.Builder
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "#") {
			line = "#" + line
		}
		b.WriteString(line)
	}
	return b.String()
}

// keysOf are the names of both, in order.
func keysOf(a, b map[string]string) []string {
	all := maps.Clone(a)
	if all == nil {
		all = map[string]string{}
	}
	maps.Copy(all, b)
	return slices.Sorted(maps.Keys(all))
}

func cell(s string) string {
	if s == "" {
		return "-"
	}
	return strings.ReplaceAll(strings.ReplaceAll(s, "|", `\|`), "\n", " ")
}

func cellName(r result.Run) string {
	return fmt.Sprintf("%s, %s, driver %s", r.Workload, count(r.Clients, "client"), r.Driver)
}

func data(r result.Run) string {
	return fmt.Sprintf("%s of %d rows, seed %d", count(r.Tables, "table"), r.Rows, r.Seed)
}

func sessionText(r result.Run) string {
	tls := "no TLS"
	if r.TLS {
		tls = strings.TrimSpace("TLS " + r.Server.Session["ssl_cipher"])
	}
	return fmt.Sprintf("%s over %s, %s, %s", r.Protocol, r.Transport, r.Charset, tls)
}

func starts(runs []result.Run) int {
	names := map[string]bool{}
	for _, r := range runs {
		names[r.Start] = true
	}
	return len(names)
}

func machine(m result.Machine) [][2]string {
	number := func(n float64) string {
		if n == 0 {
			return ""
		}
		return fmt.Sprint(n)
	}
	return [][2]string{
		{"kernel", m.Kernel}, {"CPU", m.CPUModel}, {"CPUs", number(float64(m.CPUs))}, {"memory, MB", number(float64(m.MemoryKB >> 10))},
		{"NUMA nodes", number(float64(m.NUMANodes))}, {"hypervisor", m.Hypervisor}, {"governor", m.Governor}, {"boost", m.Boost}, {"SMT", m.SMT},
		{"highest clock, MHz", number(m.MaxMHz)}, {"transparent huge pages", m.THP}, {"mitigations", m.Mitigations},
		{"hardware counters", m.PMU}, {"perf", m.Perf}, {"valgrind", m.Valgrind},
	}
}
