package plan

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// examples know every workload, and have every server.
type anything struct{ fake }

func (anything) Workloads(names []string) ([]string, error) { return names, nil }
func (anything) Executable(string) error                    { return nil }

func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.yaml")
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples: %v", err)
	}
	for _, f := range files {
		if _, err := Read(f, anything{newFake()}); err != nil {
			t.Errorf("%v", err)
		}
	}
}

// The commented example shows every key, and Keys has every key it shows.
func TestExampleHasEveryKey(t *testing.T) {
	text, err := os.ReadFile("../../examples/two-versions.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range Keys() {
		if !strings.Contains(string(text), k.Name+":") {
			t.Errorf("the example lacks %s", k.Name)
		}
	}
}

// The documentation's examples and defaults are plans that parse.
func TestKeysParse(t *testing.T) {
	for _, k := range Keys() {
		if k.Meaning == "" || k.Example == "" {
			t.Errorf("%s lacks a meaning or an example", k.Name)
		}
		for _, value := range []string{k.Example, k.Default} {
			if value == "" || value == "the first version" || value == "none" {
				continue
			}
			line := k.Name + ": " + value
			var text string
			switch k.In {
			case inPlan:
				lines := strings.SplitAfter(with(""), "\n")
				lines = slices.DeleteFunc(lines, func(l string) bool { return strings.HasPrefix(l, k.Name+":") })
				text = strings.Join(lines, "") + line
			case inVersion:
				m := map[string]string{"name": "name: a", "mysqld": "mysqld: mariadbd"}
				m[k.Name] = line
				if k.Name == "basedir" {
					delete(m, "mysqld")
				}
				text = "workloads: [point-query]\nversions:\n- x: 0\n"
				for _, l := range m {
					text += "  " + l + "\n"
				}
				text = strings.Replace(text, "- x: 0\n  ", "- ", 1)
			case inSession:
				text = "workloads: [point-query]\nversions: [{name: a, mysqld: mariadbd, session: {" + line + "}}]"
			case inRestore:
				text = with("restore: {" + line + "}")
			case inProfile:
				text = with("profile: {" + line + "}")
			case inVariant:
				more := "name: -x, "
				if k.Name == "name" {
					more = ""
				}
				text = with("variants: [{" + more + line + "}]")
			case inDriver:
				more := map[string]string{"program": "name: sysbench, ", "options": "name: sysbench, "}[k.Name]
				text = with("driver: {" + more + line + "}")
			}
			many := manyCPUs{anything{newFake()}}
			if _, err := Parse("/plans/p.yaml", []byte(text), many); err != nil {
				t.Errorf("%v\nin\n%s", err, text)
			}
		}
	}
}

type manyCPUs struct{ anything }

func (manyCPUs) CPUs() ([]int, error) { return []int{0, 1, 2, 3, 4, 5, 6, 7}, nil }

// onlyNames is a Known that is no Machine: the real files are looked at.
type onlyNames struct{}

func (onlyNames) Workloads(names []string) ([]string, error) { return names, nil }
func (onlyNames) Charsets() []string                         { return []string{"latin1"} }

func TestRealMachine(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	write("my.cnf", "[mysqld]\n", 0o600)
	write("tree/libexec/mysqld", "#!/bin/sh\n", 0o700)
	write("text/bin/mysqld", "text", 0o600)
	good := write("good.yaml", "versions: [{name: a, basedir: tree, defaults_file: my.cnf, launcher: [sh]}]\nworkloads: [w]\nserver_cpus: auto\n", 0o600)
	p, err := Read(good, onlyNames{})
	if err != nil {
		t.Fatal(err)
	}
	if v := p.Versions[0]; v.Mysqld != filepath.Join(dir, "tree/libexec/mysqld") || !filepath.IsAbs(v.Launcher[0]) {
		t.Errorf("%+v", v)
	}

	bad := write("bad.yaml", `versions:
  - {name: a, mysqld: ./text/bin/mysqld}
  - {name: b, mysqld: ./tree}
  - {name: c, mysqld: ./none, defaults_file: tree}
workloads: [w]
server_cpus: [8191]
`, 0o600)
	_, err = Read(bad, onlyNames{})
	var pe *Error
	if !errors.As(err, &pe) || len(pe.Problems) != 5 {
		t.Fatalf("want 5 problems, got %v", err)
	}
	for i, want := range []string{"is not executable", "is not a file", "does not exist", "is not a file", "no CPU 8191"} {
		if !strings.Contains(pe.Problems[i].Text, want) {
			t.Errorf("%v\nlacks %q", pe.Problems[i], want)
		}
	}

	for name, want := range map[string]string{"none.yaml": "does not exist", "tree": "is not a file"} {
		if _, err := Read(filepath.Join(dir, name), onlyNames{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", name, err, want)
		}
	}
}

// Texts made to cost much: none may take long, or much stack.
func TestHostilePlans(t *testing.T) {
	doubling := "versions:\n- &m0 {name: x}\n"
	for i := range 40 {
		doubling += fmt.Sprintf("- &m%d {<<: [*m%d, *m%d]}\n", i+1, i, i)
	}
	for name, text := range map[string]string{
		"doubling merges":   doubling,
		"merge with itself": "versions: [&a {<<: [*a, *a], name: x}]\n",
		"dashes":            "versions:\n " + strings.Repeat("- ", 30_000) + "\n",
		"brackets in lines": "versions: " + strings.Repeat("[\n", 30_000),
		"brackets":          "versions: " + strings.Repeat("[", 60_000),
		"closed brackets":   "versions: " + strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"too large":         strings.Repeat("# comment\n", 100_000),
		"many CPUs":         with("server_cpus: [" + strings.Repeat("0-8191, ", 1000) + "1]\n"),
		"many keys":         strings.Repeat("a: 1\n", 10_000),
	} {
		begin := time.Now()
		if _, err := parse(t, text); err == nil {
			t.Errorf("%s: accepted", name)
		}
		t.Logf("%s: %v", name, time.Since(begin))
	}
}

// A parser of other people's text must not crash, and must say where.
func FuzzParse(f *testing.F) {
	for _, s := range []string{
		with(""), "", "\ufeff" + with(""), "a: &a {<<: *a}", "? x\n: y", "versions: [&a {<<: [*a]}]", "%YAML 1.2\n---\na: 1\n",
		with("clients: &c [*c]\n"), with("restore: {command: |\n x}\n"), "&a", "a: &a", "*a", "a: *a", "<<: 1", "? [a]\n: b", "versions:\n- &a\n- *a\n",
		with("options: [!!str 5, .nan, .inf, ~, 0x1F, 1_0]\n"), with("rows: &x\n"), "\xff\xfe", "a\x00: b",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		p, err := Parse("/plans/p.yaml", []byte(text), newFake())
		if (p == nil) == (err == nil) {
			t.Fatalf("plan %v with error %v", p, err)
		}
		var pe *Error
		if err != nil && (!errors.As(err, &pe) || len(pe.Problems) == 0) {
			t.Fatalf("error without a problem: %v", err)
		}
		if pe != nil {
			for _, pr := range pe.Problems {
				if pr.Line < 1 || pr.Col < 1 || pr.Text == "" {
					t.Errorf("%+v", pr)
				}
			}
		}
		if p != nil && (len(p.Versions) == 0 || len(p.Workloads) == 0 || p.Versions[0].Mysqld == "" || p.Hash == "") {
			t.Errorf("accepted an incomplete plan: %+v", p)
		}
	})
}
