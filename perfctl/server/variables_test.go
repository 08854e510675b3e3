package server

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"opcost/testbed/casefiles"
)

// TestComparedVariablesCases reads the variables of real servers that were
// meant to be configured alike. The differences are those that the collection
// names ("confounders seen in these files").
func TestComparedVariablesCases(t *testing.T) {
	dir := filepath.Join(casefiles.Folder(t, "07-mysql-status"), "mytools")
	casefiles.Used(t, casefiles.Compared, "07-mysql-status/facts: confounders seen in these files")
	read := func(version string) map[string]string {
		return variablesOf(t, filepath.Join(dir, "show-variables."+version+".txt"))
	}
	my56, my57, my84, ma102, ma1011 := read("mysql-5.6.51"), read("mysql-5.7.44"), read("mysql-8.4.7"), read("mariadb-10.2.30"), read("mariadb-10.11.14")
	for _, c := range []struct {
		vars       map[string]string
		name, want string // "": absent
	}{
		{my56, "performance_schema", ""}, {my57, "performance_schema", "ON"},
		{my57, "gtid_mode", "OFF"}, {ma102, "gtid_mode", ""},
		{my56, "sql_mode", "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION"}, {my57, "sql_mode", "NO_UNSIGNED_SUBTRACTION,NO_ENGINE_SUBSTITUTION"},
		{my57, "innodb_dedicated_server", ""}, {my84, "innodb_dedicated_server", "ON"},
		{my84, "innodb_log_writer_threads", "OFF"}, {my84, "have_ssl", ""},
		{ma102, "innodb_flush_method", "O_DIRECT_NO_FSYNC"}, {ma1011, "innodb_flush_method", "O_DIRECT"},
	} {
		got, there := c.vars[c.name]
		if there != (c.want != "") || got != c.want {
			t.Errorf("%s of %s: %q (there: %t), want %q", c.name, c.vars["version"], got, there, c.want)
		}
	}
}

func TestComparedVariablesAreNamesOnce(t *testing.T) {
	sorted := slices.Sorted(slices.Values(ComparedVariables))
	for n, name := range sorted {
		if n > 0 && sorted[n-1] == name {
			t.Errorf("%s is listed twice", name)
		}
		if name != strings.ToLower(name) {
			t.Errorf("%s would never be found", name)
		}
	}
	got := compared([][]string{{"Variable_name", "Value"}, {"LOG_BIN", "ON"}, {"odd"}, {"server_uuid", "x"}})
	if len(got) != 1 || got["log_bin"] != "ON" {
		t.Errorf("%v", got)
	}
}

func TestThreadIDs(t *testing.T) {
	my8 := Identity{Flavor: MySQL, Number: "8.0.36", Major: 8}
	const one = "one-thread-per-connection"
	for name, c := range map[string]struct {
		rows [][]string
		want []int
		err  string
	}{
		"order of the question":  {[][]string{{"7", "100", one}, {"8", "200", one}}, []int{200, 100}, ""},
		"performance_schema off": {nil, nil, "performance_schema=ON"},
		"thread pool":            {[][]string{{"7", "100", "pool-of-threads"}, {"8", "100", "pool-of-threads"}}, nil, "pool-of-threads"},
		"no thread id (NULL)":    {[][]string{{"7", "", one}, {"8", "1", one}}, nil, "no thread id"},
	} {
		got, err := threadIDs(my8, c.rows, []uint64{8, 7})
		if c.err == "" && (err != nil || !slices.Equal(got, c.want)) || c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)) {
			t.Errorf("%s: %v %v", name, got, err)
		}
	}
	for version, want := range map[string]string{"5.6.51": "", "5.7.44": "performance_schema.threads", "10.11.19-MariaDB": "information_schema.PROCESSLIST", "5.5.68-MariaDB": ""} {
		id, err := ParseVersion(version)
		if err != nil {
			t.Fatal(err)
		}
		sql, err := threadsSQL(id, []uint64{8, 7})
		if (err == nil) != (want != "") || !strings.Contains(sql, want) {
			t.Errorf("%s: %q %v", version, sql, err)
		}
	}
}
