package isolate

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/goccy/go-yaml"

	"opcost/perfctl/result"
)

// carried are the keys of the base's plan that hold for its single settings too.
var carried = []string{
	"transport", "server_cpus", "client_cpus", "numa", "warmup", "duration", "operations", "write_operations",
	"driver", "repeats", "restart", "restore", "counters", "profile",
}

// commonKeys are those of the plan that all versions share: the cell from the
// record, the rest from the plan's text.
func commonKeys(text []byte, base result.Run) (keys yaml.MapSlice, err error) {
	keys = yaml.MapSlice{
		{Key: "workloads", Value: []string{base.Workload}}, {Key: "clients", Value: []int{base.Clients}},
		{Key: "tables", Value: base.Tables}, {Key: "rows", Value: base.Rows}, {Key: "seed", Value: base.Seed},
	}
	var plan yaml.MapSlice
	if err := yaml.Unmarshal(text, &plan); err != nil {
		return nil, fmt.Errorf("the text of the base's plan: %w", err)
	}
	for _, name := range carried {
		if i := slices.IndexFunc(plan, func(it yaml.MapItem) bool { return it.Key == name }); i >= 0 {
			keys = append(keys, plan[i])
		} else if name == "transport" && base.Transport != "" {
			keys = append(keys, yaml.MapItem{Key: name, Value: base.Transport})
		}
	}
	return keys, nil
}

// transport has another one in a plan's keys.
func transport(keys yaml.MapSlice, to string) (yaml.MapSlice, string) {
	if to != "socket" && to != "tcp" {
		return nil, "a plan connects by socket or by tcp, not by " + to
	}
	keys = slices.DeleteFunc(keys, func(it yaml.MapItem) bool { return it.Key == "transport" })
	return append(keys, yaml.MapItem{Key: "transport", Value: to}), ""
}

// write gives a plan's text.
func write(comment []string, versions []version, keys yaml.MapSlice) ([]byte, error) {
	var b bytes.Buffer
	for _, line := range comment {
		fmt.Fprintf(&b, "# %s\n", strings.Map(inComment, line))
	}
	var list []yaml.MapSlice
	for _, v := range versions {
		m := yaml.MapSlice{{Key: "name", Value: v.Name}, {Key: "mysqld", Value: v.Mysqld}}
		add := func(has bool, key string, value any) {
			if has {
				m = append(m, yaml.MapItem{Key: key, Value: value})
			}
		}
		add(v.DefaultsFile != "", "defaults_file", v.DefaultsFile)
		add(len(v.Options) > 0, "options", v.Options)
		add(true, "session", session(v))
		add(len(v.Launcher) > 0, "launcher", v.Launcher)
		add(len(v.Env) > 0, "env", v.Env)
		list = append(list, m)
	}
	text, err := yaml.Marshal(append(yaml.MapSlice{{Key: "versions", Value: list}}, keys...))
	if err != nil {
		return nil, err
	}
	b.Write(text)
	return b.Bytes(), nil
}

// inComment takes out what could end a comment: its text comes from records.
func inComment(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

func session(v version) yaml.MapSlice {
	m := yaml.MapSlice{}
	if v.Charset != "" && v.Charset[0] >= 'a' && v.Charset[0] <= 'z' { // else the driver's own
		m = append(m, yaml.MapItem{Key: "charset", Value: v.Charset})
	}
	if v.Protocol == "prepared" || v.Protocol == "text" {
		m = append(m, yaml.MapItem{Key: "protocol", Value: v.Protocol})
	}
	return append(m, yaml.MapItem{Key: "tls", Value: v.TLS})
}

// Write makes the folder and puts the plans into it: all of them, or none. One
// that holds anything is refused: nothing is overwritten.
func Write(dir string, plans []Plan) (err error) {
	entries, err := os.ReadDir(dir)
	made := errors.Is(err, fs.ErrNotExist)
	switch {
	case made:
	case err != nil:
		return fmt.Errorf("folder for plans: %w", err)
	case len(entries) > 0:
		return fmt.Errorf("folder for plans: %s is not empty (%s, ...), and nothing is overwritten; name a new folder", dir, entries[0].Name())
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("folder for plans: %w", err)
	}
	var written []string
	defer func() {
		if err == nil {
			return
		}
		for _, path := range written { // half of the plans would isolate half of the differences
			_ = os.Remove(path)
		}
		if made {
			_ = os.Remove(dir)
		}
	}()
	for _, p := range plans {
		path := filepath.Join(dir, p.Name)
		err := result.NewFile(path, 0o644, func(w io.Writer) error {
			_, err := w.Write(p.Text)
			return err
		})
		if err != nil {
			return fmt.Errorf("folder for plans: %w", err)
		}
		written = append(written, path)
	}
	return nil
}
