package plan

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Known is what a plan's names are checked against. A Known that is a
// [Machine] too is also asked about files and CPUs; otherwise the machine we
// run on is asked.
type Known interface {
	// Workloads gives the ids that names (ids or groups) stand for, each once,
	// in the order in which they are to run. Its error says which name is unknown.
	Workloads(names []string) (ids []string, err error)
	// Charsets are the character sets that a connection can have.
	Charsets() []string
}

// Machine is what a plan's paths and CPU numbers are checked against.
type Machine interface {
	// Executable is nil where path is a regular file that we may execute.
	Executable(path string) error
	// ReadFile gives a text file's content.
	ReadFile(path string) ([]byte, error)
	// SearchPath is the folders in which a bare program name is looked for.
	SearchPath() []string
	// CPUs are the numbers of the CPUs that are online.
	CPUs() ([]int, error)
}

// here is the machine we run on.
type here struct{}

func (here) Executable(path string) error {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return reasonOf(err)
	case !st.Mode().IsRegular():
		return errors.New("is not a file")
	}
	if err := unix.Access(path, unix.X_OK); err != nil {
		return errors.New("is not executable")
	}
	return nil
}

// maxText bounds a plan and a defaults file: both are written by hand.
const maxText = 64 << 10

func (here) ReadFile(path string) ([]byte, error) {
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, reasonOf(err)
	case !st.Mode().IsRegular(): // a FIFO would block
		return nil, errors.New("is not a file")
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, reasonOf(err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxText+1))
	if err != nil {
		return nil, reasonOf(err)
	}
	if len(text) > maxText {
		return nil, fmt.Errorf("is larger than %d kB", maxText>>10)
	}
	return text, nil
}

// SearchPath has the folders where distributions put mysqld, which a user's
// PATH often lacks.
func (here) SearchPath() []string {
	dirs := slices.DeleteFunc(filepath.SplitList(os.Getenv("PATH")), func(d string) bool { return !filepath.IsAbs(d) })
	return append(dirs, "/usr/sbin", "/usr/libexec")
}

func (here) CPUs() ([]int, error) {
	text, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	return parseCPUs(strings.TrimSpace(string(text)))
}

// parseCPUs reads the kernel's list format: "0-3,8,10-11". Linux numbers at
// most 8192 CPUs.
func parseCPUs(s string) ([]int, error) {
	var cpus []int
	for part := range strings.SplitSeq(s, ",") {
		first, last, isRange := strings.Cut(part, "-")
		lo, err := strconv.ParseUint(first, 10, 13)
		hi := lo
		if err == nil && isRange {
			hi, err = strconv.ParseUint(last, 10, 13)
		}
		if err != nil || hi < lo {
			return nil, fmt.Errorf("%q is not a CPU number or a range of them", part)
		}
		for c := lo; c <= hi; c++ {
			cpus = append(cpus, int(c))
		}
	}
	return cpus, nil
}

// listCPUs writes CPU numbers as the kernel does: 0-3,8.
func listCPUs(cpus []int) string {
	var parts []string
	for i := 0; i < len(cpus); {
		j := i
		for j+1 < len(cpus) && cpus[j+1] == cpus[j]+1 {
			j++
		}
		s := strconv.Itoa(cpus[i])
		if j > i {
			s += "-" + strconv.Itoa(cpus[j])
		}
		parts = append(parts, s)
		i = j + 1
	}
	return strings.Join(parts, ",")
}

// reasonOf takes the path out of a file error: the problem names it already.
func reasonOf(err error) error {
	var pe *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return errors.New("does not exist")
	case errors.As(err, &pe):
		return fmt.Errorf("cannot be read: %w", pe.Err)
	}
	return err
}
