package server

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// tree is where a server's own files are.
type tree struct {
	Basedir string   // "" where nothing was found
	Share   string   // holds english/errmsg.sys
	SQL     []string // what the system tables are made from, in order; nil where incomplete
	Script  string   // mysql_install_db or mariadb-install-db
	Looked  []string // folders that were searched, for messages
}

// systemSQL are the files that MariaDB's and MySQL's install scripts feed to
// --bootstrap, in their order. From MariaDB 11 on they are named mariadb_*.
var systemSQL = []struct {
	name     string
	required bool // of every version; the others came later or are optional
}{
	{"mysql_system_tables.sql", true},
	{"mysql_performance_tables.sql", false},
	{"mysql_system_tables_data.sql", true},
	{"fill_help_tables.sql", true},
	{"maria_add_gis_sp_bootstrap.sql", false},
	{"mysql_sys_schema.sql", false},
}

// findTree looks for the files that belong to a binary: beside it in a package
// or tarball (PREFIX/bin, PREFIX/sbin, PREFIX/libexec), or in a build folder.
func findTree(binary, basedir string) tree {
	t := tree{Basedir: basedir}
	if basedir == "" {
		if real, err := filepath.EvalSymlinks(binary); err == nil {
			binary = real
		}
		t.Basedir = filepath.Dir(filepath.Dir(binary))
	}
	var shares []string
	for _, sub := range []string{"share/mariadb", "share/mysql", "share", "sql/share", "scripts"} {
		shares = append(shares, filepath.Join(t.Basedir, sub))
	}
	t.Looked = slices.Clone(shares)
	for _, dir := range shares {
		if isFile(filepath.Join(dir, "english", "errmsg.sys")) {
			t.Share = dir
			break
		}
	}
	for _, dir := range shares {
		if t.SQL = findSQL(dir); t.SQL != nil {
			break
		}
	}
	for _, sub := range []string{"bin", "scripts"} {
		for _, name := range []string{"mariadb-install-db", "mysql_install_db"} {
			dir := filepath.Join(t.Basedir, sub)
			if path := filepath.Join(dir, name); t.Script == "" && isFile(path) {
				t.Script = path
			}
		}
		t.Looked = append(t.Looked, filepath.Join(t.Basedir, sub))
	}
	if t.Share == "" && t.SQL == nil && t.Script == "" && basedir == "" {
		t.Basedir = "" // the guess found nothing of a server: its own default is better
	}
	return t
}

// findSQL gives the files of one folder, or nil where a required one is missing.
func findSQL(dir string) []string {
	var files []string
	for _, f := range systemSQL {
		found := ""
		for _, name := range []string{strings.Replace(f.name, "mysql_", "mariadb_", 1), f.name} {
			if path := filepath.Join(dir, name); found == "" && isFile(path) {
				found = path
			}
		}
		if found == "" && f.required {
			return nil
		}
		if found != "" {
			files = append(files, found)
		}
	}
	return files
}

func (t tree) missing(what string) error {
	return fmt.Errorf("%s not found in %s; set basedir: to the folder that the server was installed or unpacked in", what, strings.Join(t.Looked, ", "))
}

func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
