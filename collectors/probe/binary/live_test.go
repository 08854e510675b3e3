package binary

import (
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// mariadbd is the installed server's program.
func mariadbd(t *testing.T) string {
	t.Helper()
	path, err := exec.LookPath("mariadbd")
	if err != nil {
		if path = "/usr/sbin/mariadbd"; !isFile(path) {
			if os.Getenv("OPCOST_TEST_ALL") == "1" {
				t.Fatal("OPCOST_TEST_ALL=1, but there is no mariadbd")
			}
			t.Skip("no mariadbd: apt-get install mariadb-server")
		}
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		t.Fatal(err)
	}
	return path
}

func isFile(path string) bool {
	st, err := os.Stat(path)
	return err == nil && st.Mode().IsRegular()
}

// What is said of a real server is what binutils say of it.
func TestLiveMariaDB(t *testing.T) {
	path := mariadbd(t)
	f := facts(t, path)
	t.Logf("%+v", f.FramePointers)
	if id := regexp.MustCompile(`Build ID: ([0-9a-f]+)`).FindStringSubmatch(do(t, "readelf", "-n", path)); id == nil || id[1] != f.BuildID {
		t.Errorf("build id %s, readelf says %v", f.BuildID, id)
	}
	dynamic := regexp.MustCompile(`(?m)^ *\d+: 0*[1-9a-f][0-9a-f]* +\S+ FUNC +\S+ +\S+ +\d+ `)
	if n := len(dynamic.FindAllString(do(t, "readelf", "--dyn-syms", "-W", path), -1)); n != f.Symbols.Dynamic || n < 1000 {
		t.Errorf("%d exported functions, readelf says %d", f.Symbols.Dynamic, n)
	}
	needed := regexp.MustCompile(`\(NEEDED\).*\[(.*)\]`).FindAllStringSubmatch(do(t, "readelf", "-dW", path), -1)
	var names []string
	for _, n := range needed {
		names = append(names, n[1])
	}
	if strings.Join(names, " ") != strings.Join(f.Needed, " ") {
		t.Errorf("needs %v, readelf says %v", f.Needed, names)
	}
}

// objdump decodes the same first instructions.
func TestLiveMariaDBPrologues(t *testing.T) {
	path := mariadbd(t)
	f, err := elf.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if f.Machine != elf.EM_X86_64 {
		t.Skip("the expressions below are for x86-64")
	}
	code, at, ok := text(f)
	if !ok {
		t.Fatal("no code")
	}
	from := at + uint64(len(code))/4
	listing := do(t, "objdump", "-d", "--no-show-raw-insn", "-j", ".text",
		"--start-address="+strconv.FormatUint(from, 10), "--stop-address="+strconv.FormatUint(from+1<<20, 10), path)
	keeps := regexp.MustCompile(`(?s)push +%rbp\n.*mov +%rsp,%rbp`)
	same, differ := 0, 0
	last := regexp.MustCompile(`(?m)^ *([0-9a-f]+):[^\n]*\n?\z`)
	for _, function := range strings.Split(listing, "\n\n")[2:] {
		head, body, _ := strings.Cut(function, "\n")
		entry, err := strconv.ParseUint(strings.Fields(head + " ")[0], 16, 64)
		if err != nil || entry < from {
			continue
		}
		end := last.FindStringSubmatch(body)
		if end == nil {
			continue
		}
		to, err := strconv.ParseUint(end[1], 16, 64)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.SplitAfterN(body, "\n", 12)
		_, pointer := prologueAMD64(code[entry-at : to-at])
		if pointer == keeps.MatchString(strings.Join(lines[:len(lines)-1], "")) {
			same++
		} else {
			differ++
		}
	}
	t.Logf("%d functions judged alike, %d not", same, differ)
	if same < 500 || differ*50 > same {
		t.Errorf("%d functions judged alike, %d not", same, differ)
	}
}
