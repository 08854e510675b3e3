package plan

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "write docs/reference/plan.md anew")

// TestReference keeps docs/reference/plan.md equal to the table of keys, from
// which error messages come too. That each example and default is taken is
// TestKeysParse.
func TestReference(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# A plan, key by key

A plan is a YAML file that says what is measured. [examples/two-versions.yaml](../../examples/two-versions.yaml) shows
every key in its place. All that is wrong with a plan is said at once, each with file, line and what to write instead,
before anything is started. Made from the table in perfctl/plan/keys.go; ` + "`make reference`" + ` writes it anew.

Relative paths start from the plan's folder. A number may have underscores (` + "`1_000_000`" + `); a time has units
(` + "`90s`, `1m30s`, `250ms`" + `). YAML's anchors (` + "`&name`, `*name`, `<<: *name`" + `) are understood.

A plan whose meaning changes, so that a number could change, has another hash, and its runs are not put beside the old
ones. Comments, the order of keys, and ` + "`budget`" + ` are no part of the meaning.
`)
	for _, part := range []struct{ in, title, text string }{
		{inPlan, "At the top", "`versions` and `workloads` must be given."},
		{inVersion, "In each of `versions`", "`name`, and `mysqld` or `basedir`, must be given."},
		{inSession, "In `session`", "Charset, protocol and TLS change what a query costs, so they are part of a version and are named with each difference."},
		{inVariant, "In each of `variants`", ""},
		{inDriver, "In `driver`", "What each driver can do: [docs/workloads.md](../workloads.md#drivers)."},
		{inProfile, "In `profile`", "Profiles: [docs/profiles.md](../profiles.md)."},
		{inRestore, "In `restore`", ""},
	} {
		fmt.Fprintf(&b, "\n## %s\n\n", part.title)
		if part.text != "" {
			fmt.Fprintf(&b, "%s\n\n", part.text)
		}
		b.WriteString("| key | what is written | meaning | default | example |\n|---|---|---|---|---|\n")
		for _, k := range keysIn(part.in) {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", k.Name, k.Type, cell(k.Meaning), code(k.Default), code(k.Example))
		}
	}
	fmt.Fprintf(&b, `
## Limits

| what | limit |
|---|---|
| rows of a table | %d (the key is an INT) |
| tables | 10,000 |
| clients | 65,536, each number once |
| repeats | 10,000 |
| a window | %v to %v, or 1 operation a client and more |
| warmup | up to %v |
| the whole plan | %d days, reckoned with little for each operation and row |
| the file | %d kB, nested %d deep |
`, maxRows, minWindow, short(longest), short(longest), int(patience.Hours()/24), maxText>>10, maxNesting)
	path := filepath.Join("..", "..", "docs", "reference", "plan.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != b.String() {
		t.Errorf("docs/reference/plan.md is not what the table of keys says (%v); `make reference` writes it anew", err)
	}
}

func short(d time.Duration) string {
	return strings.TrimSuffix(strings.TrimSuffix(d.String(), "0s"), "0m")
}

// cell is a text that may hold what ends a table's cell.
func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

func code(text string) string {
	switch {
	case text == "":
		return ""
	case text == "the first version", text == "none":
		return text
	}
	return "`" + cell(text) + "`"
}

// TestEveryFieldHasAKey: what a plan can say is in the table of keys, and what is
// in the table becomes a part of the plan.
func TestEveryFieldHasAKey(t *testing.T) {
	plain := func(name string) string { return strings.ReplaceAll(strings.ToLower(name), "_", "") }
	for _, c := range []struct {
		in    string
		of    reflect.Type
		other []string // fields without a key, and keys without a field
	}{
		{inPlan, reflect.TypeFor[Plan](), []string{
			"file", "hash", // of the plan itself
			"sampling", // what the mapping of profile says
			"variants", // versions are made of them
		}},
		{inVersion, reflect.TypeFor[Version](), nil},
		{inSession, reflect.TypeFor[Session](), nil},
		{inProfile, reflect.TypeFor[Sampling](), nil},
		{inDriver, reflect.TypeFor[Driver](), nil},
		{inRestore, reflect.TypeFor[Restore](), []string{"kind"}}, // the word itself
	} {
		var fields, names []string
		for i := range c.of.NumField() {
			fields = append(fields, plain(c.of.Field(i).Name))
		}
		for _, k := range keysIn(c.in) {
			names = append(names, plain(k.Name))
		}
		for _, f := range fields {
			if !slices.Contains(names, f) && !slices.Contains(c.other, f) {
				t.Errorf("%v.%s has no key", c.of, f)
			}
		}
		for _, n := range names {
			if !slices.Contains(fields, n) && !slices.Contains(c.other, n) {
				t.Errorf("%v has no field for the key %s", c.of, n)
			}
		}
	}
	for _, k := range keys {
		if k.Type == "" {
			t.Errorf("%s: what is written is not said", k.Name)
		}
	}
}
