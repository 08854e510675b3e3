package main

import (
	"bytes"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"opcost/perfctl/compare"
	"opcost/perfctl/quality"
)

var update = flag.Bool("update", false, "write docs/reference/commands.md anew")

const referenceHead = `# Commands

Made from the same description of the commands that reads the command line; ` + "`make reference`" + ` writes it anew. The
same stands in ` + "`opcost COMMAND --help`" + ` and in the manual page (` + "`opcost man`" + `). ` + "`--help`" + ` goes with every command.

`

// TestReferenceCommands keeps docs/reference/commands.md equal to the commands.
func TestReferenceCommands(t *testing.T) {
	p, err := manualPage()
	if err != nil {
		t.Fatal(err)
	}
	text := bytes.NewBufferString(referenceHead)
	if err := p.Markdown(text); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(projectDir, "docs", "reference", "commands.md")
	if *update {
		if err := os.WriteFile(path, text.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(got, text.Bytes()) {
		t.Errorf("docs/reference/commands.md is not what the commands say (%v); `make reference` writes it anew", err)
	}
}

// tableRow is a row of a table of a document.
type tableRow struct {
	names []string // in the first cell, between backquotes
	cells []string
}

// tables are the rows below those headings of a document.
func tables(t *testing.T, file string, headings ...string) (rows []tableRow) {
	t.Helper()
	at := ""
	for line := range strings.Lines(document(t, file)) {
		line = strings.TrimSpace(line)
		if h, ok := strings.CutPrefix(line, "## "); ok {
			at = h
		}
		if !slices.Contains(headings, at) || !strings.HasPrefix(line, "| ") {
			continue
		}
		r := tableRow{}
		for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
			r.cells = append(r.cells, strings.TrimSpace(cell))
		}
		for _, m := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(r.cells[0], -1) {
			r.names = append(r.names, m[1])
		}
		if r.names != nil {
			rows = append(rows, r)
		}
	}
	if len(rows) == 0 {
		t.Fatalf("%s has no table below %q", file, headings)
	}
	return rows
}

func names(rows []tableRow) (all []string) {
	for _, r := range rows {
		all = append(all, r.names...)
	}
	slices.Sort(all)
	return all
}

var metricTables = []string{"Seen by the client", "The server's process", "Told by the server", "The whole machine"}

const metricsPage = "docs/reference/metrics.md"

// TestReferenceMetrics: each metric of the code's table is described, with what
// more of it means and from where on it matters; and no other is.
func TestReferenceMetrics(t *testing.T) {
	documented := map[string]tableRow{}
	for _, r := range tables(t, metricsPage, metricTables...) {
		documented[r.names[0]] = r
	}
	for _, m := range compare.Metrics {
		r, ok := documented[m.Name]
		if !ok {
			t.Errorf("%s is not described", m.Name)
			continue
		}
		delete(documented, m.Name)
		want := map[compare.Sense]string{compare.Cost: "cost ", compare.Gain: "gain ", compare.Neither: "none"}[m.Sense]
		if m.Sense != compare.Neither {
			want += fmt.Sprintf("%g%%", 100*m.Threshold)
		}
		if len(r.cells) != 6 || r.cells[4] != want || slices.Contains(r.cells, "") {
			t.Errorf("%s: %q; the verdict is %q", m.Name, r.cells, want)
		}
	}
	for name := range documented {
		t.Errorf("%s is described and is no metric of the code's table", name)
	}
}

// sources is the project's Go without tests, by file, parsed once.
var sources = sync.OnceValues(func() (map[string]*ast.File, error) {
	files, set := map[string]*ast.File{}, token.NewFileSet()
	err := filepath.WalkDir(projectDir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".go" || strings.HasSuffix(path, "_test.go") {
			return err
		}
		files[path], err = parser.ParseFile(set, path, nil, parser.SkipObjectResolution)
		return err
	})
	return files, err
})

// source is the part of it in some folders.
func source(t *testing.T, folders ...string) (files []*ast.File) {
	t.Helper()
	all, err := sources()
	if err != nil {
		t.Fatal(err)
	}
	for path, f := range all {
		if slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(path, filepath.Join(projectDir, folder)+"/") }) {
			files = append(files, f)
		}
	}
	return files
}

func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok && l.Kind == token.STRING {
		s, _ := strconv.Unquote(l.Value) // the compiler took it
		return s
	}
	return ""
}

// constants are the values of the constants of a type in a folder.
func constants(t *testing.T, folder, typ string) (values []string) {
	t.Helper()
	for _, f := range source(t, folder) {
		ast.Inspect(f, func(n ast.Node) bool {
			s, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if id, ok := s.Type.(*ast.Ident); ok && id.Name == typ {
				for _, v := range s.Values {
					values = append(values, literal(v))
				}
			}
			return true
		})
	}
	slices.Sort(values)
	return values
}

const statesPage = "docs/reference/states.md"

// TestReferenceStates: the words of the code are those of the page.
func TestReferenceStates(t *testing.T) {
	for _, c := range []struct{ heading, column, folder, typ string }{
		{"Of a value", "state", "perfctl/result", "State"},
		{"Where a value is from", "source", "perfctl/result", "Source"},
		{"Where a value is from", "scope", "perfctl/result", "Scope"},
		{"Where a value is from", "pass", "perfctl/result", "PassKind"},
		{"Verdicts", "verdict", "perfctl/compare", "Verdict"},
		{"Of a profile's rows", "state", "profiles/diff", "State"},
		{"Of a build", "side", "perfctl/narrow", "Side"},
		{"Of a machine", "state", "perfctl/doctor", "State"},
	} {
		var documented []string
		column := ""
		for line := range strings.Lines(section(t, statesPage, c.heading)) {
			cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), "|")
			switch first := strings.TrimSpace(cells[0]); {
			case !strings.HasPrefix(line, "|"):
				column = ""
			case column == "":
				column = first
			case column == c.column && strings.HasPrefix(first, "`"):
				documented = append(documented, strings.Trim(first, "`"))
			case column == c.column && first == "(none)":
				documented = append(documented, "")
			}
		}
		slices.Sort(documented)
		if want := constants(t, c.folder, c.typ); len(want) == 0 || !slices.Equal(documented, want) {
			t.Errorf("%s, %s: the page has %q, the code %q", c.heading, c.column, documented, want)
		}
	}
}

// section is the text below a heading.
func section(t *testing.T, file, heading string) string {
	t.Helper()
	_, text, ok := strings.Cut(document(t, file), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no heading %q", file, heading)
	}
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

var snake = regexp.MustCompile(`^[a-z]+(_[a-z]+)*$`)

// warningCodes are those in the sources: of the struct, of functions that make
// it, and constants.
func warningCodes(t *testing.T) (codes []string) {
	t.Helper()
	take := func(s string) {
		if snake.MatchString(s) {
			codes = append(codes, s)
		}
	}
	for _, f := range source(t, "perfctl", "collectors", "cmd") {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.KeyValueExpr:
				if id, ok := n.Key.(*ast.Ident); ok && id.Name == "Code" {
					take(literal(n.Value))
				}
			case *ast.CallExpr:
				name := ""
				switch fun := n.Fun.(type) {
				case *ast.Ident:
					name = fun.Name
				case *ast.SelectorExpr:
					name = fun.Sel.Name
				}
				if len(n.Args) > 1 && (name == "warn" || strings.EqualFold(name, "add") && strings.ContainsAny(literal(n.Args[1]), " %")) {
					take(literal(n.Args[0])) // a code and a sentence
				}
			case *ast.ValueSpec:
				if strings.HasPrefix(n.Names[0].Name, "Code") && len(n.Values) == 1 {
					take(literal(n.Values[0]))
				}
			}
			return true
		})
	}
	codes = append(codes, "void", "partial") // from a table, in compare/live_kinds.go
	slices.Sort(codes)
	return slices.Compact(codes)
}

// TestReferenceWarnings: each code is described, and each description is of one.
func TestReferenceWarnings(t *testing.T) {
	documented := names(tables(t, statesPage, "Warnings"))
	for _, r := range quality.Rules { // in docs/quality.md
		documented = append(documented, r.Name)
	}
	codes := warningCodes(t)
	if len(codes) < 30 {
		t.Errorf("only %d codes were found", len(codes))
	}
	for _, c := range codes {
		if !slices.Contains(documented, c) {
			t.Errorf("the warning %s is not described", c)
		}
	}
	for _, d := range names(tables(t, statesPage, "Warnings")) {
		if !slices.Contains(codes, d) {
			t.Errorf("the warning %s is described and nowhere in the sources", d)
		}
	}
}
