// Package workload is what the server is asked to do: the microbenchmarks by
// id, the data they run on, and the driver that sends them. It counts the
// operations it did and keeps each client's response times; it reads no
// counter of the server.
package workload
