package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestSecurityDocs: each test that docs/security.md names is there, and those
// that `make test-long` alone runs have a name that it runs.
func TestSecurityDocs(t *testing.T) {
	root := filepath.Join("..", "..")
	text, err := os.ReadFile(filepath.Join(root, "docs", "security.md"))
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]string{}
	err = filepath.WalkDir(root, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		code, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		for _, m := range regexp.MustCompile(`(?m)^func (Test\w+)\(t \*testing\.T\) \{(?:\n\t(long\(t\)))?`).FindAllStringSubmatch(string(code), -1) {
			there[m[1]] = m[2]
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(string(text), -1)
	if len(named) < 20 {
		t.Fatalf("%d tests are named", len(named))
	}
	for _, m := range named {
		long, ok := there[m[1]]
		if !ok {
			t.Errorf("there is no test %s", m[1])
		}
		if long != "" && !strings.HasSuffix(m[1], "Long") {
			t.Errorf("%s is skipped by make test, and has no Long in its name", m[1])
		}
	}
	for name := range there {
		if strings.HasPrefix(name, "TestSecurity") && !strings.Contains(string(text), "`"+name+"`") && name != "TestSecurityDocs" {
			t.Errorf("docs/security.md does not name %s", name)
		}
	}
}
