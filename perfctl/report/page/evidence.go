package page

import (
	"net/url"
	"strings"
)

// dataEvidence are the runs behind the rows, by row; what they share stands once.
type dataEvidence struct {
	Files [][]string      `json:"files"` // sets of files, each a path in a run's folder
	Runs  [][]evidenceRun `json:"runs"`  // a list a row
}

type evidenceRun struct {
	ID     string `json:"id"`
	Folder string `json:"folder"` // escaped for an address
	Files  int    `json:"files"`
	Flame  string `json:"flame,omitempty"`
}

// evidenceOf gives each row its runs; nil where there are none.
func evidenceOf(in Input) *dataEvidence {
	if len(in.Evidence) == 0 {
		return nil
	}
	type key struct {
		host, version, workload, protocol, driver string
		clients                                   int
	}
	of := map[key][]evidenceRun{}
	var sets list[string]
	for _, r := range in.Evidence {
		k := key{r.Host, r.Version, r.Workload, r.Protocol, r.Driver, r.Clients}
		e := evidenceRun{ID: r.ID, Folder: address(r.Folder), Files: sets.of(strings.Join(r.Files, "\x00"))}
		if r.Flame != "" {
			e.Flame = address(r.Flame)
		}
		of[k] = append(of[k], e)
	}
	d := &dataEvidence{}
	for _, s := range sets.all {
		files := []string{}
		if s != "" {
			files = strings.Split(s, "\x00")
		}
		d.Files = append(d.Files, files)
	}
	for _, row := range in.Report.Rows {
		d.Runs = append(d.Runs, of[key{row.Host, row.Version, row.Workload, row.Protocol, row.Driver, row.Clients}])
	}
	return d
}

// address escapes a relative path. It always begins with a dot, so that no name
// is taken for a scheme ("javascript:") or for another host.
func address(path string) string {
	parts := strings.Split(path, "/")
	for i, p := range parts {
		parts[i] = url.PathEscape(p)
	}
	text := strings.Join(parts, "/")
	if strings.HasPrefix(text, "../") {
		return text
	}
	return "./" + text
}
