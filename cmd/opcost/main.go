// Command opcost says what one query costs in MySQL and MariaDB, why that
// changed between versions, and how sure it is.
package main

import "os"

func main() {
	os.Exit(run(os.Args[1:], os.Stdout, os.Stderr))
}
