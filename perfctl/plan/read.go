package plan

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"time"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/parser"
)

// Read reads and checks the plan in a file. What is wrong inside the file comes
// back as an [*Error] with all of it at once; a file that cannot be read is
// another error.
func Read(path string, k Known) (*Plan, error) {
	text, err := here{}.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("plan %s %w; give the path of a plan in YAML", path, err)
	}
	return Parse(path, text, k)
}

// Parse is Read for a text at hand. Paths in it are relative to name's folder.
func Parse(name string, text []byte, k Known) (*Plan, error) {
	r := &reader{file: name, known: k, machine: here{},
		aliases: map[*ast.AliasNode]ast.Node{}, keyOf: map[ast.Node]ast.Node{}}
	if m, ok := k.(Machine); ok {
		r.machine = m
	}
	p := defaults(name)
	var defaultsFiles map[string][]byte
	if root := r.syntax(text); root != nil {
		defaultsFiles = r.plan(root, p)
	}
	if len(r.problems) > 0 {
		return nil, &Error{Problems: sorted(r.problems)}
	}
	p.Hash = hash(p, defaultsFiles)
	return p, nil
}

func defaults(file string) *Plan {
	return &Plan{
		File: file, Tables: 1, Rows: 100_000, Clients: []int{1}, Transport: Socket,
		Warmup: 5 * time.Second, Duration: 10 * time.Second, Repeats: 4,
		Restart: RestartSet, Restore: Restore{Kind: "auto"}, Counters: CountersAuto, Seed: 1,
	}
}

const smallest = "versions:\n  - name: a\n    mysqld: mariadbd\nworkloads: [point-query]"

// syntax gives the document's root, or nil after an error.
func (r *reader) syntax(text []byte) ast.Node {
	at := func(line, col int, instead, text string) {
		r.problems = append(r.problems, Problem{File: r.file, Line: max(line, 1), Col: max(col, 1), Text: text, Instead: instead})
	}
	text = bytes.TrimPrefix(text, []byte("\ufeff"))
	if len(text) > maxText {
		at(1, 1, "", fmt.Sprintf("a plan of %d kB; opcost reads up to %d kB", len(text)>>10, maxText>>10))
		return nil
	}
	if r.problems = append(r.problems, layout(r.file, string(text))...); len(r.problems) > 0 {
		return nil
	}
	// Duplicate keys are reported by us: all of them, not the first alone.
	f, err := parser.ParseBytes(text, 0, parser.AllowDuplicateMapKey())
	if err != nil {
		var se *yaml.SyntaxError
		if errors.As(err, &se) && se.Token != nil && se.Token.Position != nil {
			at(se.Token.Position.Line, se.Token.Position.Column, "", "this is not YAML: "+se.Message)
		} else {
			at(1, 1, "", "this is not YAML: "+err.Error())
		}
		return nil
	}
	var root ast.Node
	for _, d := range f.Docs {
		if _, directive := d.Body.(*ast.DirectiveNode); d.Body == nil || directive {
			continue
		}
		if root != nil {
			r.bad(d.Body, "a file for each plan", "a second document (---) in one plan")
			return nil
		}
		root = d.Body
	}
	if root == nil {
		at(1, 1, smallest, "the plan is empty")
		return nil
	}
	ast.Walk(anchors{map[string]ast.Node{}, r.aliases}, root)
	return root
}

// maxRows is what the key of a table holds: id INT.
const maxRows = math.MaxInt32

// plan fills p and gives the content of the defaults files by path.
func (r *reader) plan(root ast.Node, p *Plan) map[string][]byte {
	m, ok := r.keyed(root, inPlan, "the plan", smallest)
	if !ok {
		return nil
	}
	if e, ok := m["options"]; ok {
		p.Options = r.options(e)
	}
	files := r.versions(root, m, p)
	r.variants(m, p)
	r.base(m, p)
	r.workloads(root, m, p)
	number(r, m, "tables", &p.Tables, 1, 10_000)
	number(r, m, "rows", &p.Rows, 1, maxRows)
	number(r, m, "repeats", &p.Repeats, 1, 10_000)
	number(r, m, "seed", &p.Seed, 0, math.MaxUint64)
	r.clients(m, p)
	enum(r, m, "transport", &p.Transport, Socket, TCP)
	r.cpus(m, "server_cpus", &p.ServerCPUs)
	r.cpus(m, "client_cpus", &p.ClientCPUs)
	r.numa(m, p)
	r.apart(m, p)
	r.duration(m, "warmup", &p.Warmup, 0, longest)
	r.length(m, p)
	r.budget(m, p)
	enum(r, m, "restart", &p.Restart, RestartSet, RestartRun)
	r.restore(m, p)
	enum(r, m, "counters", &p.Counters, CountersAuto, CountersPerf, CountersCallgrind, CountersNone)
	r.profile(m, p)
	r.driver(m, p)
	r.writes(m, p)
	r.driven(m, p)
	if len(r.problems) == 0 {
		r.bearable(root, p)
	}
	return files
}

// folder is what relative paths of the plan start from.
func (r *reader) folder() string {
	dir, err := filepath.Abs(filepath.Dir(r.file))
	if err != nil { // the working directory is gone
		return string(os.PathSeparator)
	}
	return dir
}

func (r *reader) path(s string) string {
	if filepath.IsAbs(s) {
		return filepath.Clean(s)
	}
	return filepath.Join(r.folder(), s)
}
