package callgrind

import (
	"strconv"
	"strings"
)

// need is a server option that valgrind makes necessary.
type need struct {
	flavor string // "mariadb", "mysql"
	since  string // the first version that knows the option
	option string
	reason string
}

// needs is the table behind [ServerOptions]. An option behind --loose- is a
// warning, not an error, to a server that lacks it.
var needs = []need{
	{"mariadb", "5.5", "--innodb-use-native-aio=0", nativeAIO},
	{"mysql", "5.5", "--innodb-use-native-aio=0", nativeAIO},
	{"mariadb", "10.11", "--loose-innodb-buffer-pool-size-max=POOL",
		// Since MDEV-38671: 10.11.17, 11.4.11, 11.8.7, 12.3.2 and later.
		"newer servers reserve 8 TiB of addresses, more than valgrind has: \"Cannot map innodb_buffer_pool_size_max=8388608m\" (seen with 10.11.19)"},
}

const nativeAIO = "with asynchronous I/O the start of InnoDB hangs under valgrind (seen with 10.11.19 and valgrind 3.19)"

// ServerOptions are the options that a server of this flavor ("mariadb",
// "mysql") and version number ("10.11.19") needs under valgrind, to be given
// after the plan's own. poolBytes is the size of its InnoDB buffer pool. An
// unreadable version number is taken as a new one.
func ServerOptions(number, flavor string, poolBytes int64) []string {
	var opts []string
	for _, n := range needs {
		if n.flavor == flavor && !older(number, n.since) {
			opts = append(opts, strings.Replace(n.option, "POOL", strconv.FormatInt(poolBytes, 10), 1))
		}
	}
	return opts
}

// older compares dotted version numbers.
func older(a, b string) bool {
	as, bs := strings.Split(a, "."), strings.Split(b, ".")
	for i := range bs {
		if i >= len(as) {
			return false
		}
		x, errA := strconv.Atoi(as[i])
		y, errB := strconv.Atoi(bs[i])
		if errA != nil || errB != nil {
			return false
		}
		if x != y {
			return x < y
		}
	}
	return false
}
