package importer

import (
	"strings"

	"opcost/perfctl/importer/smalldatum"
)

// sameServers renames servers that a post's table spells out (MariaDB Enterprise
// 10.6.23, or 10.6) as the scripts' tables beside it call them, where these
// have one of that release.
func (b *batch) sameServers() {
	scripts := map[string][]smalldatum.Server{}
	for _, t := range b.tables {
		for _, raw := range t.servers() {
			if strings.HasPrefix(raw, "x.") {
				scripts[t.from.set] = append(scripts[t.from.set], smalldatum.ParseServer(raw))
			}
		}
	}
	for i := range b.tables {
		t := &b.tables[i]
		alias := map[string]string{}
		for _, raw := range t.servers() {
			if s := smalldatum.ParseServer(raw); !strings.HasPrefix(raw, "x.") && s.Number != "" && strings.Contains(raw, " ") {
				if of := only(s, scripts[t.from.set]); of != "" {
					alias[raw] = of
				}
			}
		}
		t.rename(alias)
	}
}

// servers are all that the table names.
func (t table) servers() []string {
	if t.file.Base == "" {
		return t.file.Servers
	}
	return append([]string{t.file.Base}, t.file.Servers...)
}

func (t *table) rename(alias map[string]string) {
	as := func(raw *string) {
		if to, ok := alias[*raw]; ok {
			*raw = to
		}
	}
	as(&t.file.Base)
	for i := range t.file.Servers {
		as(&t.file.Servers[i])
	}
	for i := range t.file.Cells {
		as(&t.file.Cells[i].Server)
	}
}

// only is the one server of that product and release, or of one of its point
// releases; "" where there are several or none.
func only(s smalldatum.Server, among []smalldatum.Server) string {
	found := ""
	for _, o := range among {
		if o.Flavor != s.Flavor || o.Number != s.Number && !strings.HasPrefix(o.Number, s.Number+".") {
			continue
		}
		if found != "" && found != o.Raw {
			return ""
		}
		found = o.Raw
	}
	return found
}
