package plan

import "slices"

// Key is one key of a plan. The documentation and the error messages both come
// from here.
type Key struct {
	In      string // "" for the top level, "versions", "session" or "restore"
	Name    string
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
)

// Keys gives every key of a plan, in the order in which to explain them.
func Keys() []Key { return slices.Clone(keys) }

var keys = []Key{
	{inPlan, "versions", "what is compared, a list; at least one", "", "[{name: a, mysqld: mariadbd}]"},
	{inPlan, "base", "the version that the others are compared with", "the first version", "a"},
	{inPlan, "options", "server options for every version, without the leading --", "[]", "[innodb-buffer-pool-size=1G]"},
	{inPlan, "workloads", "workload ids or groups (point, range, range-agg, write, all)", "", "[point-query, update-index]"},
	{inPlan, "tables", "number of tables", "1", "1"},
	{inPlan, "rows", "rows in each table", "100000", "100000"},
	{inPlan, "clients", "numbers of connections; each is measured by itself", "[1]", "[1, 4]"},
	{inPlan, "transport", "how clients connect: socket, or tcp on the loopback interface", "socket", "tcp"},
	{inPlan, "server_cpus", "CPUs the server is pinned to: auto, or a list of numbers and ranges", "auto", "[0-3]"},
	{inPlan, "client_cpus", "CPUs the clients are pinned to: auto, or a list of numbers and ranges", "auto", "[4, 5]"},
	{inPlan, "warmup", "time before the first window, after the tables were scanned once; may be 0s", "5s", "30s"},
	{inPlan, "duration", "length of a window", "10s", "1m"},
	{inPlan, "operations", "length of a window in operations, in place of duration", "", "20000"},
	{inPlan, "repeats", "server starts of each version; six or more give exact intervals", "4", "6"},
	{inPlan, "budget", "time for one `opcost run`: two starts of every cell first, whatever they take, then further starts only where the verdict is unsure, up to repeats, as long as they fit", "none", "2h"},
	{inPlan, "restart", "set: a server start per version and repeat; run: one per workload and client count", "set", "run"},
	{inPlan, "restore", "how data gets back before a write test: auto, copy, reflink, or {command: TEXT}", "auto", "copy"},
	{inPlan, "counters", "who counts instructions: auto, perf, callgrind, none", "auto", "perf"},
	{inPlan, "profile", "record profiles; this version of opcost has none, so only false", "false", "false"},
	{inPlan, "seed", "where the random keys begin; equal for every version", "1", "7"},

	{inVersion, "name", "the version's name in results; letters, digits and . _ + -", "", "mariadb-10.11"},
	{inVersion, "mysqld", "the server binary: a path (relative to the plan's folder), a name on PATH, or installed (mariadbd, else mysqld)", "", "/usr/sbin/mariadbd"},
	{inVersion, "basedir", "the installation, in whose bin, sbin or libexec the binary is looked for", "", "/opt/mysql-8.0"},
	{inVersion, "defaults_file", "a my.cnf, relative to the plan's folder", "none", "my.cnf"},
	{inVersion, "options", "further server options, after the plan's", "[]", "[skip-log-bin]"},
	{inVersion, "session", "how the workload's connections talk to the server", "{charset: latin1, protocol: prepared, tls: false}", "{protocol: text}"},
	{inVersion, "launcher", "program and arguments in front of the server binary", "[]", "[numactl, --interleave=all]"},
	{inVersion, "env", "environment variables of the server", "{}", "{LD_PRELOAD: /usr/lib/libjemalloc.so.2}"},

	{inSession, "charset", "character set of the connection", "latin1", "utf8mb4"},
	{inSession, "protocol", "prepared, or text", "prepared", "text"},
	{inSession, "tls", "encrypt the connection: true or false", "false", "true"},

	{inRestore, "command", "a shell command that puts $OPCOST_DATA back to what $OPCOST_PRISTINE holds", "", "rsync -a --delete $OPCOST_PRISTINE/ $OPCOST_DATA/"},
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
