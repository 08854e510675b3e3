package binary

import (
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// find opens the separate debug file, where gdb and perf look for it: by build
// id, then by the name in .gnu_debuglink (gdb's manual, "Separate Debug Files").
func (d *Debug) find(f *elf.File, id, path string, roots []string) *elf.File {
	for _, p := range places(f, id, path) {
		for i, root := range roots {
			if slices.Contains(roots[:i], root) {
				continue
			}
			file, err := elf.Open(filepath.Join(root, p))
			switch {
			case os.IsNotExist(err):
				continue
			case err != nil:
				d.Unreadable = fmt.Sprintf("%s: %v", p, cause(err))
				continue
			}
			if other := buildID(file); id != "" && other != "" && other != id {
				d.Unreadable = fmt.Sprintf("%s belongs to another build (%s)", p, other)
				file.Close()
				continue
			}
			if s := file.Section(".debug_info"); s == nil || s.Type == elf.SHT_NOBITS {
				d.Unreadable = p + " holds no debug information"
				file.Close()
				continue
			}
			d.File, d.Looked, d.Unreadable = p, nil, ""
			return file
		}
		d.Looked = append(d.Looked, p)
	}
	return nil
}

func places(f *elf.File, id, path string) []string {
	const global = "/usr/lib/debug"
	var ps []string
	if len(id) > 2 {
		ps = append(ps, filepath.Join(global, ".build-id", id[:2], id[2:]+".debug"))
	}
	if link := debugLink(f); link != "" {
		dir := filepath.Dir(path)
		for _, p := range []string{filepath.Join(dir, link), filepath.Join(dir, ".debug", link), filepath.Join(global, dir, link)} {
			if p != path && !slices.Contains(ps, p) {
				ps = append(ps, p)
			}
		}
	}
	return ps
}

// debugLink is the file name in .gnu_debuglink, which a checksum follows.
func debugLink(f *elf.File) string {
	s := f.Section(".gnu_debuglink")
	if s == nil {
		return ""
	}
	b, err := s.Data()
	if err != nil {
		return ""
	}
	name, _, ok := strings.Cut(string(b), "\x00")
	if !ok || name != filepath.Base(name) {
		return ""
	}
	return name
}
