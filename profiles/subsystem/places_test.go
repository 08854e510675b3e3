package subsystem

import (
	"testing"

	"opcost/profiles"
)

// known are functions whose place is plain from the servers' and the kernel's
// source: the file that each is in.
var known = map[string][]string{
	"network":            {"net_write_packet", "my_net_write", "vio_read", "vio_socket_io_wait", "Protocol_text::store_field", "Protocol::send_result_set_columns", "net_send_ok", "my_net_read_packet_reallen", "select_send::send_data", "Protocol_classic::end_row", "net_real_write"},
	"session":            {"dispatch_command", "do_command", "handle_one_connection", "do_handle_one_connection", "check_grant", "check_table_access", "THD::cleanup_after_query", "threadpool_process_request", "Prepared_statement::execute_loop", "query_cache_insert", "Query_cache::send_result_to_client", "acl_authenticate", "caching_sha2_password_authenticate", "log_slow_statement", "update_global_user_stats"},
	"parser":             {"MYSQLparse", "my_sql_parser_parse", "MYSQLlex", "lex_one_token", "parse_sql", "PT_select_stmt::make_cmd", "Item_func_eq::itemize", "LEX::LEX", "mysql_parse", "dispatch_sql_command", "Lex_hash::get_hash_symbol", "lex_start", "PTI_simple_ident_ident::do_itemize"},
	"optimizer":          {"JOIN::optimize", "JOIN::optimize_inner", "JOIN::prepare", "test_quick_select", "SQL_SELECT::test_quick_select", "best_access_path", "make_join_statistics", "build_equal_items", "get_mm_tree", "Optimize_table_order::choose_table_order", "setup_fields", "Item_field::fix_fields", "optimize_cond", "create_ref_for_key", "update_ref_and_keys", "greedy_search", "Query_block::prepare", "st_select_lex::optimize_unflattened_subqueries", "handler::multi_range_read_info_const", "find_field_in_tables", "CreateIteratorFromAccessPath"},
	"executor":           {"mysql_execute_command", "sub_select", "join_read_key", "evaluate_join_record", "end_send", "JOIN::exec", "IndexRangeScanIterator::Read", "FilterIterator::DoRead", "filesort", "mysql_update", "mysql_insert", "write_record", "fill_record", "Item_func_plus::int_op", "Item_field::val_int", "Field_long::store", "Field_varstring::val_str", "Arg_comparator::compare_int_signed", "sp_head::execute", "my_decimal2string", "QUICK_RANGE_SELECT::get_next", "Query_expression::ExecuteIteratorQuery", "Sql_cmd_dml::execute", "decimal_round", "create_tmp_table", "JOIN_CACHE_BNL::get_next_candidate_for_match"},
	"handler":            {"handler::ha_index_read_map", "handler::ha_write_row", "ha_commit_trans", "ha_innobase::index_read", "ha_innobase::write_row", "trans_commit_stmt", "innobase_commit", "ha_innobase::general_fetch", "trans_register_ha", "ha_partition::index_read_map"},
	"metadata":           {"open_table", "open_tables", "open_and_process_table", "close_thread_tables", "MDL_context::acquire_lock", "MDL_lock::Ticket_list::clear_bit_if_not_in_list", "mysql_lock_tables", "tdc_acquire_share", "tc_acquire_table", "thr_multi_lock", "lock_tables", "dd::cache::Dictionary_client::acquire", "get_table_share", "Table_cache::get_table"},
	"InnoDB B-tree":      {"btr_cur_search_to_nth_level", "btr_cur_optimistic_insert", "btr_pcur_open_with_no_init_func", "page_cur_search_with_match", "page_cur_insert_rec_low", "btr_search_guess_on_hash", "page_dir_split_slot", "page_rec_get_n_recs_before", "btr_cur_t::search_leaf", "btr_estimate_n_rows_in_range", "ibuf_insert", "page_cur_t::search_with_match"},
	"InnoDB record":      {"rec_get_offsets_func", "rec_init_offsets_comp_ordinary", "cmp_dtuple_rec_with_match_low", "cmp_data", "row_search_mvcc", "row_sel_store_mysql_rec", "row_ins_clust_index_entry_low", "row_upd_step", "row_mysql_store_col_in_innobase_format", "rec_convert_dtuple_to_rec_comp", "row_sel_field_store_in_mysql_format_func", "row_vers_build_for_consistent_read"},
	"InnoDB buffer pool": {"buf_page_get_gen", "buf_page_get_low", "buf_page_make_young", "buf_LRU_get_free_block", "buf_flush_page", "Buf_fetch<Buf_fetch_normal>::single_page", "Buf_fetch_normal::get", "buf_page_optimistic_get", "buf_pool_t::page_hash_get_locked", "buf_page_hash_get_low", "buf_dblwr_t::flush_buffered_writes", "buf_read_page"},
	"InnoDB transaction": {"trx_start_low", "trx_commit_low", "trx_undo_report_row_operation", "ReadView::changes_visible", "MVCC::view_open", "trx_sys_t::find", "trx_purge", "row_purge_step", "trx_assign_read_view", "trx_undo_assign_low", "ReadViewBase::snapshot", "row_undo_ins"},
	"InnoDB redo":        {"mtr_t::commit", "mtr_commit", "log_write_up_to", "log_buffer_write", "log_writer_write_buffer", "mtr_t::memcpy_low", "mlog_write_ulint", "log_reserve_and_open", "log_t::persist", "recv_recovery_from_checkpoint_start", "mlog_open_and_write_index", "log_flusher"},
	"InnoDB locks":       {"lock_clust_rec_read_check_and_lock", "lock_rec_lock", "lock_table", "lock_rec_insert_check_and_lock", "lock_wait_suspend_thread", "lock_sys_t::deadlock_check", "lock_trx_release_locks", "lock_rec_convert_impl_to_expl", "locksys::Global_shared_latch_guard::Global_shared_latch_guard"},
	"latches":            {"pthread_mutex_lock", "pthread_mutex_unlock@@GLIBC_2.2.5", "__lll_lock_wait", "rw_lock_s_lock", "ut_delay", "ssux_lock_impl<true>::rd_wait", "sync_array_wait_event", "os_event_wait_low", "__pthread_rwlock_rdlock", "pthread_cond_wait@@GLIBC_2.3.2", "srw_mutex_impl<true>::wait_and_lock", "TTASEventMutex<GenericPolicy>::enter", "pthread_cond_signal"},
	"InnoDB other":       {"dict_table_open_on_name", "fil_space_t::acquire_low", "fil_io", "srv_conc_enter_innodb", "os_file_write_func", "fsp_reserve_free_extents", "srv_master_thread", "mem_heap_create_block_func", "fts_query", "tpool::thread_pool_generic::worker_main", "os_aio_func"},
	"RocksDB":            {"my_rocksdb::DBImpl::GetImpl", "rocksdb::BlockBasedTable::Get", "myrocks::ha_rocksdb::index_read_map_impl", "LZ4_compress_fast_continue"},
	"other engines":      {"ha_maria::write_row", "_ma_search", "mi_rkey", "heap_rkey", "translog_write_record", "pagecache_read", "temptable::Handler::write"},
	"binlog":             {"MYSQL_BIN_LOG::write_cache", "MYSQL_BIN_LOG::ordered_commit", "THD::binlog_write_row", "binlog_log_row", "Table_map_log_event::Table_map_log_event", "Rows_log_event::do_add_row_data", "pack_row", "my_b_flush_io_cache", "MYSQL_BIN_LOG::trx_group_commit_leader", "binlog_cache_data::write_event", "Query_log_event::write", "Gtid_state::update_gtids_impl", "_my_b_write", "Writeset_trx_dependency_tracker::get_dependency"},
	"replication":        {"handle_slave_sql", "handle_slave_io", "mysql_binlog_send", "Binlog_sender::run", "Relay_log_info::inc_event_relay_log_pos", "rpl_parallel_entry::choose_thread", "Repl_semi_sync_master::commit_trx"},
	"performance_schema": {"pfs_start_statement_v1", "pfs_end_statement_vc", "pfs_start_mutex_wait_v1", "pfs_get_thread_statement_locker_vc", "pfs_digest_end_vc", "find_or_create_digest", "insert_events_statements_history", "pfs_memory_alloc_vc", "PFS_buffer_scalable_container<PFS_thread, 256, 256>::allocate", "start_table_io_wait_v1", "aggregate_all_statements", "digest_add_token", "ha_perfschema::rnd_next"},
	"charset":            {"my_strnncollsp_simple", "my_well_formed_len_utf8mb4", "my_hash_sort_utf8mb3", "my_uca_scanner_next", "my_charpos_mb", "well_formed_copy_nchars", "my_strnncoll_utf8mb4_general_ci", "my_ismbchar_utf8mb4", "my_strcasecmp_utf8", "my_convert", "copy_and_convert", "my_lengthsp_8bit"},
	"allocator":          {"malloc", "free", "_int_malloc", "_int_free", "operator new(unsigned long)", "_Znwm", "operator delete", "alloc_root", "my_malloc", "my_free", "je_arena_malloc_hard", "tcache_get", "MEM_ROOT::AllocSlow", "malloc_consolidate", "sql_alloc", "free_root", "__libc_malloc", "mmap"},
	"memory copy":        {"memcpy", "memcpy@plt", "__memmove_avx_unaligned_erms", "__memset_avx2_unaligned_erms", "__memcmp_evex_movbe", "memmove", "__memcpy_ssse3_back", "strlen", "__strlen_avx2", "strmake"},
	"TLS":                {"SSL_write", "SSL_read", "EVP_EncryptUpdate", "aesni_gcm_encrypt", "ssl3_write_bytes", "wolfSSL_read", "BIO_write", "ChaCha20_ctr32"},
	"libc":               {"pwrite64", "fsync", "io_submit", "start_thread", "clock_gettime", "my_write", "__vdso_clock_gettime", "my_pread", "fdatasync"},
	"libraries":          {"std::_Rb_tree_insert_and_rebalance", "std::vector<int, std::allocator<int> >::push_back(int&&)", "__dynamic_cast", "vsnprintf", "my_hash_search", "lf_hash_search", "qsort", "inflate"},
}

// knownKernel are functions of the kernel, as perf names them.
var knownKernel = map[string][]string{
	"kernel network":   {"tcp_sendmsg", "tcp_recvmsg_locked", "unix_stream_read_generic", "unix_stream_sendmsg", "sock_def_readable", "skb_copy_datagram_iter", "__alloc_skb", "ip_queue_xmit", "net_rx_action", "__sys_sendto", "do_sys_poll", "ep_poll", "__x64_sys_recvfrom", "sock_poll", "loopback_xmit", "nf_hook_slow"},
	"kernel scheduler": {"__schedule", "schedule", "try_to_wake_up", "pick_next_task_fair", "enqueue_task_fair", "dequeue_entity", "finish_task_switch.isra.0", "update_curr", "update_load_avg", "psi_group_change", "select_task_rq_fair", "__switch_to", "hrtimer_start_range_ns", "native_sched_clock", "menu_select", "intel_idle", "schedule_hrtimeout_range_clock", "sched_clock_cpu", "newidle_balance", "__wake_up_common"},
	"kernel files":     {"vfs_write", "vfs_read", "ext4_file_write_iter", "xfs_file_read_iter", "jbd2_journal_commit_transaction", "generic_perform_write", "filemap_read", "blk_mq_submit_bio", "nvme_queue_rq", "submit_bio", "io_submit_one", "aio_read_events", "fput", "__fget_light", "iomap_dio_rw", "btrfs_sync_file", "io_uring_enter", "ksys_pread64", "do_fsync", "path_openat"},
	"kernel futex":     {"futex_wait", "futex_wake", "do_futex", "__x64_sys_futex", "futex_wait_queue_me", "futex_wait_setup", "futex_q_lock", "__futex_wait", "mark_wake_futex", "plist_add"},
	"kernel memory":    {"handle_mm_fault", "asm_exc_page_fault", "clear_page_erms", "get_page_from_freelist", "kmem_cache_alloc", "__kmalloc", "__slab_free", "unmap_page_range", "do_anonymous_page", "try_charge_memcg"},
	"kernel entry":     {"entry_SYSCALL_64_after_hwframe", "do_syscall_64", "syscall_exit_to_user_mode", "copy_user_enhanced_fast_string", "_copy_from_user", "srso_alias_safe_ret", "__x64_sys_getpid", "el0_svc"},
	"kernel other":     {"_raw_spin_lock_irqsave", "native_queued_spin_lock_slowpath", "mutex_lock", "rcu_note_context_switch", "nothing_that_there_is"},
}

func TestPlaces(t *testing.T) {
	table := Default()
	n := 0
	for space, places := range map[profiles.Space]map[string][]string{profiles.User: known, profiles.Kernel: knownKernel} {
		for want, names := range places {
			for _, name := range names {
				n++
				got, ok := table.Classify(profiles.Frame{Function: name, Space: space})
				if got != want || !ok {
					t.Errorf("%s is placed in %q, want %q", name, got, want)
				}
			}
		}
	}
	t.Logf("%d functions", n)
	for _, name := range []string{"wholly_unknown", "Foo::bar(int)"} {
		if got, ok := table.Classify(profiles.Frame{Function: name, Space: profiles.User}); got != ServerOther || !ok {
			t.Errorf("%s: %q, %v; want %q", name, got, ok, ServerOther)
		}
	}
}

// TestObjects: a library's file places its functions, with or without names.
func TestObjects(t *testing.T) {
	table := Default()
	for _, c := range []struct {
		f    profiles.Frame
		want string
		ok   bool
	}{
		{profiles.Frame{Object: "/usr/lib/x86_64-linux-gnu/libcrypto.so.3"}, "TLS", true},
		{profiles.Frame{Object: "/x/libcrypto.so.1.1", Function: "CRYPTO_malloc"}, "TLS", true},
		{profiles.Frame{Object: "/usr/lib/libjemalloc.so.2"}, "allocator", true},
		{profiles.Frame{Object: "/p/ha_rocksdb.so", Function: "f"}, "RocksDB", true},
		{profiles.Frame{Object: "[vdso]"}, "libc", true},
		{profiles.Frame{Function: "[libcrypto.so.3]"}, "TLS", true}, // as folded stacks have it
		{profiles.Frame{Function: "[unknown]"}, Unresolved, false},
		{profiles.Frame{Object: "/usr/sbin/mariadbd", Address: 1}, Unresolved, false},
		{profiles.Frame{Object: "[kernel.kallsyms]", Space: profiles.Kernel}, KernelOther, false},
	} {
		if got, ok := table.Classify(c.f); got != c.want || ok != c.ok {
			t.Errorf("%+v: %q, %v; want %q, %v", c.f, got, ok, c.want, c.ok)
		}
	}
}
