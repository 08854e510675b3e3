package child

import (
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mpolBind is MPOL_BIND of linux/mempolicy.h: memory of these nodes, or none.
const mpolBind = 2

// bindMemory has this thread, and what it starts, take memory of one node alone
// (man set_mempolicy: the policy is inherited by a fork and kept by an exec).
func bindMemory(node int) error {
	const bits = 64
	mask := make([]uint64, node/bits+1)
	mask[node/bits] = 1 << (node % bits)
	// The kernel takes one bit less than it is told (man set_mempolicy, BUGS).
	_, _, errno := unix.Syscall(unix.SYS_SET_MEMPOLICY, mpolBind, uintptr(unsafe.Pointer(&mask[0])), uintptr(len(mask)*bits+1))
	if errno != 0 {
		return fmt.Errorf("set_mempolicy to NUMA node %d: %w", node, errno)
	}
	return nil
}
