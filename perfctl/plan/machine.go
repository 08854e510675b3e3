package plan

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/prometheus/procfs"
)

// Memory is what a Machine may also tell; without it a plan is not checked for it.
type Memory interface {
	// MemoryBytes is the machine's memory.
	MemoryBytes() (int64, error)
	// Nodes are the CPUs of each NUMA node, by its number; a machine without
	// NUMA has node 0 with all its CPUs.
	Nodes() (map[int][]int, error)
}

func (here) MemoryBytes() (int64, error) {
	fs, err := procfs.NewDefaultFS()
	if err != nil {
		return 0, err
	}
	m, err := fs.Meminfo()
	switch {
	case err != nil:
		return 0, err
	case m.MemTotalBytes == nil:
		return 0, fmt.Errorf("/proc/meminfo has no MemTotal")
	}
	return int64(*m.MemTotalBytes), nil
}

func (h here) Nodes() (map[int][]int, error) {
	folders, err := filepath.Glob("/sys/devices/system/node/node[0-9]*")
	if err != nil {
		return nil, err
	}
	nodes := map[int][]int{}
	for _, f := range folders {
		text, err := os.ReadFile(filepath.Join(f, "cpulist"))
		if err != nil {
			return nil, err
		}
		n, err := strconv.Atoi(strings.TrimPrefix(filepath.Base(f), "node"))
		if err != nil {
			continue // no node's folder
		}
		if s := strings.TrimSpace(string(text)); s == "" {
			nodes[n] = nil // memory alone
		} else if nodes[n], err = parseCPUs(s); err != nil {
			return nil, err
		}
	}
	if len(nodes) == 0 {
		cpus, err := h.CPUs()
		return map[int][]int{0: cpus}, err
	}
	return nodes, nil
}

// numa reads the node that the server's CPUs and memory are of.
func (r *reader) numa(m map[string]entry, p *Plan) {
	e, ok := m["numa"]
	if !ok {
		return
	}
	n, ok := r.integer(e.value, "numa", "numa: {}", 0, 1023)
	if !ok {
		return
	}
	mem, ok := r.machine.(Memory)
	if !ok {
		r.bad(e.value, "", "numa: which nodes this machine has is not known")
		return
	}
	nodes, err := mem.Nodes()
	if err != nil {
		r.bad(e.value, "", "numa: which nodes this machine has cannot be read: %v", err)
		return
	}
	cpus, ok := nodes[int(n)]
	switch {
	case !ok:
		var have []string
		for i := range 1024 {
			if _, ok := nodes[i]; ok {
				have = append(have, strconv.Itoa(i))
			}
		}
		r.bad(e.value, "numa: "+have[0], "numa: there is no node %d; there is %s", n, strings.Join(have, ", "))
		return
	case len(cpus) == 0:
		r.bad(e.value, "", "numa: node %d has memory but no CPUs", n)
		return
	}
	if p.ServerCPUs == nil {
		p.ServerCPUs = slices.Clone(cpus)
	} else if outside := slices.DeleteFunc(slices.Clone(p.ServerCPUs), func(c int) bool { return slices.Contains(cpus, c) }); len(outside) > 0 {
		r.bad(m["server_cpus"].value, "numbers of "+listCPUs(cpus), "server_cpus: CPU %s is not of NUMA node %d", listCPUs(outside), n)
		return
	}
	node := int(n)
	p.NUMA = &node
}

// apart refuses CPUs that the server and the clients would share: the one's
// work would show as the other's waiting.
func (r *reader) apart(m map[string]entry, p *Plan) {
	e, ok := m["client_cpus"]
	if !ok || p.ServerCPUs == nil || p.ClientCPUs == nil {
		return
	}
	var both []int
	for _, c := range p.ClientCPUs {
		if slices.Contains(p.ServerCPUs, c) {
			both = append(both, c)
		}
	}
	if len(both) > 0 {
		r.bad(e.value, "client_cpus: auto, or other CPUs", "client_cpus: the server is pinned to CPU %s too; pin each to CPUs of its own, or neither", listCPUs(both))
	}
}

var poolSize = regexp.MustCompile(`^([0-9]+)([KMGTkmgt]?)[Bb]?$`)

// poolFits refuses a buffer pool that is larger than the machine's memory.
func (r *reader) poolFits(at ast.Node, option string) {
	name, value, _ := optionName(option)
	part := poolSize.FindStringSubmatch(value)
	mem, ok := r.machine.(Memory)
	if name != "innodb-buffer-pool-size" || part == nil || !ok {
		return
	}
	n, err := strconv.ParseInt(part[1], 10, 64)
	total, totalErr := mem.MemoryBytes()
	if totalErr != nil {
		return // the server will tell
	}
	unit := int64(1) << (10 * (1 + strings.Index("KMGT", strings.ToUpper(part[2]))))
	if part[2] == "" {
		unit = 1
	}
	if err != nil || n > total/unit {
		r.bad(at, fmt.Sprintf("innodb-buffer-pool-size=%dM", total*6/10>>20), "option %s: the buffer pool would be larger than this machine's memory of %d MB", option, total>>20)
	}
}
