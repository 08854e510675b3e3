package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"opcost/collectors/probe"
	"opcost/perfctl"
	"opcost/perfctl/plan"
	"opcost/perfctl/report"
)

// refuseAt is the share of what is needed below which a run is not begun: the
// estimate of the disk is good to 30%.
const refuseAt = 0.7

// fits says whether a run may begin; the warning is for one that may not end.
func fits(need perfctl.Need, free int64, dir string) (warning string, err error) {
	text := fmt.Sprintf("the plan needs about %s in %s, where %s are free: give --work DIR on a larger disk, fewer rows or versions, or a smaller innodb-log-file-size",
		bytesText(need.Disk), dir, bytesText(free))
	switch {
	case float64(free) < refuseAt*float64(need.Disk):
		return "", usageError{errors.New(text)}
	case free < need.Disk:
		return text, nil
	}
	return "", nil
}

// overBudget says that even the first screen takes more than the budget.
func overBudget(need perfctl.Need) string {
	if need.Budget == 0 || need.Screen <= need.Budget {
		return ""
	}
	return fmt.Sprintf("two starts of every cell take about %s, which is more than the budget of %s; they are made all the same, and no more", timeText(need.Screen), timeText(need.Budget))
}

// check says before a run what it needs, and refuses one that cannot end.
func (c *runCmd) check(ctx context.Context, bar *progress, p *plan.Plan, caps probe.Caps, have map[string]bool, work string) error {
	need, err := perfctl.Estimate(ctx, p, caps, have, work)
	if err != nil {
		return usageError{err}
	}
	free, err := probe.FreeAt(work)
	if err != nil {
		return usageError{err}
	}
	warning, err := fits(need, free, work)
	for _, w := range []string{warning, overBudget(need)} {
		if w != "" {
			bar.note("warning: %s", w)
		}
	}
	return err
}

// estimate prints what the runs that are not in the folder yet need. It makes
// no folder.
func (c *runCmd) estimate(ctx context.Context, con console, f report.Format, p *plan.Plan, out string) error {
	have := map[string]bool{}
	if _, err := os.Stat(out); err == nil {
		if have, err = present(con, out, c.Plan, p); err != nil {
			return err
		}
	}
	dir, err := existing(cmp.Or(c.Work, out))
	if err != nil {
		return usageError{err}
	}
	need, err := perfctl.Estimate(ctx, p, probe.Ask(ctx), have, dir)
	if err != nil {
		return usageError{err}
	}
	free, err := probe.FreeAt(dir)
	if err != nil {
		return usageError{err}
	}
	if err := writeNeed(con.out, f, need, free, dir); err != nil {
		return err
	}
	if w := overBudget(need); w != "" {
		fmt.Fprintln(con.err, "warning:", w)
	}
	if w, err := fits(need, free, dir); err != nil || w != "" {
		fmt.Fprintln(con.err, "warning:", cmp.Or(w, fmt.Sprint(err)))
	}
	return nil
}

// existing is the folder itself, or the one in which it will be made.
func existing(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	for err == nil {
		var st os.FileInfo
		st, err = os.Stat(dir)
		switch {
		case err == nil && !st.IsDir():
			err = fmt.Errorf("%s is not a folder", dir)
		case err == nil:
			return dir, nil
		case errors.Is(err, fs.ErrNotExist):
			dir, err = filepath.Dir(dir), nil
		}
	}
	return "", err
}

// writeNeed prints an estimate.
func writeNeed(w io.Writer, f report.Format, need perfctl.Need, free int64, dir string) error {
	switch f {
	case report.JSON:
		e := json.NewEncoder(w)
		e.SetIndent("", "  ")
		return e.Encode(struct {
			Schema int `json:"schema"`
			perfctl.Need
			Free int64 `json:"free_bytes"`
		}{1, need, free})
	case report.Table:
	default:
		return usageError{fmt.Errorf("--estimate prints table and json, not %s", f)}
	}
	var b strings.Builder
	if need.Starts == 0 {
		fmt.Fprintln(&b, "nothing: all runs of the plan are on disk")
		_, err := io.WriteString(w, b.String())
		return err
	}
	var parts []string
	for _, p := range need.Parts {
		parts = append(parts, fmt.Sprintf("%s %s", plural(p.Number, p.What), timeText(p.Time)))
	}
	if need.Budget > 0 {
		fmt.Fprintf(&b, "time  about %s for two starts of every cell; then up to the budget of %s, where unsure (all repeats would take %s)\n",
			timeText(need.Screen), timeText(need.Budget), timeText(need.Time))
	} else {
		fmt.Fprintf(&b, "time  about %s\n", timeText(need.Time))
	}
	fmt.Fprintf(&b, "      %s\n", strings.Join(parts, ", "))
	fmt.Fprintf(&b, "disk  about %s of %s free in %s\n", bytesText(need.Disk), bytesText(free), dir)
	for _, c := range need.Copies {
		fmt.Fprintf(&b, "      %s: %s of %s\n", c.Version, plural(c.Copies, "copy"), bytesText(c.Bytes))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func plural(n int, what string) string {
	switch {
	case n == 1:
	case what == "copy":
		what = "copies"
	case strings.HasPrefix(what, "start"):
		what = "starts" + strings.TrimPrefix(what, "start")
	default:
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

func timeText(d time.Duration) string {
	switch {
	case d < 90*time.Second:
		return fmt.Sprintf("%d s", int(d.Seconds()+0.5))
	case d < 90*time.Minute:
		return fmt.Sprintf("%d min", int(d.Minutes()+0.5))
	default:
		return fmt.Sprintf("%.1f h", d.Hours())
	}
}

func bytesText(n int64) string {
	switch {
	case n < 10e6:
		return fmt.Sprintf("%.1f MB", float64(n)/1e6)
	case n < 10e9:
		return fmt.Sprintf("%.0f MB", float64(n)/1e6)
	default:
		return fmt.Sprintf("%.0f GB", float64(n)/1e9)
	}
}
