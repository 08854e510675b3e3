package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"opcost/perfctl/result"
	"opcost/profiles/flame"
	"opcost/profiles/subsystem"
)

// flamesBeside writes a flame graph of each cell that has profiles into a folder
// beside the page, PAGE.flames. It gives them by the runs' folders, relative to
// the page's.
func flamesBeside(ctx context.Context, con console, page writing, runs []result.Run) (map[string]string, error) {
	name := strings.TrimSuffix(filepath.Base(page.Out), filepath.Ext(page.Out)) + ".flames"
	dir := filepath.Join(filepath.Dir(page.Out), name)
	if !page.Force {
		for _, path := range []string{page.Out, dir} {
			if _, err := os.Lstat(path); err == nil {
				return nil, usageError{fmt.Errorf("%s is there already: give another --out, or --force to write over it", path)}
			}
		}
	}
	c := profileFlameCmd{MaxSize: flame.DefaultLimit}
	var all []group
	paths := map[cell][]string{}
	for _, r := range runs {
		gs, err := c.run(ctx, r)
		if err != nil {
			return nil, err
		}
		for _, g := range c.chosen(gs) {
			all = append(all, g)
			paths[g.key] = append(paths[g.key], r.Path)
		}
	}
	if len(all) == 0 {
		return nil, usageError{errors.New("--flames: none of the runs has a profile: put `profile: true` in the plan and measure again")}
	}
	cells, err := c.added(all, 0)
	if err != nil {
		return nil, err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, fmt.Errorf("--flames: %w", err)
	}
	links := map[string]string{}
	for i, g := range cells {
		file := fmt.Sprintf("%03d-%s.html", i+1, fileName(g.title))
		if err := c.flameOf(ctx, con, g, writing{Out: filepath.Join(dir, file), Force: page.Force}); err != nil {
			return nil, fmt.Errorf("--flames: %s: %w", g.title, err)
		}
		for _, p := range paths[g.key] {
			links[p] = name + "/" + file
		}
	}
	return links, nil
}

// flameOf writes the flame graph of one cell.
func (c *profileFlameCmd) flameOf(ctx context.Context, con console, g group, to writing) error {
	in := flame.Input{Title: g.title, Name: flameName, Subsystems: subsystem.Default(), Limit: c.MaxSize}
	var err error
	if in.Base, err = c.graph(ctx, g, &in.Notes, ""); err != nil {
		return err
	}
	return to.write(con, func(w io.Writer) error {
		_, err := flame.Write(w, in)
		return err
	})
}

var noName = regexp.MustCompile(`[^A-Za-z0-9._=-]+`)

// fileName is a text that may be part of a file's name anywhere.
func fileName(text string) string {
	text = strings.Trim(noName.ReplaceAllString(text, "-"), "-.")
	return text[:min(len(text), 80)]
}
