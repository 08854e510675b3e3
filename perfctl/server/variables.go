package server

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// ComparedVariables are the global variables whose difference may be what a
// comparison measures instead of the version: those that changed their default
// or their meaning between versions, that turn costly features on, or that size
// what a workload runs in. A name that a server lacks is absent from its result.
var ComparedVariables = []string{
	"version", "version_comment", "version_compile_machine", "version_source_revision", "version_malloc_library", "version_ssl_library",
	// character set, collation, SQL
	"character_set_server", "collation_server", "character_set_database", "collation_database", "sql_mode",
	"transaction_isolation", "tx_isolation", "autocommit", "lower_case_table_names", "default_storage_engine",
	// instrumentation
	"performance_schema", "performance_schema_digests_size", "performance_schema_max_digest_length", "userstat", "general_log",
	"slow_query_log", "log_slow_query", "long_query_time", "log_output", "profiling",
	// binary log
	"log_bin", "binlog_format", "binlog_row_image", "sync_binlog", "gtid_mode", "gtid_strict_mode", "enforce_gtid_consistency",
	"log_slave_updates", "log_replica_updates", "binlog_order_commits", "binlog_checksum", "binlog_transaction_compression",
	"binlog_encryption", "encrypt_binlog", "binlog_cache_size", "binlog_group_commit_sync_delay", "binlog_group_commit_sync_no_delay_count",
	"binlog_commit_wait_count", "binlog_commit_wait_usec", "binlog_row_metadata", "binlog_row_value_options", "binlog_transaction_dependency_tracking",
	"transaction_write_set_extraction", "replica_preserve_commit_order", "rpl_semi_sync_master_enabled", "rpl_semi_sync_source_enabled", "wsrep_on",
	// InnoDB: durability and files
	"innodb_flush_log_at_trx_commit", "innodb_flush_method", "innodb_doublewrite", "innodb_checksum_algorithm", "innodb_page_size",
	"innodb_file_per_table", "innodb_log_file_size", "innodb_log_files_in_group", "innodb_redo_log_capacity", "innodb_log_buffer_size",
	"innodb_log_writer_threads", "innodb_log_file_buffering", "innodb_use_native_aio", "innodb_support_xa", "innodb_version",
	"innodb_log_checksums", "innodb_log_write_ahead_size", "innodb_use_fdatasync", "innodb_use_atomic_writes", "innodb_doublewrite_pages", "innodb_data_file_buffering",
	"innodb_undo_tablespaces", "innodb_encrypt_tables", "innodb_encrypt_log", "innodb_compression_default",
	// InnoDB: memory and background work
	"innodb_dedicated_server", "innodb_buffer_pool_size", "innodb_buffer_pool_instances", "innodb_buffer_pool_chunk_size",
	"innodb_adaptive_hash_index", "innodb_adaptive_hash_index_parts", "innodb_change_buffering", "innodb_flush_neighbors",
	"innodb_io_capacity", "innodb_io_capacity_max", "innodb_lru_scan_depth", "innodb_page_cleaners", "innodb_purge_threads",
	"innodb_read_io_threads", "innodb_write_io_threads", "innodb_thread_concurrency", "innodb_spin_wait_delay",
	"innodb_spin_wait_pause_multiplier", "innodb_sync_spin_loops", "innodb_stats_persistent", "innodb_stats_auto_recalc",
	"innodb_max_dirty_pages_pct", "innodb_max_dirty_pages_pct_lwm", "innodb_adaptive_flushing", "innodb_adaptive_flushing_lwm", "innodb_flush_sync",
	"innodb_idle_flush_pct", "innodb_max_purge_lag", "innodb_purge_batch_size", "innodb_rollback_segments", "innodb_deadlock_detect",
	"innodb_stats_persistent_sample_pages", "innodb_random_read_ahead", "innodb_read_ahead_threshold", "innodb_old_blocks_time",
	"innodb_numa_interleave", "innodb_autoinc_lock_mode", "innodb_snapshot_isolation", "large_pages",
	// connections and threads
	"thread_handling", "thread_pool_size", "thread_cache_size", "max_connections", "back_log", "table_open_cache",
	"table_open_cache_instances", "table_definition_cache", "skip_name_resolve", "skip_networking",
	// TLS and accounts
	"have_ssl", "have_openssl", "ssl_cipher", "tls_version", "require_secure_transport", "default_authentication_plugin", "authentication_policy",
	// caches and optimizer
	"query_cache_type", "query_cache_size", "have_query_cache", "optimizer_switch", "optimizer_use_condition_selectivity",
	"optimizer_prune_level", "optimizer_search_depth", "eq_range_index_dive_limit", "use_stat_tables", "histogram_type",
	"internal_tmp_mem_storage_engine", "tmp_table_size", "max_heap_table_size", "join_buffer_size", "sort_buffer_size",
	"range_optimizer_max_mem_size", "range_alloc_block_size", "max_seeks_for_key", "optimizer_adjust_secondary_key_costs", "optimizer_disk_read_ratio",
	"in_predicate_conversion_threshold", "explain_format", "temptable_max_ram", "max_allowed_packet", "net_buffer_length", "key_buffer_size",
	"connection_memory_chunk_size", "global_connection_memory_tracking", "character_set_filesystem", "character_set_system", "old_mode", "alter_algorithm",
	"read_buffer_size", "read_rnd_buffer_size", "max_digest_length", "metadata_locks_hash_instances",
}

// Variables are the server's effective global variables out of
// [ComparedVariables], by name. It costs one statement.
func (i *Instance) Variables(ctx context.Context) (map[string]string, error) {
	return Variables(ctx, i.control)
}

// Variables are those of any server, asked over a connection to it.
func Variables(ctx context.Context, q interface {
	Query(ctx context.Context, sql string) ([][]string, error)
}) (map[string]string, error) {
	rows, err := q.Query(ctx, "SHOW GLOBAL VARIABLES")
	if err != nil {
		return nil, fmt.Errorf("global variables: %w", err)
	}
	return compared(rows), nil
}

// compared keeps the variables that matter, of rows of name and value.
func compared(rows [][]string) map[string]string {
	m := map[string]string{}
	for _, row := range rows {
		if len(row) != 2 {
			continue
		}
		if name := strings.ToLower(row[0]); slices.Contains(ComparedVariables, name) {
			m[name] = row[1]
		}
	}
	return m
}
