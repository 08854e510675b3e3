package live

import (
	"bytes"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strings"
	"syscall"
)

const (
	flavorMySQL   = "mysql"
	flavorMariaDB = "mariadb"
)

// maxRodata bounds what is read of a binary: MySQL 8 has 20 MB of constants.
const maxRodata = 128 << 20

// errNoServer is a binary that holds no server.
var errNoServer = errors.New("it is neither a MySQL nor a MariaDB server")

// versionText is a version as a constant of a server's binary, whole.
var versionText = regexp.MustCompile(`^(5\.[015-7]|[89]\.\d|1[0-9]\.\d{1,2})\.\d{1,3}(-[0-9A-Za-z.+~_-]+)?$`)

// serverOption is a constant of every server and of no client.
const serverOption = "skip-grant-tables"

// versionOf reads a binary's version out of its constants: the program of
// another user must not be run to ask it. number is "" when the constants do
// not agree.
func versionOf(exe string) (flavor, number string, err error) {
	// What is behind the name may have become a pipe since.
	f, err := os.OpenFile(exe, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_CLOEXEC, 0)
	if err != nil {
		return "", "", err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() {
		return "", "", errNoServer
	}
	file, err := elf.NewFile(f)
	if err != nil {
		return "", "", fmt.Errorf("%w (%v)", errNoServer, err)
	}
	section := file.Section(".rodata")
	if section == nil || section.Size > maxRodata {
		return "", "", errNoServer
	}
	constants, err := section.Data()
	if err != nil {
		return "", "", err
	}
	return versionIn(constants)
}

func versionIn(constants []byte) (flavor, number string, err error) {
	// With the NUL that ends a string of C: opcost's own binary has the word too.
	if !bytes.Contains(constants, append([]byte(serverOption), 0)) {
		return "", "", errNoServer
	}
	found := map[string]bool{}
	for text := range bytes.SplitSeq(constants, []byte{0}) {
		if len(text) < 5 || len(text) > 64 || text[0] < '0' || text[0] > '9' || !versionText.Match(text) {
			continue
		}
		number, suffix, _ := strings.Cut(string(text), "-")
		if strings.Contains(suffix, "MariaDB") {
			return flavorMariaDB, number, nil
		}
		found[number] = true
	}
	if bytes.Contains(constants, []byte("MariaDB")) {
		return flavorMariaDB, "", nil
	}
	if len(found) == 1 {
		for number := range found {
			return flavorMySQL, number, nil
		}
	}
	return flavorMySQL, "", nil
}
