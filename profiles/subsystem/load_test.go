package subsystem

import (
	"slices"
	"strings"
	"testing"

	"opcost/profiles"
)

func load(t *testing.T, text string, base *Table) *Table {
	t.Helper()
	table, err := Load(strings.NewReader(text), base)
	if err != nil {
		t.Fatal(err)
	}
	return table
}

func classify(table *Table, name string) string {
	place, _ := table.Classify(profiles.Frame{Function: name, Space: profiles.User})
	return place
}

// TestLoad: which of several patterns counts.
func TestLoad(t *testing.T) {
	table := load(t, `
# a comment
[a]
user foo_* foo_bar # another
user "operator new*"
[b]
user foo_bar_* *::run foo*last
object libx.so* /never
kernel foo_*
`, nil)
	for name, want := range map[string]string{
		"foo_x": "a", "foo_bar": "a", "foo_bar_x": "b", "T::run": "b", "operator new[]": "a", "foo_at_last": "b",
		"(anonymous namespace)::foo_x": "a", "non-virtual thunk to T::run()": "b", "foo": ServerOther,
	} {
		if got := classify(table, name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
	if got, _ := table.Classify(profiles.Frame{Function: "foo_x", Space: profiles.Kernel}); got != "b" {
		t.Errorf("the kernel's foo_x: %q, want b", got)
	}
	if got, _ := table.Classify(profiles.Frame{Function: "foo_x", Object: "/l/libx.so.3"}); got != "b" {
		t.Errorf("foo_x of libx: %q, want b", got)
	}
	if got := table.Places(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("places %q", got)
	}
}

// TestLoadOver: a user's file moves functions and adds places, and the table it
// was put on stays as it was.
func TestLoadOver(t *testing.T) {
	base := Default()
	table := load(t, "[our engine]\nuser ourengine::* btr_*\nuser row_search_mvcc\nuser *::DoRead\n", base)
	for name, want := range map[string][2]string{
		"ourengine::Get":         {ServerOther, "our engine"},
		"btr_pcur_open":          {"InnoDB B-tree", "our engine"},
		"row_search_mvcc":        {"InnoDB record", "our engine"},
		"MYSQLparse":             {"parser", "parser"},
		"FilterIterator::DoRead": {"executor", "executor"}, // the longer pattern
		"Foo::DoRead":            {ServerOther, "our engine"},
	} {
		if got := classify(base, name); got != want[0] {
			t.Errorf("%s in opcost's table: %q, want %q", name, got, want[0])
		}
		if got := classify(table, name); got != want[1] {
			t.Errorf("%s in the new table: %q, want %q", name, got, want[1])
		}
	}
}

func TestLoadErrors(t *testing.T) {
	for text, want := range map[string]string{
		"user foo":                     "line 1: a rule before",
		"[a]\n\nusr foo":               "line 3: \"usr\"",
		"[a]\nuser":                    "line 2: \"user\" without a pattern",
		"[a\nuser foo":                 "line 1: \"[a\"",
		"[]":                           "line 1:",
		"[a]\nuser *":                  "line 2: the pattern \"*\" would match everything",
		"[a]\nuser foo\n[b]\nuser foo": "line 4: the pattern \"foo\" was given in line 2",
		"[a]\nuser " + strings.Repeat("x", 1<<17): "line 2",
	} {
		_, err := Load(strings.NewReader(text), nil)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %q", text, err, want)
		}
	}
}

func FuzzLoad(f *testing.F) {
	f.Add("[a]\nuser foo_* *bar\nkernel x*y*z \"a b\"", "foo_bar")
	f.Add("[a]\nobject lib*", "f")
	f.Fuzz(func(t *testing.T, text, name string) {
		table, err := Load(strings.NewReader(text), nil)
		if err != nil {
			return
		}
		if place, _ := table.Classify(profiles.Frame{Function: name, Object: name}); place == "" {
			t.Errorf("no place for %q in %q", name, text)
		}
	})
}
