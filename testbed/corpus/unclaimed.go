// Package corpus adds up how much of the real tools' outputs that lie beside the
// project is read right. It is a test's alone; `make corpus` runs it.
package corpus

// unclaimed are cases that opcost does not read and does not say it reads, by
// what their names begin with, and why. The longest beginning counts.
var unclaimed = map[string]string{
	"05-vmstat-iostat/issues: column shift":          "a fact without a file: columns are found by their names, whatever their order",
	"05-vmstat-iostat/jc/linux-proc__vmstat.json":    "another project's reading of /proc/vmstat, whose text is not here",
	"05-vmstat-iostat/jc/centos-7.7__vmstat-d.json":  "another project's reading of vmstat -d, which is refused",
	"05-vmstat-iostat/jc/centos-7.7__vmstat-dt.json": "another project's reading of vmstat -d, which is refused",

	"06-procfs/procfs/proc_26231_limits": "the limit of open files is asked of a program of ours, which is the one that counts",
	"06-procfs/procfs/proc_pressure":     "pressure stall information is not read",
	"06-procfs/procfs/proc_schedstat":    "the machine's schedstat is not read; a thread's is",

	"07-mysql-status/innotop/innodb-status":       "SHOW ENGINE INNODB STATUS is not read: what is needed of it is in SHOW GLOBAL STATUS",
	"07-mysql-status/mytools/innodb-status":       "SHOW ENGINE INNODB STATUS is not read: what is needed of it is in SHOW GLOBAL STATUS",
	"07-mysql-status/mytools/my.cnf":              "a server's defaults file is read by that server (--print-defaults), which has to be of its version",
	"07-mysql-status/facts/init-per-version.csv":  "facts about versions in words: a binary is asked what it can, and `make four-servers` starts four",
	"07-mysql-status/percona-toolkit/pt-mext-00":  "what mysqladmin --relative prints are differences already; opcost takes its own",
	"07-mysql-status/percona-toolkit/temp_enc008": "a fact without its files",

	"02-perf-script/mysqld-folded DIFF fbmy5635": "differences to a profile that is not here",

	"04-load-tools/mysqlslap CSV":          "a remark; what mysqlslap --csv writes is read, and tested with its own output",
	"04-load-tools/sysbench cram patterns": "a remark about where sysbench's own tests are",
}
