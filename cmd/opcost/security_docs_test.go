package main

import (
	"regexp"
	"strings"
	"testing"
)

// TestSecurityDocs: each test that docs/security.md names is there, and those
// that `make test-long` alone runs have a name that it runs.
func TestSecurityDocs(t *testing.T) {
	text, sources := document(t, "docs/security.md"), testSources(t)
	named := regexp.MustCompile("`(Test\\w+)`").FindAllStringSubmatch(text, -1)
	if len(named) < 20 {
		t.Fatalf("%d tests are named", len(named))
	}
	for _, m := range named {
		source, ok := sources[m[1]]
		if !ok {
			t.Errorf("there is no test %s", m[1])
		}
		if strings.Contains(source, "func "+m[1]+"(t *testing.T) {\n\tlong(t)\n") && !strings.HasSuffix(m[1], "Long") {
			t.Errorf("%s is skipped by make test, and has no Long in its name", m[1])
		}
	}
	for name := range sources {
		if strings.HasPrefix(name, "TestSecurity") && !strings.Contains(text, "`"+name+"`") && name != "TestSecurityDocs" {
			t.Errorf("docs/security.md does not name %s", name)
		}
	}
}

// TestLongNames: what calls long(t) has a name that `make test-long` runs.
func TestLongNames(t *testing.T) {
	runs := regexp.MustCompile(`-timeout \d+m -run '([^']+)'\n`).FindStringSubmatch(document(t, "Makefile"))
	if runs == nil {
		t.Fatal("the Makefile's test-long names no tests")
	}
	some, n := regexp.MustCompile(runs[1]), 0
	for name, source := range testSources(t) {
		_, body, _ := strings.Cut(source, "\nfunc "+name+"(t *testing.T) {\n")
		body, _, _ = strings.Cut(body, "\n}\n")
		if !strings.Contains(body, "long(t)\n") && !strings.Contains(body, "fault(t, ") {
			continue
		}
		n++
		if !some.MatchString(name) {
			t.Errorf("%s is run by neither make test nor make test-long", name)
		}
	}
	if n < 40 {
		t.Errorf("only %d long tests were found", n)
	}
}
