package plan

import "slices"

// Key is one key of a plan. The documentation and the error messages both come
// from here.
type Key struct {
	In      string // "" for the top level, "versions", "session", "restore", "profile", "driver" or "variants"
	Name    string
	Type    string // what is written: number, time (as 10s or 1m30s), word (one of those in Meaning), ...
	Meaning string
	Default string // as it would be written; "" where the key must be given or has no default
	Example string // value only
}

// Where a key stands.
const (
	inPlan    = ""
	inVersion = "versions"
	inSession = "session"
	inRestore = "restore"
	inProfile = "profile"
	inDriver  = "driver"
	inVariant = "variants"
)

// Keys gives every key of a plan, in the order in which to explain them.
func Keys() []Key { return slices.Clone(keys) }

var keys = []Key{
	{inPlan, "versions", "list of mappings", "what is compared, a list; at least one", "", "[{name: a, mysqld: mariadbd}]"},
	{inPlan, "base", "text", "the version that the others are compared with", "the first version", "a"},
	{inPlan, "options", "list of texts", "server options for every version, without the leading --", "[]", "[innodb-buffer-pool-size=1G]"},
	{inPlan, "variants", "list of mappings", "sets of options; every version is measured with each, under both names together", "", "[{name: -bl, options: [log-bin]}]"},
	{inPlan, "workloads", "list of words", "workload ids, groups (point, range, range-agg, write, all) or sets (set-27, set-32, set-42)", "", "[point-query, update-index]"},
	{inPlan, "tables", "number", "number of tables", "1", "1"},
	{inPlan, "rows", "number", "rows in each table", "100000", "100000"},
	{inPlan, "clients", "list of numbers", "numbers of connections; each is measured by itself", "[1]", "[1, 4]"},
	{inPlan, "transport", "word", "how clients connect: socket, or tcp on the loopback interface", "socket", "tcp"},
	{inPlan, "server_cpus", "word or list of numbers", "CPUs the server is pinned to: auto, or a list of numbers and ranges", "auto", "[0-3]"},
	{inPlan, "client_cpus", "word or list of numbers", "CPUs the clients are pinned to: auto, or a list of numbers and ranges", "auto", "[4, 5]"},
	{inPlan, "warmup", "time", "time before the first window, after the tables were scanned once; may be 0s", "5s", "30s"},
	{inPlan, "duration", "time", "length of a window", "10s", "1m"},
	{inPlan, "operations", "number", "length of a window in operations, in place of duration", "", "20000"},
	{inPlan, "write_operations", "number", "length of a write test's window in operations, in place of duration", "", "20000"},
	{inPlan, "driver", "word or mapping", "what sends the statements: builtin, sysbench, mysqlslap, {lua: PATH} (sysbench's script), {command: TEXT}", "builtin", "sysbench"},
	{inPlan, "numa", "number", "the NUMA node that the server's CPUs and memory are of", "", "0"},
	{inPlan, "repeats", "number", "server starts of each version; six or more give exact intervals", "4", "6"},
	{inPlan, "budget", "time", "time for one `opcost run`: two starts of every cell first, whatever they take, then further starts only where the verdict is unsure, up to repeats, as long as they fit", "none", "2h"},
	{inPlan, "restart", "word", "set: a server start per version and repeat; run: one per workload and client count", "set", "run"},
	{inPlan, "restore", "word or mapping", "how data gets back before a write test: auto, copy, reflink, {command: TEXT}, or replay (it does not: every version does the same writes instead)", "auto", "copy"},
	{inPlan, "counters", "word", "who counts instructions: auto, perf, callgrind, none", "auto", "perf"},
	{inPlan, "profile", "true, false or mapping", "record a profile of each run, in a window of its own after the counting: true, false, or {hz: N, call_graph: fp, event: NAME}", "false", "true"},
	{inPlan, "seed", "number", "where the random keys begin; equal for every version", "1", "7"},

	{inVersion, "name", "text", "the version's name in results; letters, digits and . _ + -", "", "mariadb-10.11"},
	{inVersion, "mysqld", "path", "the server binary: a path (relative to the plan's folder), a name on PATH, or installed (mariadbd, else mysqld)", "", "/usr/sbin/mariadbd"},
	{inVersion, "basedir", "path", "the installation, in whose bin, sbin or libexec the binary is looked for", "", "/opt/mysql-8.0"},
	{inVersion, "defaults_file", "path", "a my.cnf, relative to the plan's folder", "none", "my.cnf"},
	{inVersion, "options", "list of texts", "further server options, after the plan's", "[]", "[skip-log-bin]"},
	{inVersion, "session", "mapping", "how the workload's connections talk to the server", "{charset: latin1, protocol: prepared, tls: false}", "{protocol: text}"},
	{inVersion, "launcher", "list of texts", "program and arguments in front of the server binary", "[]", "[numactl, --interleave=all]"},
	{inVersion, "env", "mapping of texts", "environment variables of the server", "{}", "{LD_PRELOAD: /usr/lib/libjemalloc.so.2}"},

	{inSession, "charset", "word", "character set of the connection", "latin1", "utf8mb4"},
	{inSession, "protocol", "word", "prepared, or text", "prepared", "text"},
	{inSession, "tls", "true or false", "encrypt the connection: true or false", "false", "true"},

	{inProfile, "hz", "number", "samples a second and CPU", "499", "997"},
	{inProfile, "call_graph", "word", "how stacks are walked: fp (frame pointers), dwarf (50 times the data), lbr (Intel, hardware events)", "fp", "dwarf"},
	{inProfile, "event", "text", "the event that is sampled, as perf names it; if not given, instructions, else cycles, else cpu-clock", "", "cycles"},

	{inVariant, "name", "text", "what is put behind the version's name", "", "-bl"},
	{inVariant, "options", "list of texts", "further server options, after the version's", "[]", "[log-bin]"},

	{inDriver, "name", "word", "sysbench, mysqlslap or command; not needed beside lua or command", "", "sysbench"},
	{inDriver, "program", "path", "the program: a path or a name on PATH", "none", "/opt/sysbench-1.1/bin/sysbench"},
	{inDriver, "lua", "path", "sysbench's script for all workloads, or a folder with a script NAME.lua for each; by default its own", "none", "my.lua"},
	{inDriver, "options", "list of texts", "further options of sysbench or mysqlslap", "[]", "[--mysql-ignore-errors=all]"},
	{inDriver, "command", "text", "a shell command that runs the load and ends; {socket}, {host}, {port}, {user}, {database}, {clients}, {seconds}, {operations}, {workload}, {range}, {tables}, {rows} and {seed} stand for what they say", "", `"my-load --socket {socket} --user {user} --time {seconds}"`},

	{inRestore, "command", "text", "a shell command that puts $OPCOST_DATA back to what $OPCOST_PRISTINE holds", "", "rsync -a --delete $OPCOST_PRISTINE/ $OPCOST_DATA/"},
}

func keysIn(in string) []Key {
	var ks []Key
	for _, k := range keys {
		if k.In == in {
			ks = append(ks, k)
		}
	}
	return ks
}

func keyNamed(in, name string) (Key, bool) {
	i := slices.IndexFunc(keys, func(k Key) bool { return k.In == in && k.Name == name })
	if i < 0 {
		return Key{}, false
	}
	return keys[i], true
}
