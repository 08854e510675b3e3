package main

import (
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	docLink    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	docHeading = regexp.MustCompile("^#+ +(.*)$")
	docCode    = regexp.MustCompile("`[^`]*`")
)

// prose is a document without its blocks of code.
func prose(text string) string {
	var b strings.Builder
	inside := false
	for line := range strings.Lines(text) {
		if docFence.MatchString(line) {
			inside = !inside
		} else if !inside {
			b.WriteString(line)
		}
	}
	return b.String()
}

// anchors are the ends of addresses that a page's headings have on GitHub and
// GitLab: words in small letters, joined with hyphens.
func anchors(text string) (all []string) {
	for line := range strings.Lines(prose(text)) {
		m := docHeading.FindStringSubmatch(strings.TrimSpace(line))
		if m == nil {
			continue
		}
		a := strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', r >= '0' && r <= '9', r >= 'a' && r <= 'z', r > 127:
				return r
			}
			return -1
		}, strings.ToLower(m[1]))
		all = append(all, a)
	}
	return all
}

// links are the targets of a document's links. What looks like one in code is none.
func links(text string) (targets []string) {
	for _, m := range docLink.FindAllStringSubmatch(docCode.ReplaceAllString(prose(text), ""), -1) {
		targets = append(targets, m[1])
	}
	return targets
}

// deadLinks are the links of a document that lead to nothing in the project.
func deadLinks(file, text string) (dead []string) {
	for _, link := range links(text) {
		u, err := url.Parse(link)
		if err != nil || u.Scheme != "" {
			if err != nil || u.Scheme != "https" || u.Host == "" {
				dead = append(dead, link)
			}
			continue
		}
		path := filepath.Join(projectDir, filepath.Dir(file), u.Path)
		if u.Path == "" {
			path = filepath.Join(projectDir, file)
		}
		target, err := os.ReadFile(path)
		if info, e := os.Stat(path); e == nil && info.IsDir() {
			err = nil
		}
		if err != nil || u.Fragment != "" && !slices.Contains(anchors(string(target)), u.Fragment) {
			dead = append(dead, link)
		}
	}
	return dead
}

// TestDocsLinks: a link within the project leads to a file, and to a heading of
// it. Files and rooms that code spans name, such as perfctl/plan, are there too.
func TestDocsLinks(t *testing.T) {
	named := regexp.MustCompile("`((?:cmd|collectors|docs|examples|perfctl|profiles|testbed)/[\\w./-]+)`")
	n := 0
	for _, file := range documents(t) {
		if filepath.Ext(file) != ".md" {
			continue
		}
		text := document(t, file)
		n += len(links(text))
		for _, l := range deadLinks(file, text) {
			t.Errorf("%s: the link %s leads nowhere", file, l)
		}
		for _, name := range named.FindAllStringSubmatch(text, -1) {
			if _, err := os.Stat(filepath.Join(projectDir, name[1])); err != nil {
				t.Errorf("%s: there is no %s", file, name[1])
			}
		}
	}
	if n < 20 {
		t.Errorf("%d links in all documents", n)
	}
	got := deadLinks("README.md", "[a](README.md) [b](nowhere.md) [c](README.md#nothing) [d](docs) `[e](none)` [f](http://x) [g](#opcost)\n```\n[h](none)\n```\n")
	if want := []string{"nowhere.md", "README.md#nothing", "http://x"}; !slices.Equal(got, want) {
		t.Errorf("dead links are %q, want %q", got, want)
	}
}
