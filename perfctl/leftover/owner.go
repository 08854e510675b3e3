package leftover

import (
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/prometheus/procfs"
)

// owner is a run: the first line of its journal, and the marker in its folders.
type owner struct {
	Schema     int    `json:"opcost_journal"`
	Host       string `json:"host"`
	Boot       string `json:"boot"`          // /proc/sys/kernel/random/boot_id
	Namespace  string `json:"pid_namespace"` // /proc/self/ns/pid: pids of another one mean nothing here
	PID        int    `json:"pid"`
	StartTicks uint64 `json:"start_ticks"` // field 22 of /proc/PID/stat
	Token      string `json:"token"`       // 128 random bits
	Work       string `json:"work"`        // absolute, without links
	Data       string `json:"data"`        // name of the folder in Work
	Sockets    string `json:"sockets"`     // absolute
	Journal    string `json:"journal"`     // name of the journal in Work
}

const schema = 1

// us describes this process.
func us() (owner, error) {
	var o owner
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return o, err
	}
	host, err := os.Hostname()
	if err != nil {
		return o, err
	}
	ns, err := os.Readlink("/proc/self/ns/pid")
	if err != nil {
		return o, err
	}
	ticks, err := startTicks(os.Getpid())
	if err != nil {
		return o, err
	}
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return o, err
	}
	return owner{
		Schema: schema, Host: host, Boot: strings.TrimSpace(string(boot)), Namespace: ns,
		PID: os.Getpid(), StartTicks: ticks, Token: hex.EncodeToString(token),
	}, nil
}

func (o owner) data() string { return filepath.Join(o.Work, o.Data) }

// valid refuses what no journal of ours says: names that lead elsewhere.
func (o owner) valid() error {
	switch {
	case o.Schema != schema:
		return fmt.Errorf("its schema is %d, and this opcost knows %d", o.Schema, schema)
	case len(o.Token) != 32, o.PID <= 0, o.StartTicks == 0, o.Boot == "", o.Host == "", o.Namespace == "":
		return errors.New("it does not say whose it is")
	case !strings.HasPrefix(o.Data, dataPrefix), filepath.Base(o.Data) != o.Data,
		!strings.HasPrefix(filepath.Base(o.Sockets), socketsPrefix), filepath.Base(o.Journal) != o.Journal,
		!filepath.IsAbs(o.Work), !filepath.IsAbs(o.Sockets):
		return errors.New("it names folders that opcost does not make")
	}
	return nil
}

const (
	markerName    = ".opcost-owner"
	dataPrefix    = "opcost-data-"
	socketsPrefix = "opcost-"
	journalSuffix = ".journal"
)

// makeFolder makes a folder that only this user may enter, with the marker. One
// that cannot be marked is not left: nobody could tell whose it is.
func (o owner) makeFolder(path string) (err error) {
	if err := os.Mkdir(path, 0o700); err != nil {
		return err
	}
	marker := filepath.Join(path, markerName)
	defer func() {
		if err != nil {
			_ = os.Remove(marker) // it may not be there
			_ = os.Remove(path)
		}
	}()
	text, err := json.Marshal(o)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(marker, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Sync(), f.Close())
}

// marker is what a folder's marker says.
func marker(folder string) (owner, error) {
	var o owner
	if err := ours(folder, true); err != nil {
		return o, err
	}
	text, err := readOurs(filepath.Join(folder, markerName))
	if err != nil {
		return o, err
	}
	if err := json.Unmarshal(text, &o); err != nil {
		return o, err
	}
	return o, o.valid()
}

// removeFolder removes a folder that carries the owner's marker. The marker
// goes last, so that a removal that was cut short can be taken up again. A
// folder that is empty was made and not yet marked.
func (o owner) removeFolder(path string) (removed bool, err error) {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if syscall.Rmdir(path) == nil { // not os.Remove, which takes links and files too
		return true, nil
	}
	m, err := marker(path)
	switch {
	case err != nil:
		return false, fmt.Errorf("%s is left alone, as nothing in it says that it is opcost's: %w", path, err)
	case m.Token != o.Token:
		return false, fmt.Errorf("%s is left alone: its marker is another run's", path)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.Name() != markerName {
			if err := os.RemoveAll(filepath.Join(path, e.Name())); err != nil {
				return false, err
			}
		}
	}
	return true, os.RemoveAll(path)
}

// ours refuses links, and what another user has put there.
func ours(path string, folder bool) error {
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if folder && !info.IsDir() || !folder && !info.Mode().IsRegular() {
		return fmt.Errorf("%s is of another kind (%v)", path, info.Mode().Type())
	}
	if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to another user", path)
	}
	return nil
}

// readOurs reads a small file that is ours.
func readOurs(path string) ([]byte, error) {
	if err := ours(path, false); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 16<<20))
}

// startTicks is field 22 of /proc/PID/stat: with the pid and the boot it names
// a process for good. A process that has ended and waits for its parent counts
// as gone.
func startTicks(pid int) (uint64, error) {
	p, err := procfs.NewProc(pid)
	if err != nil {
		return 0, err
	}
	stat, err := p.Stat()
	if err != nil {
		return 0, err
	}
	if stat.State == "Z" || stat.State == "X" {
		return 0, os.ErrProcessDone
	}
	return stat.Starttime, nil
}
