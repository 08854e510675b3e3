package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var namedTest = regexp.MustCompile("`(Test[A-Z]\\w*)(?:/([^`]+))?`")

// testSources are the texts of the project's files of tests, by each test in them.
func testSources(t *testing.T) map[string]string {
	t.Helper()
	sources := map[string]string{}
	function := regexp.MustCompile(`(?m)^func (Test\w+)\(`)
	err := filepath.WalkDir(projectDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, m := range function.FindAllStringSubmatch(string(text), -1) {
			sources[m[1]] += string(text)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return sources
}

// TestDocsFaults: each test that docs/faults.md names is there, with its part, and
// each fault test is named.
func TestDocsFaults(t *testing.T) {
	sources := testSources(t)
	text := document(t, "docs/faults.md")
	told := map[string]bool{}
	for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
		told[m[1]] = true
		source, there := sources[m[1]]
		switch {
		case !there:
			t.Errorf("docs/faults.md names %s, which is no test", m[1])
		case m[2] != "" && !strings.Contains(source, `"`+m[2]+`"`):
			t.Errorf("docs/faults.md names %s/%s, and %[1]s has no such part", m[1], m[2])
		}
	}
	if len(told) < 30 {
		t.Errorf("only %d tests were found in docs/faults.md", len(told))
	}
	for name := range sources {
		if strings.HasPrefix(name, "TestFault") && !told[name] {
			t.Errorf("%s is not in docs/faults.md", name)
		}
	}
}
