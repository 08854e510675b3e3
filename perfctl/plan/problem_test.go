package plan

import (
	"errors"
	"strings"
	"testing"
)

// Each plan has one thing wrong; where is what line and column the user must
// look at, counted by hand.
func TestProblems(t *testing.T) {
	v := func(more string) string { // line 2, column 5 is the first key of the version
		return "versions:\n  - name: a\n" + more + "workloads: [point-query]\n"
	}
	for _, c := range []struct{ name, plan, where, text, instead string }{
		{"empty", "", "1:1", "the plan is empty", "versions:"},
		{"only a comment", "# nothing\n", "1:1", "the plan is empty", "versions:"},
		{"a list", "- a\n", "1:1", "must be a mapping (key: value), not a list", "versions:"},
		{"a word", "hello\n", "1:1", `must be a mapping (key: value), not "hello"`, "versions:"},
		{"two documents", with("---\nrows: 1\n"), "4:1", "second document", "a file for each"},
		{"a tab", "versions:\n\t- name: a\n", "2:1", "a tab in the indentation", "spaces"},
		{"no YAML", with("clients: [1, 2\n"), "3:10", "this is not YAML", ""},
		{"a bad tag", with("rows: !!int 5\n"), "3:7", "tag !!int", "the value alone"},
		{"no anchor", with("clients: *c\n"), "3:10", "no anchor &c", ""},
		{"alias of itself", with("clients: &c *c\n"), "3:13", "this is not YAML", ""},
		{"merge into itself", "versions: [&a {<<: *a, name: x, mysqld: mariadbd}]\nworkloads: [point-query]\n", "1:20", "into itself", ""},

		{"unknown key", with("repeat: 3\n"), "3:1", `the plan has no key "repeat"`, "repeats:"},
		{"budget without room", with("repeats: 2\nbudget: 1h\n"), "4:1", "nothing to spend it on", "repeats: 8"},
		{"budget without unit", with("budget: 90\n"), "3:9", "budget: 90 has no unit", "budget: 90s"},
		{"budget of nothing", with("budget: 0s\n"), "3:9", "at least 1s", "budget: 2h"},
		{"unknown key, dash", with("server-cpus: auto\n"), "3:1", `no key "server-cpus"`, "server_cpus:"},
		{"key in the wrong place", with("mysqld: x\n"), "3:1", `no key "mysqld"`, "mysqld: in a version"},
		{"key like no other", with("zzzzzzzz: x\n"), "3:1", `no key "zzzzzzzz"`, "one of versions, base"},
		{"unknown key in a version", v("    mysqld: mariadbd\n    optoins: [a]\n"), "4:5", `a version has no key "optoins"`, "options:"},
		{"unknown key in session", v("    mysqld: mariadbd\n    session:\n      charst: latin1\n"), "5:7", `session has no key "charst"`, "charset:"},
		{"unknown key in restore", with("restore: {comand: x, command: y}\n"), "3:11", `restore has no key "comand"`, "command:"},
		{"key twice", with("rows: 5\ntables: 1\nrows: 6\n"), "5:1", `"rows" is given twice; the first is on line 3`, "one rows:"},
		{"key twice in a version", v("    mysqld: mariadbd\n    name: b\n"), "4:5", `"name" is given twice; the first is on line 2`, ""},
		{"list as key", with("[a]: 5\n"), "3:4", "this is not YAML", ""},

		{"no versions", "workloads: [point-query]\n", "1:1", "has no versions", "versions:"},
		{"empty versions", "versions: []\nworkloads: [point-query]\n", "1:11", "versions is an empty list", "versions: [{"},
		{"versions a mapping", "versions: {name: a}\nworkloads: [point-query]\n", "1:11", "must be a list, not a mapping", "versions: [{"},
		{"versions nothing", "versions:\nworkloads: [point-query]\n", "1:1", "must be a list, not nothing", ""},
		{"a version a list", "versions:\n  - [a]\nworkloads: [point-query]\n", "2:5", "a version must be a mapping (key: value), not a list", "- name: a"},
		{"no name", "versions:\n  - mysqld: mariadbd\nworkloads: [point-query]\n", "2:5", "a version has no name", "name: a"},
		{"empty name", "versions: [{name: '', mysqld: mariadbd}]\nworkloads: [point-query]\n", "1:19", "name is empty", "name: "},
		{"name no folder", "versions: [{name: 'a/b c', mysqld: mariadbd}]\nworkloads: [point-query]\n", "1:19", "does not do as a folder's name", "name: a-b-c"},
		{"name begins with a dot", "versions: [{name: ../x, mysqld: mariadbd}]\nworkloads: [point-query]\n", "1:19", "does not do as a folder's name", "name: x"},
		{"name without a usable letter", "versions: [{name: é数, mysqld: mariadbd}]\nworkloads: [point-query]\n", "1:19", "does not do as a folder's name", "name: a"},
		{"duration of years", with("duration: 100000h\n"), "3:11", "duration is 100000h; it must be at most 24h0m0s", "duration: 1m"},
		{"duration beyond counting", with("warmup: 99999999999h\n"), "3:9", "warmup is 99999999999h; it must be at most 24h0m0s", "warmup: 30s"},
		{"budget of years", with("budget: 9000h\n"), "3:9", "budget is 9000h; it must be at most 8760h0m0s", "budget: 2h"},
		{"a plan of years", with("duration: 24h\nrepeats: 10000\n"), "1:1", "this plan takes more than 27 years", "smaller numbers"},
		{"rows beyond patience", with("tables: 10000\nrows: 2147483647\nrepeats: 100\n"), "1:1", "takes more than", "smaller numbers"},
		{"operations beyond patience", with("operations: 1000000000000000\n"), "1:1", "takes more than", "smaller numbers"},
		{"name twice", "versions: [{name: a, mysqld: mariadbd},\n  {name: a, mysqld: mariadbd}]\nworkloads: [point-query]\n", "2:10", `second version is named "a"; the first is on line 1`, "name: a-2"},
		{"no binary", v(""), "2:5", `"a" has neither mysqld nor basedir`, "mysqld: "},
		{"missing binary", v("    mysqld: /no/mysqld\n"), "3:13", "mysqld: /no/mysqld does not exist", "mysqld: "},
		{"relative binary", v("    mysqld: ./mysqld\n"), "3:13", "mysqld: /plans/mysqld does not exist", ""},
		{"not executable", v("    mysqld: /plans/my.cnf\n"), "3:13", "/plans/my.cnf is not executable", ""},
		{"not on PATH", v("    mysqld: mysqldd\n"), "3:13", `no program "mysqldd" in /usr/bin:/usr/sbin; install it`, ""},
		{"basedir without one", v("    basedir: /usr/bin\n"), "3:14", "no mysqld or mariadbd in bin, sbin or libexec of /usr/bin", ""},
		{"basedir with a text", v("    basedir: /opt/text\n"), "3:14", "/opt/text/bin/mysqld is not executable", ""},
		{"mysqld outside basedir", v("    basedir: /opt/five\n    mysqld: /usr/sbin/mariadbd\n"), "4:13", "is not inside basedir (/opt/five)", "not both"},
		{"defaults file", v("    mysqld: mariadbd\n    defaults_file: no.cnf\n"), "4:20", "/plans/no.cnf does not exist", ""},
		{"launcher", v("    mysqld: mariadbd\n    launcher: [nomactl]\n"), "4:16", `launcher: there is no program "nomactl"`, ""},
		{"launcher in one word", v("    mysqld: mariadbd\n    launcher: [numactl -i all]\n"), "4:16", "is several words", "launcher: [numactl, -i, all]"},
		{"launcher a text", v("    mysqld: mariadbd\n    launcher: numactl\n"), "4:15", "launcher must be a list", "launcher: [numactl]"},
		{"env a list", v("    mysqld: mariadbd\n    env: [A=b]\n"), "4:10", "env must be a mapping", "env: {"},
		{"env name", v("    mysqld: mariadbd\n    env: {A-B: c}\n"), "4:11", `"A-B" is not the name`, ""},
		{"env nothing", v("    mysqld: mariadbd\n    env: {A: }\n"), "4:11", "env: A must be a text, not nothing", `A: ""`},
		{"env password", v("    mysqld: mariadbd\n    env: {MYSQL_PWD: x}\n"), "4:11", "holds a password", ""},
		{"base", with("base: b\n"), "3:7", `no version is named "b"`, "base: a"},

		{"protocol", v("    mysqld: mariadbd\n    session: {protocol: binary}\n"), "4:25", `"binary" is not one of prepared, text`, "protocol: prepared | text"},
		{"charset", v("    mysqld: mariadbd\n    session: {charset: 'UTF 8'}\n"), "4:24", `"UTF 8" is not one of latin1, utf8, utf8mb4`, "charset: "},
		{"charset that nearly is", v("    mysqld: mariadbd\n    session: {charset: utf8mb3}\n"), "4:24", `"utf8mb3" is not one of`, "charset: utf8mb4"},
		{"charset like no other", v("    mysqld: mariadbd\n    session: {charset: klingon}\n"), "4:24", `"klingon" is not one of`, "charset: latin1 | utf8 | utf8mb4"},
		{"tls", v("    mysqld: mariadbd\n    session: {tls: yes}\n"), "4:20", `tls must be true or false, not "yes"`, "tls: true | false"},
		{"tls turned off", v("    mysqld: mariadbd\n    options: [skip_ssl]\n    session: {tls: true}\n"), "5:20", "skip_ssl turns TLS off", ""},

		{"option of ours", with("options: [a=1, --loose_datadir=/x]\n"), "3:16", "option loose_datadir is set by opcost: each server has a data directory", ""},
		{"skip-networking", v("    mysqld: mariadbd\n    options:\n    - skip-networking\n"), "5:7", "`transport` says", ""},
		{"no-defaults", with("options: [no-defaults]\n"), "3:11", "only the version's defaults_file is read", ""},
		{"secret", with("options: [replication_password=hunter2]\n"), "3:11", "option replication_password holds a secret", "a defaults_file of mode 0600"},
		{"option with spaces", with("options: [a = 1]\n"), "3:11", "spaces around its =", "a=1"},
		{"option a mapping", with("options:\n  - innodb-buffer-pool-size: 1G\n"), "4:5", "an option must be one text, not a mapping", "NAME=VALUE"},
		{"option a number", with("options: [5]\n"), "3:11", `"5" is not a server option`, ""},
		{"option of two lines", with("options: [\"a=1\\nb=2\"]\n"), "3:11", "line break", ""},
		{"options a text", with("options: log-bin\n"), "3:10", "options must be a list", "options: [log-bin]"},

		{"no workloads", "versions: [{name: a, mysqld: mariadbd}]\n", "1:1", "the plan has no workloads", "workloads: ["},
		{"empty workloads", "versions: [{name: a, mysqld: mariadbd}]\nworkloads: []\n", "2:12", "workloads is an empty list", ""},
		{"unknown workload", "versions: [{name: a, mysqld: mariadbd}]\nworkloads: [point-query,\n  point-qeury]\n", "3:3", `no workload "point-qeury"`, "point-query"},
		{"workload twice", "versions: [{name: a, mysqld: mariadbd}]\nworkloads: [hot-points, hot-points]\n", "2:25", "named twice", ""},

		{"clients a number", with("clients: 4\n"), "3:10", "clients must be a list", "clients: [4]"},
		{"clients empty", with("clients: []\n"), "3:10", "clients is an empty list", "clients: [1, 4]"},
		{"clients 0", with("clients: [1, 0]\n"), "3:14", "a number of clients is 0; it must be between 1 and", ""},
		{"clients twice", with("clients: [1, 4, 1]\n"), "3:17", "1 clients are named twice", ""},
		{"repeats 0", with("repeats: 0\n"), "3:10", "repeats is 0; it must be between 1", "repeats: 1"},
		{"repeats -1", with("repeats: -1\n"), "3:10", "repeats is -1", "repeats: 1"},
		{"repeats in quotes", with("repeats: '4'\n"), "3:10", "in quotes", "repeats: 4"},
		{"repeats 1.5", with("repeats: 1.5\n"), "3:10", `whole number, not "1.5"`, ""},
		{"repeats nothing", with("repeats:\n"), "3:1", "whole number, not nothing", "repeats: 1"},
		{"rows 0", with("rows: 0\n"), "3:7", "rows is 0", ""},
		{"rows 100k", with("rows: 100k\n"), "3:7", `whole number, not "100k"`, "rows: 100000"},
		{"rows 1,000,000", with("rows: 1,000,000\n"), "3:7", `whole number, not "1,000,000"`, "rows: 1000000"},
		{"rows 5000M", with("rows: 5000M\n"), "3:7", `whole number, not "5000M"`, "rows: 1"},
		{"rows octal", with("rows: 010\n"), "3:7", `whole number, not "010"`, ""},
		{"rows beyond INT", with("rows: 2147483648\n"), "3:7", "between 1 and 2147483647", ""},
		{"rows beyond int64", with("rows: 99999999999999999999\n"), "3:7", "must be between 1 and", ""},
		{"rows a list", with("rows: [5]\n"), "3:7", "whole number, not a list", ""},
		{"tables 0", with("tables: 0\n"), "3:9", "tables is 0", ""},
		{"seed negative", with("seed: -1\n"), "3:7", "seed is -1; it must be 0 or more", ""},

		{"duration 0", with("duration: 0\n"), "3:11", "duration is 0; it must be at least 10ms", "duration: "},
		{"duration 0s", with("duration: 0s\n"), "3:11", "duration is 0s; it must be at least", "duration: "},
		{"duration negative", with("duration: -5s\n"), "3:11", "duration is -5s", ""},
		{"duration without a unit", with("duration: 5\n"), "3:11", "duration: 5 has no unit", "duration: 5s"},
		{"duration in words", with("duration: 10 secs\n"), "3:11", `"10 secs" is not a duration`, "duration: 10s"},
		{"duration in minutes", with("duration: 2min\n"), "3:11", "not a duration", "duration: 2m"},
		{"duration no time", with("duration: long\n"), "3:11", `such as 500ms, 10s or 1m30s, not "long"`, "duration: 1m"},
		{"duration a list", with("duration: [10s]\n"), "3:11", "not a list", ""},
		{"warmup negative", with("warmup: -1s\n"), "3:9", "warmup is -1s; it must be at least 0s", ""},
		{"duration and operations", with("operations: 5\nduration: 1s\n"), "4:1", "both duration and operations", "one of the two"},
		{"operations 0", with("operations: 0\n"), "3:13", "operations is 0", ""},
		{"fewer operations than clients", with("operations: 3\nclients: [1, 4]\n"), "3:13", "3 for 4 clients", ""},

		{"transport", with("transport: sockte\n"), "3:12", `"sockte" is not one of socket, tcp`, "transport: socket"},
		{"restart", with("restart: never\n"), "3:10", "not one of set, run", "restart: set | run"},
		{"counters", with("counters: pmu\n"), "3:11", "not one of auto, perf, callgrind, none", ""},
		{"profile", with("profile: yes\n"), "3:10", "must be true, false or a mapping", "profile: true | false"},
		{"profile's key", with("profile: {hx: 99}\n"), "3:11", `profile has no key "hx"`, "hz:"},
		{"profile hz", with("profile: {hz: 0}\n"), "3:15", "hz is 0; it must be between 1 and 20000", "hz: 1"},
		{"profile hz too many", with("profile: {hz: 100k}\n"), "3:15", "must be a whole number", ""},
		{"profile call_graph", with("profile: {call_graph: dwarv}\n"), "3:23", "not one of fp, dwarf, lbr", "call_graph: dwarf"},
		{"profile event", with("profile: {event: 'cycles,instructions'}\n"), "3:18", "not the name of one event", "event: cycles"},
		{"profile option", with("profile: {event: '--output=x'}\n"), "3:18", "not the name of one event", "event: cycles"},
		{"restore", with("restore: cpy\n"), "3:10", "not one of auto, copy, reflink", "restore: copy"},
		{"restore replay by time", with("restore: replay\n"), "3:10", "needs a number of operations for write tests", "write_operations: 20000"},
		{"restore replay with a budget", with("restore: replay\noperations: 5\nbudget: 1h\n"), "5:1", "none can be left out", "restore: copy"},
		{"restore replay of another's operations", with("restore: replay\noperations: 5\ndriver: sysbench\n"), "3:10", "needs the built-in driver", "driver: builtin"},
		{"restore replay with a profile", with("restore: replay\nwrite_operations: 5\nprofile: true\n"), "5:1", "its window writes too", "operations: 20000"},
		{"write_operations and operations", with("operations: 5\nwrite_operations: 5\n"), "4:1", "both operations and write_operations", "one of the two"},
		{"too few write_operations", with("clients: [1, 4]\nwrite_operations: 3\n"), "4:19", "3 for 4 clients", ""},

		{"driver", with("driver: sysbnech\n"), "3:9", "not one of builtin, sysbench, mysqlslap, command", "driver: sysbench"},
		{"driver's key", with("driver: {luaa: x}\n"), "3:10", `driver has no key "luaa"`, "lua:"},
		{"driver of nothing", with("driver: {}\n"), "3:9", "driver names none", "driver: builtin"},
		{"driver command alone", with("driver: command\n"), "3:9", "no command is given", "driver: {command: TEXT}"},
		{"driver of whom", with("driver: {options: [--x=1]}\n"), "3:9", "whose options is not said", "name: sysbench"},
		{"driver's key of another", with("driver: {name: mysqlslap, lua: x}\n"), "3:27", `mysqlslap has no key "lua", which is for sysbench`, ""},
		{"driver's program", with("driver: {name: sysbench, program: sysbenhc}\n"), "3:35", `no program "sysbenhc"`, ""},
		{"driver's option of ours", with("driver: {name: sysbench, options: [--threads=4]}\n"), "3:36", "--threads is given by opcost", ""},
		{"driver's password", with("driver: {name: sysbench, options: [--mysql-password=hunter2]}\n"), "3:36", "everyone can read it", ""},
		{"driver's password, abridged", with("driver: {name: mysqlslap, options: [--pass=hunter2]}\n"), "3:37", "everyone can read it", ""},
		{"driver's option of ours, abridged", with("driver: {name: mysqlslap, options: [--concurr=9]}\n"), "3:37", "--concurr is given by opcost", ""},
		{"driver's option of ours, with _", with("driver: {name: sysbench, options: [--rand_type=special]}\n"), "3:36", "--rand-type is given by opcost", ""},
		{"driver's option without dashes", with("driver: {name: sysbench, options: [x=1]}\n"), "3:36", "does not begin with --", "--x=1"},
		{"driver without a time", with("driver: {command: my-load}\n"), "3:9", "is not told how long to run", "{seconds}"},
		{"driver without operations", with("driver: {command: \"my-load {seconds}\"}\noperations: 10\n"), "4:1", "has no {operations}", "duration: 10s"},
		{"driver that cannot", "versions: [{name: a, mysqld: mariadbd}]\nworkloads: [point-query, hot-points]\ndriver: sysbench\n", "2:12", "sysbench cannot do workload hot-points", ""},
		{"driver that cannot do many", "versions: [{name: a, mysqld: mariadbd}]\nworkloads: [hot-points, point-query, update-index]\ndriver: mysqlslap\n", "2:12", "mysqlslap cannot do workloads hot-points, update-index", ""},
		{"command with a placeholder", "versions: [{name: a, mysqld: mariadbd}]\nworkloads: [point-query, hot-points]\ndriver: {command: 'x {sockets} {seconds}'}\n", "3:9", "unknown placeholder {sockets}", ""},
		{"driver and profile", with("driver: sysbench\nprofile: true\n"), "4:1", "built-in driver alone", "driver: builtin"},

		{"variants a mapping", with("variants: {a: b}\n"), "3:11", "variants must be a list", "variants: [{"},
		{"variant without a name", with("variants: [{options: [log-bin]}]\n"), "3:12", "a variant has no name", "name: -bl"},
		{"variant's key", with("variants: [{name: -bl, optoins: [log-bin]}]\n"), "3:24", `a variant has no key "optoins"`, "options:"},
		{"variant twice", with("variants:\n- {name: -bl}\n- {name: -bl}\n"), "5:10", `second variant is named "-bl"; the first is on line 4`, "name: -bl-2"},
		{"variant's name no folder", with("variants: [{name: -b/l}]\n"), "3:19", `"a-b/l" (a and -b/l) does not do as a folder's name`, "name: -bl"},
		{"variants that meet", "versions: [{name: a, mysqld: mariadbd}, {name: a-b, mysqld: mariadbd}]\nworkloads: [point-query]\nvariants: [{name: -b-c}, {name: -c}]\n", "3:33", `a-b and -c make the name "a-b-c", as a and -b-c do`, "name: -c-2"},
		{"variant's option", with("variants: [{name: -x, options: [datadir=/x]}]\n"), "3:33", "option datadir is set by opcost", ""},
		{"variant turns TLS off", "versions: [{name: a, mysqld: mariadbd, session: {tls: true}}]\nworkloads: [point-query]\nvariants: [{name: -x, options: [skip-ssl]}]\n", "3:19", "skip-ssl turns TLS off", ""},
		{"base without its variant", with("variants: [{name: -bl}, {name: -nobl}]\nbase: a\n"), "4:7", `no version is named "a"`, "base: a-bl"},

		{"CPUs of both", with("server_cpus: [0, 1]\nclient_cpus: [1]\n"), "4:14", "the server is pinned to CPU 1 too", "client_cpus: auto"},
		{"no such node", with("numa: 3\n"), "3:7", "there is no node 3; there is 0, 1", "numa: 0"},
		{"node without CPUs", with("numa: 1\n"), "3:7", "node 1 has memory but no CPUs", ""},
		{"CPU of no node", with("server_cpus: [0, 1]\nnuma: 0\n"), "3:14", "CPU 1 is not of NUMA node 0", "numbers of 0"},
		{"clients on the server's node", with("client_cpus: [0]\nnuma: 0\n"), "3:14", "the server is pinned to CPU 0 too", ""},
		{"pool beyond memory", with("options: [innodb-buffer-pool-size=3G]\n"), "3:11", "larger than this machine's memory of 2048 MB", "innodb-buffer-pool-size=1228M"},
		{"pool beyond memory in a version", v("    mysqld: mariadbd\n    options: [--loose_innodb_buffer_pool_size=2147483649]\n"), "4:15", "larger than this machine's memory", ""},
		{"pool beyond counting", with("options: [innodb-buffer-pool-size=9999999999999999T]\n"), "3:11", "larger than this machine's memory", ""},
		{"restore as a text", with("restore: 'command: ls'\n"), "3:10", "given as a mapping", "restore: {command: ls}"},
		{"restore without command", with("restore: {}\n"), "3:10", "names no command", ""},
		{"restore a list", with("restore: [copy]\n"), "3:10", "not a list", ""},

		{"no such CPU", with("server_cpus: [0, 2-9]\n"), "3:18", "no CPU 2-9, or it is offline", "numbers of 0-1"},
		{"CPU twice", with("client_cpus: [0, 0-1]\n"), "3:18", "CPU 0 is named twice", ""},
		{"no CPU", with("client_cpus: [x]\n"), "3:15", `"x" is not a CPU number`, ""},
		{"CPUs a text", with("client_cpus: all\n"), "3:14", "must be a list", ""},
		{"no CPUs", with("server_cpus: []\n"), "3:14", "empty list", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := parse(t, c.plan)
			var pe *Error
			if !errors.As(err, &pe) {
				t.Fatalf("error %v, want an *Error", err)
			}
			if len(pe.Problems) != 1 {
				t.Errorf("%d problems, want 1:\n%v", len(pe.Problems), err)
			}
			first, _, _ := strings.Cut(err.Error(), "\n")
			if want := "/plans/p.yaml:" + c.where + ": "; !strings.HasPrefix(first, want) {
				t.Errorf("%q does not begin with %q", first, want)
			}
			p := pe.Problems[0]
			if strings.Contains(err.Error(), "hunter2") {
				t.Error("the message shows the secret")
			}
			if !strings.Contains(p.Text, c.text) || !strings.Contains(p.Instead, c.instead) {
				t.Errorf("text %q, instead %q\nwant %q, %q", p.Text, p.Instead, c.text, c.instead)
			}
		})
	}
}

// A plan with many faults says all of them, in the order of the lines.
func TestAllAtOnce(t *testing.T) {
	_, err := parse(t, `rows: 0
versions:
  - name: a
    mysqld: /no/mysqld
    launcher: &l []
  - name: a
    sesion: {}
    mysqld: mariadbd
worklaods: [point-query]
duration: 5
`)
	want := []string{
		`/plans/p.yaml:1:1: the plan has no workloads`,
		`/plans/p.yaml:1:7: rows is 0; it must be between 1 and 2147483647`,
		`/plans/p.yaml:4:13: mysqld: /no/mysqld does not exist`,
		`/plans/p.yaml:6:11: a second version is named "a"; the first is on line 3`,
		`/plans/p.yaml:7:5: a version has no key "sesion"`,
		`/plans/p.yaml:9:1: the plan has no key "worklaods"`,
		`/plans/p.yaml:10:11: duration: 5 has no unit`,
	}
	var got []string
	for l := range strings.Lines(err.Error()) {
		if !strings.HasPrefix(l, " ") {
			got = append(got, strings.TrimSpace(l))
		}
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if !strings.Contains(err.Error(), "\n    write instead: workloads:\n") {
		t.Errorf("no suggestion in\n%v", err)
	}
}
