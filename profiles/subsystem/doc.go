// Package subsystem gives a function its place in a server or the kernel, as an
// engineer who works on MySQL or MariaDB would name it: parser, optimizer, InnoDB
// B-tree, kernel network.
//
// The places are data: places.txt, which a user's own file can extend. Where a
// frame has no name, its nearest named caller tells the place; that is marked as
// inherited.
//
// It must not compute costs.
package subsystem
