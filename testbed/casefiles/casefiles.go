// Package casefiles finds real tools' outputs that tests read in place and that
// are no part of the project. It is for tests alone.
package casefiles

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
)

// Case is one line of a folder's index.json.
type Case struct {
	File     string
	Peculiar string
	Expected string
	Path     string // of the file; "" where there is none (a fact without a file)
}

// Folder is the path of a folder of cases: in $OPCOST_CASES, else in
// shared/cases beside the project's root. The test is skipped without it.
func Folder(t testing.TB, name string) string {
	t.Helper()
	dir := filepath.Join(root(t), name)
	if _, err := os.Stat(dir); err != nil {
		t.Skipf("the cases are not here (set OPCOST_CASES to their folder): %v", err)
	}
	return dir
}

func root(t testing.TB) string {
	t.Helper()
	if root := os.Getenv("OPCOST_CASES"); root != "" {
		return root
	}
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared", "cases")
		}
		if dir == filepath.Dir(dir) {
			t.Fatalf("no go.mod above %s", wd)
		}
	}
}

// Index reads a folder's index.json.
func Index(t testing.TB, name string) []Case {
	t.Helper()
	dir := Folder(t, name)
	b, err := os.ReadFile(filepath.Join(dir, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var cases []Case
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	for i, c := range cases {
		if p := filepath.Join(dir, c.File); c.File != "" {
			if st, err := os.Stat(p); err == nil && !st.IsDir() {
				cases[i].Path = p
			}
		}
	}
	return cases
}

// Read is a case's text.
func (c Case) Read(t testing.TB) string {
	t.Helper()
	b, err := os.ReadFile(c.Path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}
