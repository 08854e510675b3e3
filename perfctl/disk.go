package perfctl

import (
	"strconv"
	"strings"

	"opcost/perfctl/plan"
	"opcost/perfctl/server"
)

// What a version's data take on disk, seen with MariaDB 10.11 and as the
// manuals give the defaults.
const (
	rowBytes     = 260      // a row and its entry in the index on k
	tableBytes   = 7 << 20  // a tablespace grows by several MB at a time
	systemBytes  = 17 << 20 // the system tablespace and the mysql and sys schemas
	mysqlSystem  = 60 << 20 // with MySQL 8's dictionary and two undo tablespaces
	temporary    = 12 << 20 // the temporary tablespace, while a server runs
	redoBytes    = 96 << 20 // innodb_log_file_size of MariaDB; twice 48 MB in MySQL, 100 MB from 8.0.30
	loggedRow    = 210      // a row in the binary log
	writtenBytes = 2 << 20  // in a second of a write test: undo, new rows, binary log
	runBytes     = 200 << 10
)

// copyOf is the size of one copy of a version's loaded data.
func copyOf(p *plan.Plan, v plan.Version, id server.Identity) int64 {
	options := optionValues(v.Options)
	rows := int64(p.Tables) * p.Rows
	sum := rows*rowBytes + int64(p.Tables)*tableBytes + systemBytes
	if id.Flavor == server.MySQL && id.AtLeast(8, 0, 0) {
		sum += mysqlSystem - systemBytes
	}
	redo := int64(redoBytes)
	if n, ok := sizeOf(options["innodb-log-file-size"]); ok {
		files, _ := strconv.ParseInt(options["innodb-log-files-in-group"], 10, 64)
		if files == 0 {
			files = 1
			if id.Flavor == server.MySQL || !id.AtLeast(10, 5, 0) {
				files = 2
			}
		}
		redo = n * files
	}
	if n, ok := sizeOf(options["innodb-redo-log-capacity"]); ok && id.Flavor == server.MySQL {
		redo = n
	}
	if logged(options, id) {
		sum += rows * loggedRow
	}
	return sum + redo
}

// logged: the binary log is on.
func logged(options map[string]string, id server.Identity) bool {
	for _, off := range []string{"skip-log-bin", "disable-log-bin"} {
		if _, ok := options[off]; ok {
			return false
		}
	}
	if _, ok := options["log-bin"]; ok {
		return true
	}
	return id.Flavor == server.MySQL && id.AtLeast(8, 0, 0)
}

// optionValues are a version's options by name, the last of a name winning.
func optionValues(options []string) map[string]string {
	values := map[string]string{}
	for _, o := range options {
		name, value, _ := strings.Cut(strings.TrimPrefix(o, "--"), "=")
		values[strings.ReplaceAll(strings.TrimPrefix(name, "loose-"), "_", "-")] = value
	}
	return values
}

// sizeOf reads a number of bytes as the servers do: with K, M, G or T behind it.
func sizeOf(s string) (int64, bool) {
	unit := int64(1)
	if s != "" {
		if i := strings.IndexByte("KMGT", s[len(s)-1]&^0x20); i >= 0 {
			unit, s = 1<<(10*(i+1)), s[:len(s)-1]
		}
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n <= 0 || n > (1<<62)/unit {
		return 0, false
	}
	return n * unit, true
}
