package plan

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// fake knows a few workloads and a machine with two CPUs and some programs.
type fake struct{ files map[string]string }

// programs of the fake machine begin with "#!", others are not executable.
func newFake() fake {
	return fake{map[string]string{
		"/usr/sbin/mariadbd":       "#!",
		"/usr/bin/numactl":         "#!",
		"/opt/five/bin/mysqld":     "#!",
		"/opt/maria/sbin/mariadbd": "#!",
		"/opt/text/bin/mysqld":     "no program",
		"/plans/build/mysqld":      "#!",
		"/plans/my.cnf":            "[mysqld]\nsort_buffer_size=1M\n",
		"/plans/same.cnf":          "[mysqld]\nsort_buffer_size=1M\n",
		"/plans/other.cnf":         "[mysqld]\n",
	}}
}

func (fake) Charsets() []string { return []string{"latin1", "utf8", "utf8mb4"} }

func (fake) Workloads(names []string) ([]string, error) {
	groups := map[string][]string{
		"point": {"point-query", "hot-points"},
		"write": {"update-index"},
		"all":   {"point-query", "hot-points", "update-index", "random-points_range=1000"},
	}
	var ids []string
	for _, n := range names {
		members, ok := groups[n]
		if !ok && slices.Contains(groups["all"], n) {
			members, ok = []string{n}, true
		}
		if !ok {
			return nil, fmt.Errorf("there is no workload %q", n)
		}
		for _, m := range members {
			if !slices.Contains(ids, m) {
				ids = append(ids, m)
			}
		}
	}
	return ids, nil
}

func (f fake) Executable(path string) error {
	text, ok := f.files[path]
	switch {
	case !ok:
		return errors.New("does not exist")
	case !strings.HasPrefix(text, "#!"):
		return errors.New("is not executable")
	}
	return nil
}

func (f fake) ReadFile(path string) ([]byte, error) {
	text, ok := f.files[path]
	if !ok {
		return nil, errors.New("does not exist")
	}
	return []byte(text), nil
}

func (fake) SearchPath() []string { return []string{"/usr/bin", "/usr/sbin"} }
func (fake) CPUs() ([]int, error) { return []int{0, 1}, nil }

func (fake) MemoryBytes() (int64, error) { return 2 << 30, nil }

func (fake) Nodes() (map[int][]int, error) { return map[int][]int{0: {0}, 1: nil}, nil }

func (fake) Drives(d Driver, id string) error {
	if d.Name == "sysbench" && id == "hot-points" {
		return errors.New("sysbench cannot do workload hot-points")
	}
	if d.Name == "mysqlslap" && (id == "hot-points" || id == "update-index") {
		return fmt.Errorf("mysqlslap cannot do workload %s", id)
	}
	if strings.Contains(d.Command, "{sockets}") {
		return errors.New("unknown placeholder {sockets}")
	}
	return nil
}

func (fake) Writes(id string) bool { return true }

func parse(t *testing.T, text string) (*Plan, error) {
	t.Helper()
	return Parse("/plans/p.yaml", []byte(text), newFake())
}

func mustParse(t *testing.T, text string) *Plan {
	t.Helper()
	p, err := parse(t, text)
	if err != nil {
		t.Fatalf("%v\nin\n%s", err, text)
	}
	return p
}

// with is the smallest plan and more lines.
func with(lines string) string {
	return "versions: [{name: a, mysqld: mariadbd}]\nworkloads: [point-query]\n" + lines
}
