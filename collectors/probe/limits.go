package probe

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// descriptors asks a program of ours for its limit. Our own is another: Go
// raises its soft limit at start, and gives children the old one.
func (a asker) descriptors(ctx context.Context) Fact[Limit] {
	ctx, cancel := context.WithTimeout(ctx, oneAnswer)
	defer cancel()
	out, errText, err := a.run(ctx, "sh", "-c", "ulimit -Sn; ulimit -Hn")
	if err = why(ctx, errText, err); err != nil {
		return unknown[Limit](fmt.Sprintf("sh -c ulimit: %v", err))
	}
	var l [2]int64
	words := strings.Fields(out)
	for i := range l {
		if len(words) != len(l) {
			return unknown[Limit]("sh -c ulimit printed " + firstLine(out))
		}
		if words[i] == "unlimited" {
			l[i] = -1
		} else if l[i], err = strconv.ParseInt(words[i], 10, 64); err != nil {
			return unknown[Limit]("sh -c ulimit printed " + firstLine(out))
		}
	}
	return known(Limit{Soft: l[0], Hard: l[1]})
}

// Space is the room on the disk under a folder.
type Space struct {
	Dir string
	// FreeKB is what this user may still fill.
	FreeKB int64
	// FS is the file system's type: ext4, xfs, tmpfs ...; its number in
	// hexadecimal where it has no name here.
	FS string
	// Unknown says why nothing is known; "" when it is.
	Unknown string
}

// fileSystems by the number that statfs(2) gives.
var fileSystems = map[int64]string{
	unix.EXT4_SUPER_MAGIC: "ext4", unix.XFS_SUPER_MAGIC: "xfs", unix.BTRFS_SUPER_MAGIC: "btrfs", unix.TMPFS_MAGIC: "tmpfs",
	unix.OVERLAYFS_SUPER_MAGIC: "overlayfs", unix.NFS_SUPER_MAGIC: "nfs", unix.F2FS_SUPER_MAGIC: "f2fs",
	unix.V9FS_MAGIC: "9p", unix.FUSE_SUPER_MAGIC: "fuse", 0x2fc12fc1: "zfs", unix.RAMFS_MAGIC: "ramfs",
	unix.SMB2_SUPER_MAGIC: "smb2", unix.CIFS_SUPER_MAGIC: "cifs",
}

// SpaceAt asks for the disk that holds dir, or will hold it when it is made.
func SpaceAt(dir string) Space {
	s := Space{Dir: dir}
	at, err := filepath.Abs(dir)
	for ; err == nil; at = filepath.Dir(at) {
		if _, err = os.Stat(at); !errors.Is(err, fs.ErrNotExist) || at == filepath.Dir(at) {
			break
		}
		err = nil // a folder that is not there yet: its parent's disk
	}
	var st unix.Statfs_t
	if err == nil {
		err = unix.Statfs(at, &st)
	}
	if err != nil {
		s.Unknown = fmt.Sprintf("the disk of %s cannot be asked: %v", dir, err)
		return s
	}
	number := int64(st.Type) & 0xffffffff // some kernels' long is 32 bits wide
	if s.FS = fileSystems[number]; s.FS == "" {
		s.FS = fmt.Sprintf("%#x", number)
	}
	bytes, err := free(st)
	if err != nil {
		s.Unknown = fmt.Sprintf("the disk of %s: %v", dir, err)
	}
	s.FreeKB = bytes / 1024
	return s
}

// FreeAt is the room for us on the disk of a folder that is there, in bytes. Some
// network file systems do not tell, which is an error too.
func FreeAt(dir string) (int64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	bytes, err := free(st)
	if err != nil {
		return 0, fmt.Errorf("free space of %s: %w", dir, err)
	}
	return bytes, nil
}

func free(st unix.Statfs_t) (bytes int64, err error) {
	if st.Blocks == 0 {
		return 0, errors.New("its file system does not tell how much room it has")
	}
	blocks := st.Bavail
	if os.Geteuid() == 0 { // what is kept back is for root
		blocks = st.Bfree
	}
	size := int64(st.Frsize) // what blocks are counted in; FUSE gives another st_bsize
	if size == 0 {           // before Linux 2.6
		size = int64(st.Bsize)
	}
	return int64(blocks) * size, nil
}
