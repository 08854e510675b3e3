package workload

import (
	"fmt"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// script is one of sysbench's own and the options with which it sends a test's
// statements. (sysbench 1.0.20, src/lua/oltp_*.lua.)
type script struct {
	name    string
	options []string
	zipf    bool // keys by --rand-type=zipfian, which 1.0 has not
}

// ownScripts are the tests that sysbench's own scripts can do. What they lack is
// no oversight: select_random_points asks by k for whole rows, which is none
// of the tests, and there is no script for the others.
var ownScripts = map[string]script{
	"point-query":      {name: "oltp_point_select"},
	"update-index":     {name: "oltp_update_index"},
	"update-nonindex":  {name: "oltp_update_non_index"},
	"update-one":       {name: "oltp_update_non_index", options: []string{"--table-size=1"}},
	"update-one-index": {name: "oltp_update_index", options: []string{"--table-size=1"}},
	"update-zipf":      {name: "oltp_update_non_index", zipf: true},
	"delete":           {name: "oltp_delete"},
	"insert":           {name: "oltp_insert"},
	"write-only":       {name: "oltp_write_only"},
	"read-write":       {name: "oltp_read_write"},
	"read-only":        {name: "oltp_read_only"},
	"read-only-simple": {name: "oltp_read_only", options: ranges("simple")},
	"read-only-sum":    {name: "oltp_read_only", options: ranges("sum")},
	"read-only-order":  {name: "oltp_read_only", options: ranges("order")},

	"read-only-distinct": {name: "oltp_read_only", options: ranges("distinct")},
}

// ranges turns off all kinds of range query but one.
func ranges(kind string) []string {
	var o []string
	for _, k := range []string{"simple", "sum", "order", "distinct"} {
		n := 0
		if k == kind {
			n = 1
		}
		o = append(o, fmt.Sprintf("--%s-ranges=%d", k, n))
	}
	return o
}

func (d Driver) sysbenchDoes(t Test) error {
	if d.Lua != "" {
		path := d.script(t)
		if st, err := os.Stat(path); err != nil || !st.Mode().IsRegular() {
			return fmt.Errorf("driver sysbench: workload %s: there is no script %s", t.ID, path)
		}
		return nil
	}
	if _, ok := ownScripts[bareName(t)]; ok {
		return nil
	}
	return fmt.Errorf("driver sysbench: its own scripts cannot do workload %s; they can do %s: leave it to driver: builtin, or give a script with `driver: {lua: PATH}`",
		t.ID, strings.Join(slices.Sorted(maps.Keys(ownScripts)), ", "))
}

func bareName(t Test) string { return strings.TrimSuffix(t.Name, pre) }

// script is the test's script file: Lua itself, or NAME.lua in it.
func (d Driver) script(t Test) string {
	if st, err := os.Stat(d.Lua); err == nil && st.IsDir() {
		return filepath.Join(d.Lua, bareName(t)+".lua")
	}
	return d.Lua
}

// sysbench is its command line. Keys are uniform (its default is "special")
// and the seed is given: each version sees the same keys, as far as threads
// take their turns alike.
func (c ExternalConfig) sysbench(phase string, l lasting) []string {
	s := ownScripts[bareName(c.Test)]
	name := s.name
	if c.Driver.Lua != "" {
		s, name = script{}, c.Driver.script(c.Test)
	}
	distribution := "uniform"
	if s.zipf {
		distribution = "zipfian"
	}
	argv := []string{c.Identity.Path, name}
	if c.Access.Network == "tcp" {
		host, port, _ := net.SplitHostPort(c.Access.Addr) // ours, and whole
		argv = append(argv, "--mysql-host="+host, "--mysql-port="+port)
	} else {
		argv = append(argv, "--mysql-socket="+c.Access.Addr)
	}
	argv = append(argv, "--db-driver=mysql", "--mysql-user="+c.Access.User, "--mysql-db="+c.Access.Database,
		"--db-ps-mode="+map[bool]string{true: "auto", false: "disable"}[c.Access.Protocol == Prepared],
		"--tables="+strconv.Itoa(c.Data.Tables), "--table-size="+strconv.FormatInt(c.Data.Rows, 10),
		"--threads="+strconv.Itoa(c.Clients), "--report-interval=0",
		"--rand-type="+distribution, "--rand-seed="+strconv.FormatUint(c.seed(phase), 10))
	if c.Access.TLS {
		argv = append(argv, "--mysql-ssl=REQUIRED") // of 1.1; see Identity.TLS
	}
	if c.Test.Range > 0 && s.name != "" {
		argv = append(argv, "--range-size="+strconv.Itoa(c.Test.Range))
	}
	argv = append(argv, s.options...)
	if l.operations > 0 {
		each := int64(c.perEvent())
		argv = append(argv, "--time=0", "--events="+strconv.FormatInt(max(1, (l.operations+each-1)/each), 10))
	} else {
		argv = append(argv, "--time="+strconv.FormatInt(l.seconds, 10), "--events=0")
	}
	argv = append(argv, c.Driver.Options...)
	return append(argv, "run")
}

// folder is where the program runs; "" is where we do. sysbench takes a script
// that lies in its current folder for one of its own of that name, and so would
// run whatever lies where opcost happens to be called: it runs where nothing but
// its outputs is, or where its script is.
func (c ExternalConfig) folder() string {
	switch {
	case c.Driver.Name != DriverSysbench:
		return ""
	case c.Driver.Lua != "":
		return filepath.Dir(c.Driver.script(c.Test))
	}
	return c.Dir
}

// perEvent is the statements of one of sysbench's events: the test's.
func (c ExternalConfig) perEvent() (n int) {
	if c.Driver.Lua != "" {
		return 1
	}
	for _, s := range c.Test.steps {
		n += max(1, s.times)
	}
	return n
}

// seed is of the same four things as the built-in client's keys. sysbench takes
// 31 bits of it, and 0 for the clock.
func (c ExternalConfig) seed(phase string) uint64 {
	s, _ := seed("phase "+phase, c.Seed, uint64(c.Repeat))
	return 1 + s%(1<<31-2)
}
