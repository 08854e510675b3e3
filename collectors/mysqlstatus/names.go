package mysqlstatus

import "strings"

// isLevel tells a level (gauge) from a counter. The server does not say which
// is which; the lists are from its manuals (MySQL 5.0-9.x "Server Status
// Variables", MariaDB "Server Status Variables"). A name that is in none of
// them is taken for a counter.
func isLevel(name string) bool {
	for _, l := range [][]string{levels, otherLevels} {
		for _, n := range l {
			if n == name {
				return true
			}
		}
	}
	for _, s := range levelSuffixes {
		if strings.HasSuffix(name, s) {
			return true
		}
	}
	for _, p := range levelPrefixes {
		if strings.HasPrefix(name, p) {
			return true
		}
	}
	return false
}

// levels are given as readings at both edges.
var levels = []string{
	"uptime", "uptime_since_flush_status",
	"threads_cached", "threads_connected", "threads_running", "max_used_connections",
	"open_files", "open_tables", "open_table_definitions", "prepared_stmt_count", "memory_used",
	"innodb_buffer_pool_pages_data", "innodb_buffer_pool_pages_dirty", "innodb_buffer_pool_pages_free", "innodb_buffer_pool_pages_total",
	"innodb_history_list_length", "innodb_checkpoint_age", "innodb_row_lock_current_waits",
	"innodb_redo_log_logical_size",
}

// otherLevels are in the evidence alone.
var otherLevels = []string{
	"memory_used_initial", "max_memory_used", "global_connection_memory", "stack_usage",
	"open_streams", "delayed_insert_threads", "not_flushed_delayed_rows", "last_query_cost", "last_query_partial_plans",
	"key_blocks_not_flushed", "key_blocks_unused", "key_blocks_used", "key_blocks_warm",
	"qcache_free_blocks", "qcache_free_memory", "qcache_queries_in_cache", "qcache_total_blocks",
	"innodb_buffer_pool_pages_misc", "innodb_buffer_pool_pages_latched", "innodb_buffer_pool_pages_old",
	"innodb_buffer_pool_bytes_data", "innodb_buffer_pool_bytes_dirty",
	"innodb_checkpoint_max_age", "innodb_checkpoint_target_age", "innodb_num_open_files", "innodb_available_undo_logs",
	"innodb_adaptive_hash_cells", "innodb_adaptive_hash_heap_buffers", "innodb_current_row_locks", "innodb_dict_tables",
	"innodb_descriptors_memory", "innodb_read_views_memory", "innodb_ibuf_free_list",
	"innodb_oldest_view_low_limit_trx_id", "innodb_purge_trx_id", "innodb_purge_undo_no",
	"innodb_encryption_rotation_estimated_iops", "innodb_redo_log_capacity_resized",
	"innodb_undo_tablespaces_active", "innodb_undo_tablespaces_explicit", "innodb_undo_tablespaces_implicit", "innodb_undo_tablespaces_total",
	"table_open_cache_active_instances", "tc_log_max_pages_used", "threadpool_idle_threads", "threadpool_threads",
	"slave_open_temp_tables", "replica_open_temp_tables", "slave_heartbeat_period", "slaves_connected", "slaves_running",
	"rpl_semi_sync_master_clients", "rpl_semi_sync_source_clients", "rpl_semi_sync_master_wait_sessions", "rpl_semi_sync_source_wait_sessions",
	"binlog_snapshot_position", "error_log_buffered_bytes", "error_log_buffered_events", "error_log_latest_write",
	"ssl_ctx_verify_depth", "ssl_ctx_verify_mode", "ssl_default_timeout", "ssl_used_session_cache_entries", "ssl_verify_depth", "ssl_verify_mode",
	"mysqlx_port", "mysqlx_worker_threads", "mysqlx_worker_threads_active", "performance_schema_session_connect_attrs_longest_seen",
	"wsrep", "wsrep_cluster_conf_id", "wsrep_local_index", "wsrep_local_state", "wsrep_protocol_version", "wsrep_last_committed",
	"wsrep_cert_deps_distance", "wsrep_apply_oooe", "wsrep_apply_oool", "wsrep_apply_window", "wsrep_commit_oooe", "wsrep_commit_window",
	"wsrep_cert_interval", "wsrep_flow_control_paused", "wsrep_local_cached_downto", "wsrep_open_transactions",
	"ndb_cluster_node_id", "ndb_config_from_port",
}

var levelSuffixes = []string{
	"_size", "_avg", "_max", "_min", "_avg_wait_time", "_current_waits", "_thread_count", "_max_age",
	"_pending_reads", "_pending_writes", "_pending_fsyncs", "_pct_progress", "_pct_used", "_rowlog_rows",
}

var levelPrefixes = []string{"acl_", "innodb_mem_", "innodb_have_", "aria_pagecache_blocks_", "wsrep_local_recv_queue_", "wsrep_local_send_queue_", "ndb_number_of_"}

// always are the counters that are given even when they did not move, besides
// all of handler_.
var always = []string{
	"questions", "queries", "slow_queries", "bytes_received", "bytes_sent", "connections", "threads_created",
	"com_select", "com_insert", "com_update", "com_delete", "com_begin", "com_commit", "com_rollback",
	"com_stmt_prepare", "com_stmt_execute", "com_stmt_close",
	"created_tmp_tables", "created_tmp_disk_tables", "sort_merge_passes", "select_scan", "table_open_cache_misses", "opened_tables",
	"innodb_buffer_pool_read_requests", "innodb_buffer_pool_reads", "innodb_data_reads", "innodb_data_writes", "innodb_data_fsyncs",
	"innodb_data_read", "innodb_data_written", "innodb_os_log_written", "innodb_os_log_fsyncs", "innodb_log_writes", "innodb_log_write_requests",
	"innodb_row_lock_waits", "innodb_row_lock_time",
}

// readHandlers make up rows_read: each counts requests for one row.
// handler_read_retry and handler_read_rnd_deleted are none.
var readHandlers = []string{
	"handler_read_first", "handler_read_key", "handler_read_last", "handler_read_next",
	"handler_read_prev", "handler_read_rnd", "handler_read_rnd_next",
}

var changeHandlers = []string{"handler_write", "handler_update", "handler_delete"}

// showAddsTo begin the names that SHOW GLOBAL STATUS itself adds to, besides
// those that count statements: it fills and reads an internal table (seen in
// MariaDB 10.11; MySQL 5.7 and later read performance_schema instead).
var showAddsTo = []string{"handler_", "created_tmp_", "select_", "rows_", "bytes_", "sort_", "optimizer_", "query_time"}

// unit of a variable, as the manuals say.
func unit(name string) string {
	switch {
	case strings.HasPrefix(name, "bytes_"), strings.Contains(name, "_bytes"), strings.Contains(name, "memory_used"),
		name == "innodb_data_read", name == "innodb_data_written", name == "innodb_os_log_written", strings.HasPrefix(name, "innodb_lsn_"),
		name == "innodb_checkpoint_age", name == "innodb_redo_log_logical_size":
		return "bytes"
	case name == "innodb_row_lock_time":
		return "ms"
	case name == "busy_time", name == "cpu_time", name == "query_time", strings.HasPrefix(name, "uptime"):
		return "s"
	}
	return "count"
}
