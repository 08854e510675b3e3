package server

import (
	"fmt"
	"slices"
)

// command is a program that makes a data directory.
type command struct {
	Method InitMethod
	Argv   []string
	// Stdin is what the program reads: SQL text, then files in order; both
	// empty for nothing.
	StdinText  string
	StdinFiles []string
}

// bootstrapStart is what mariadb-install-db sends before the files with
// --auth-root-authentication-method=normal: root without password, since
// 10.4.3 not bound to the system's user.
const bootstrapStart = "create database if not exists mysql;\nuse mysql;\nSET @auth_root_socket=NULL;\n"

// initCommand says how a version's data directory is made. The plan's options
// are given too: page size, undo tablespaces, character sets and others hold for
// good from here on.
func initCommand(id Identity, spec Spec, t tree, p places, asRoot bool, given []option, moved []string) (command, error) {
	before, after := own(id, p, map[When]bool{AsRoot: asRoot, WithoutTLS: !spec.TLS}, true)
	mysqld := slices.Concat(spec.Launcher, []string{spec.Mysqld, defaultsArg(spec)})
	options := slices.Concat(before, texts(given), moved, after)
	row := SupportFor(id)
	switch {
	case row.Init == "":
		return command{}, fmt.Errorf("%s cannot be initialised: opcost knows MySQL 5.0 and later, and MariaDB", id)
	case row.Init == Initialize:
		return command{Method: Initialize, Argv: slices.Concat(mysqld, []string{"--initialize-insecure"}, options)}, nil
	}
	// Scripts run the server by themselves: without the launcher, and the one
	// that they find.
	useScript := t.Script != "" && len(spec.Launcher) == 0 && (row.Init == InstallScript || t.SQL == nil)
	switch {
	case useScript:
		c := command{Method: InstallScript, Argv: []string{t.Script, defaultsArg(spec)}}
		if id.Flavor == MariaDB && id.AtLeast(10, 4, 3) {
			c.Argv = append(c.Argv, "--auth-root-authentication-method=normal")
		}
		c.Argv = append(c.Argv, options...)
		return c, nil
	case t.SQL != nil:
		c := command{Method: Bootstrap, StdinText: bootstrapStart, StdinFiles: t.SQL}
		c.Argv = append(mysqld, "--bootstrap")
		c.Argv = append(c.Argv, options...)
		// As the scripts give them: lines of the help tables are long, and a
		// plan's enforced engine must not catch the system tables.
		c.Argv = append(c.Argv, "--max_allowed_packet=8M", "--net_buffer_length=16K")
		if id.Flavor == MariaDB && id.AtLeast(10, 1, 0) {
			c.Argv = append(c.Argv, "--enforce-storage-engine=")
		}
		return c, nil
	}
	return command{}, t.missing("mysql_system_tables.sql (mariadb_system_tables.sql) and an install script")
}

// systemTables are files that lie in a data directory after initialising; a
// server starts with an empty mysql schema too, and counts otherwise.
func systemTables(id Identity) []string {
	switch {
	case id.Flavor == MariaDB && id.AtLeast(10, 4, 0):
		return []string{"mysql/global_priv.frm", "mysql/proc.frm"}
	case id.Flavor == MySQL && id.AtLeast(8, 0, 0):
		return []string{"mysql.ibd", "ibdata1"}
	}
	return []string{"mysql/user.frm", "mysql/proc.frm"}
}
