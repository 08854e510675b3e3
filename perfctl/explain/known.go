package explain

import "strings"

// known is what is known of a difference beforehand.
type known struct {
	// name of a fact or variable; one that ends in "*" is of all that begin so.
	name  string
	class Class
	why   string
	// where and key set it in a plan: see [Isolation]. where "" with a reason:
	// it cannot be set. key "" is the name itself, as an option.
	where, key string
	reason     string
}

const options = "options"

// matters are the differences that have explained costs before, those that did
// most often or most of all first. What is not in it follows, by name.
var matters = []known{
	{"charset", Session, "comparing, sorting and converting text costs more in utf8mb4 than in latin1; MySQL 8.0 changed the default", "session", "charset", ""},
	{"TLS", Session, "each packet is encrypted and checked, by both sides", "session", "tls", ""},
	{"character_set_server", Setting, "tables and temporary tables take it: comparing text costs more in utf8mb4 than in latin1", options, "character-set-server", ""},
	{"collation_server", Setting, "tables take it: utf8mb4_0900_ai_ci and latin1_swedish_ci compare by other code", options, "collation-server", ""},
	{"collation_database", Setting, "tables take it, so text is compared by other code", options, "collation-server", ""},
	{"character_set_database", Setting, "tables take it, so text is compared by other code", options, "character-set-server", ""},
	{"collation_connection", Session, "literals are compared and converted in it", "session", "charset", ""},
	{"character_set_client", Session, "statements are converted from it", "session", "charset", ""},
	{"protocol", Session, "a text statement is parsed and planned at each execution, a prepared one once", "session", "protocol", ""},
	{"transport", Session, "TCP goes through more of the kernel than a socket", "transport", "", ""},
	{"performance_schema", Setting, "instruments run at each wait, lock and statement; MySQL has it on by default, MariaDB off", options, "performance-schema", ""},
	{"performance_schema_*", Setting, "how much it stores: it follows performance_schema", options, "", ""},
	{"log_bin", Setting, "each commit writes and orders the binary log; MySQL 8.0 has it on by default", options, "log-bin", ""},
	{"sync_binlog", Setting, "1 waits for the disk at each commit", options, "", ""},
	{"gtid_mode", Setting, "transactions get and store identifiers", options, "gtid-mode", ""},
	{"gtid_strict_mode", Setting, "transactions' identifiers are checked", options, "gtid-strict-mode", ""},
	{"enforce_gtid_consistency", Setting, "statements are checked", options, "enforce-gtid-consistency", ""},
	{"innodb_flush_log_at_trx_commit", Setting, "1 waits for the disk at each commit, 2 writes, 0 does neither", options, "", ""},
	{"innodb_flush_method", Setting, "how files are written and whether the system's cache is used", options, "", ""},
	{"innodb_doublewrite", Setting, "pages are written twice", options, "", ""},
	{"innodb_redo_log_capacity", Setting, "a small redo log makes pages be written early", options, "", ""},
	{"innodb_log_file_size", Setting, "a small redo log makes pages be written early", options, "", ""},
	{"innodb_log_files_in_group", Setting, "a small redo log makes pages be written early", options, "", ""},
	{"innodb_log_buffer_size", Setting, "a small buffer is written more often", options, "", ""},
	{"innodb_log_writer_threads", Setting, "with them a commit waits for another thread, without them it writes itself", options, "", ""},
	{"innodb_log_file_buffering", Setting, "whether the system's cache is used for the redo log", options, "", ""},
	{"innodb_adaptive_hash_index", Setting, "lookups by a hash in place of the tree; MariaDB 10.5 and MySQL 8.4 turned it off", options, "", ""},
	{"innodb_buffer_pool_size", Setting, "what does not fit is read from disk", options, "", ""},
	{"innodb_buffer_pool_instances", Setting, "fewer are more contended, more cost more", options, "", ""},
	{"innodb_change_buffering", Setting, "changes of secondary indexes are put off", options, "", ""},
	{"query_cache_type", Setting, "statements take its lock and may be answered from it", options, "", ""},
	{"query_cache_size", Setting, "statements take its lock and may be answered from it", options, "", ""},
	{"optimizer_switch", Setting, "other plans may be chosen", options, "", ""},
	{"eq_range_index_dive_limit", Setting, "long IN lists are estimated in another way, and other plans chosen", options, "", ""},
	{"range_optimizer_max_mem_size", Setting, "long IN lists beyond it are no range scan", options, "", ""},
	{"optimizer_use_condition_selectivity", Setting, "other plans may be chosen", options, "", ""},
	{"use_stat_tables", Setting, "other plans may be chosen", options, "", ""},
	{"thread_handling", Setting, "a pool of threads or one a connection", options, "", ""},
	{"binlog_format", Setting, "rows or statements are logged", options, "", ""},
	{"binlog_row_image", Setting, "how much of a row is logged", options, "", ""},
	{"binlog_checksum", Setting, "each event is summed", options, "", ""},
	{"transaction_isolation", Setting, "how long read views and locks live", options, "", ""},
	{"tx_isolation", Setting, "how long read views and locks live", options, "transaction-isolation", ""},
	{"innodb_checksum_algorithm", Setting, "each page read and written is summed", options, "", ""},
	{"innodb_page_size", Setting, "rows a page, and bytes a write", options, "", ""},
	{"innodb_flush_neighbors", Setting, "neighbouring pages are written too", options, "", ""},
	{"innodb_io_capacity*", Setting, "how fast pages are written in the background", options, "", ""},
	{"innodb_purge_threads", Setting, "how fast old versions of rows are removed", options, "", ""},
	{"innodb_page_cleaners", Setting, "threads that write pages", options, "", ""},
	{"innodb_spin_wait_*", Setting, "how long a thread spins before it sleeps", options, "", ""},
	{"innodb_sync_spin_loops", Setting, "how long a thread spins before it sleeps", options, "", ""},
	{"innodb_thread_concurrency", Setting, "threads wait to enter InnoDB", options, "", ""},
	{"slow_query_log", Setting, "statements are written", options, "", ""},
	{"log_slow_query", Setting, "statements are written", options, "", ""},
	{"general_log", Setting, "each statement is written", options, "", ""},
	{"userstat", Setting, "statements are counted by user and table", options, "", ""},
	{"profiling", Setting, "statements are timed by stage", "", "", "it is set by a session, not by an option"},
	{"sql_mode", Setting, "values are checked more or less", options, "", ""},
	{"table_open_cache", Setting, "tables beyond it are opened again", options, "", ""},
	{"table_open_cache_instances", Setting, "fewer are more contended", options, "", ""},
	{"large_pages", Setting, "fewer misses of the TLB", options, "", ""},
	{"version_malloc_library", Build, "allocators differ in cost and in memory", "env", "LD_PRELOAD", ""},
	{"version_ssl_library", Build, "encryption by other code", "", "", "it is built in"},
	{"version_compile_machine", Build, "a program of another machine runs emulated, many times slower", "mysqld", "", ""},
	{"env *", Setting, "the server's environment", "env", "", ""},
	{"option *", Setting, "an option of the server", options, "", ""},
	{"server launcher", Setting, "what the server is started through (numactl, a loader)", "launcher", "", ""},
	{"plan of *", Plan, "the optimizer chose another way to the rows", "", "", "it follows from the version, a setting, the indexes or the statistics: run ANALYZE TABLE on both, or force the base's index"},
	{"machine: CPUs", Machine, "threads wait for fewer CPUs", "", "", "measure both on one machine"},
	{"machine: governor", Machine, "the clock rate follows it", "", "", "cpupower frequency-set -g performance, on both"},
	{"machine: boost", Machine, "the clock rate changes with heat and load", "", "", "turn boost off on both"},
	{"machine: SMT", Machine, "two threads of a core share its caches and units", "", "", "set it alike on both"},
	{"machine: transparent huge pages", Machine, "misses of the TLB, and the cost of making pages", "", "", "set /sys/kernel/mm/transparent_hugepage/enabled alike on both"},
	{"machine: mitigations", Machine, "system calls and context switches cost more with them", "", "", "boot both with the same mitigations="},
	{"machine: NUMA nodes", Machine, "memory of another node is slower", "", "", "measure both on one machine"},
	{"machine: highest clock, MHz", Machine, "the clock rate", "", "", "set it alike on both"},
	{"machine: CPU", Machine, "another CPU has another cost of everything", "", "", "measure both on one machine"},
	{"machine: kernel", Machine, "system calls, scheduling and mitigations differ between kernels", "", "", "measure both under one kernel"},
	{"machine: *", Machine, "", "", "", "measure both on one machine"},
	{"build: *", Build, "another compiler, or other flags, make other code of one source", "mysqld", "", ""},
	{"innodb_version", Build, "", "", "", "it follows from the version"},
	{"server", Build, "the program itself: what is compared, unless the versions are meant to be one", "mysqld", "", ""},
}

// tail is what is not known: a setting after those that are, before what the
// machine and the build are.
var unknownSetting = known{class: Setting, where: options}

// find gives the place of a difference among those that matter.
func find(name string) (place int, k known) {
	for i, k := range matters {
		if k.name == name || strings.HasSuffix(k.name, "*") && strings.HasPrefix(name, strings.TrimSuffix(k.name, "*")) {
			return i, k
		}
	}
	return len(matters), unknownSetting
}
