package server

// InitMethod is how a version's data directory is made.
type InitMethod string

const (
	InstallScript InitMethod = "mysql_install_db" // MariaDB: mariadb-install-db
	Initialize    InitMethod = "mysqld --initialize-insecure"
	Bootstrap     InitMethod = "mariadbd --bootstrap" // fed with the tree's own SQL files
)

// SupportRow is what is known of a range of versions.
type SupportRow struct {
	Versions Range
	Label    string
	Init     InitMethod
	Tried    string // the builds that the live tests ran, or "untried": only argument lists are tested
	Note     string
}

const untried = "untried"

// Support is how each range of versions is initialised, in the order of their
// numbers; the first row that holds for a version is its row.
//
// Sources: the servers' own scripts and reference manuals; mysqld --initialize
// came with MySQL 5.7.6, MariaDB's root with unix_socket with 10.4.3.
var Support = []SupportRow{
	{Range{Flavor: MySQL, Until: [3]int{5, 0, 0}}, "MySQL before 5.0", "", untried, "not supported"},
	{Range{Flavor: MySQL, From: [3]int{5, 0, 0}, Until: [3]int{5, 7, 6}}, "MySQL 5.0-5.6", InstallScript, untried,
		"the script knows no launcher: with one, the tree's SQL files are fed to mysqld --bootstrap. The 5.6 script needs Perl. The driver does not promise these versions"},
	{Range{Flavor: MySQL, From: [3]int{5, 7, 6}, Until: [3]int{8, 0, 0}}, "MySQL 5.7", Initialize, untried, ""},
	{Range{Flavor: MySQL, From: [3]int{8, 0, 0}, Until: [3]int{9, 0, 0}}, "MySQL 8.x", Initialize, untried, ""},
	{Range{Flavor: MySQL, From: [3]int{9, 0, 0}}, "MySQL 9.x", Initialize, "9.7.4 (Debian sid), through its own loader", ""},
	{Range{Flavor: MariaDB, Until: [3]int{10, 0, 0}}, "MariaDB 5.x", Bootstrap, untried,
		"mysql_install_db where the tree lacks the SQL files; the driver does not promise these versions"},
	{Range{Flavor: MariaDB, From: [3]int{10, 0, 0}, Until: [3]int{10, 11, 0}}, "MariaDB 10.0-10.10", Bootstrap, "10.5.23 (Debian 11), through its own loader",
		"mariadb-install-db (mysql_install_db) where the tree lacks the SQL files; tried with 10.5.23 too"},
	{Range{Flavor: MariaDB, From: [3]int{10, 11, 0}, Until: [3]int{11, 0, 0}}, "MariaDB 10.11", Bootstrap, "10.11.19 (Debian 12)", ""},
	{Range{Flavor: MariaDB, From: [3]int{11, 0, 0}}, "MariaDB 11 and later", Bootstrap, "11.8.9 (Debian 13), through its own loader", "SQL files are named mariadb_*.sql"},
}

// SupportFor is the version's row of [Support].
func SupportFor(id Identity) SupportRow {
	for _, row := range Support {
		if row.Versions.Holds(id) {
			return row
		}
	}
	return SupportRow{Label: id.String(), Tried: untried, Note: "not supported"}
}
