package server

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/servers.md anew")

func (r Range) text() string {
	number := func(v [3]int) string { return fmt.Sprintf("%d.%d.%d", v[0], v[1], v[2]) }
	name := map[string]string{"": "all", MySQL: "MySQL", MariaDB: "MariaDB"}[r.Flavor]
	if r.From != [3]int{} {
		name += " from " + number(r.From)
	}
	if r.Until != [3]int{} {
		name += " before " + number(r.Until)
	}
	return name
}

// TestDocs keeps docs/servers.md equal to the tables in the code.
func TestDocs(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Servers

What each version needs, whether it was tried, and everything that opcost sets on a server by itself. The rest is the
server's own default, or the plan's choice: opcost tunes nothing.

## Versions

"Untried" means that the argument lists are tested and that no such server was run.

| versions | initialised by | tried with | note |
|---|---|---|---|
`)
	for _, r := range Support {
		how := string(r.Init)
		if how == "" {
			how = "-"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s |\n", r.Label, how, r.Tried, r.Note)
	}
	b.WriteString(`
## What opcost sets

Settings marked "wins" come after the plan's options and cannot be changed by them; the others come before, so that the
plan's options win. Words in braces stand for private paths.

| option | versions | when | wins | why |
|---|---|---|---|---|
`)
	for _, s := range Settings {
		wins := ""
		if s.Last {
			wins = "wins"
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", s.Option, s.Versions.text(), s.When, wins, s.Why)
	}
	b.WriteString(`
Over TCP the load logs in as ` + "`" + clientUser + "`" + `, which has no password and may use the load's database alone; all others that
could log in there are dropped before the server first listens.

Under valgrind a server also gets ` + "`innodb-use-native-aio=0`" + ` and, where its pool reserves address space, an
` + "`innodb-buffer-pool-size-max`" + ` no larger than the pool.
`)
	path := filepath.Join("..", "..", "docs", "servers.md")
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil || string(got) != b.String() {
		t.Errorf("docs/servers.md is not what the tables say (%v); run go test ./perfctl/server -run TestDocs -update", err)
	}
}
