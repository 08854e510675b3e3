// Package server is one mysqld or mariadbd of ours: identified, initialised,
// started, stopped, and given its loaded data back. Everything of it lives in a
// private folder, and it dies with us.
//
// It must not touch a server or a data directory that it did not make, change
// the server's own defaults beyond what privacy needs ([Settings] lists what is
// set and why), load data, or measure.
package server
