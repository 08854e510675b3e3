package perfscript

import (
	"slices"
	"sort"
)

// region is a piece of memory in which a file's code lies.
type region struct {
	start, end, offset uint64
	path               string
}

// mapping is where files lie in a process's memory, in order, without overlap.
type mapping struct {
	regions []region
	shared  bool // with a forked process, until one of them changes
}

// maxRegions bounds a process's mappings. Servers have some hundreds with code.
const maxRegions = 1 << 12

// at is the place in the file of an address in memory.
func (m *mapping) at(addr uint64, object string) (uint64, bool) {
	i := sort.Search(len(m.regions), func(i int) bool { return m.regions[i].end > addr })
	if i == len(m.regions) || addr < m.regions[i].start || m.regions[i].path != object {
		return 0, false
	}
	return addr - m.regions[i].start + m.regions[i].offset, true
}

// holds tells whether a place in the object's file is mapped.
func (m *mapping) holds(offset uint64, object string) bool {
	for _, r := range m.regions {
		if r.path == object && offset >= r.offset && offset-r.offset < r.end-r.start {
			return true
		}
	}
	return false
}

// insert maps a file over what was there.
func (m *mapping) insert(r region) {
	if len(m.regions) >= maxRegions {
		return
	}
	if m.shared {
		m.regions, m.shared = slices.Clone(m.regions), false
	}
	from := sort.Search(len(m.regions), func(i int) bool { return m.regions[i].end > r.start })
	to := from
	for to < len(m.regions) && m.regions[to].start < r.end {
		to++
	}
	var with []region
	if from < to {
		if old := m.regions[from]; old.start < r.start {
			with = append(with, region{old.start, r.start, old.offset, old.path})
		}
	}
	with = append(with, r)
	if from < to {
		if old := m.regions[to-1]; old.end > r.end {
			with = append(with, region{r.end, old.end, old.offset + (r.end - old.start), old.path})
		}
	}
	m.regions = slices.Replace(m.regions, from, to, with...)
}

// fork is a new process's mapping, which begins as its parent's.
func (m *mapping) fork() *mapping {
	m.shared = true
	return &mapping{regions: m.regions, shared: true}
}
