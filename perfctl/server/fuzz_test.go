package server

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"opcost/perfctl/plan"
	"opcost/testbed/linear"
)

// Whatever a binary says of itself: what is taken for a version can be read
// again, and is at least itself.
func FuzzVersion(f *testing.F) {
	for _, s := range []string{
		"mysqld  Ver 8.0.32-24 for Linux on x86_64 (Percona Server (GPL), Release 24, Revision e5c6e9d2)", "/usr/sbin/mariadbd  Ver 10.11.19-MariaDB-0+deb12u1 for debian-linux-gnu on x86_64 (Debian 12)",
		"5.5.5-10.4.1-MariaDB-debug", "5.5.5-m3", "5.0.96-log", "99999999999999999999.1.1", "Ver 1.2", "8.0.36)(", "", "Ver \xff.1.2.3",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		id, err := ParseVersion(text)
		if err != nil {
			return
		}
		if id.Flavor != MySQL && id.Flavor != MariaDB || id.Major < 0 || !id.AtLeast(id.Major, id.Minor, id.Patch) || id.AtLeast(id.Major, id.Minor, id.Patch+1) {
			t.Errorf("%+v", id)
		}
		if again, err := ParseVersion(id.Number); err != nil || again.Major != id.Major || again.Minor != id.Minor || again.Patch != id.Patch {
			t.Errorf("%q became %+v, %v", id.Number, again, err)
		}
	})
}

// A defaults file holds what its user wrote: each option begins with two dashes,
// none is lost, and no secret of it is in an error.
func FuzzPrintDefaults(f *testing.F) {
	for _, s := range []string{
		"mysqld would have been started with the following arguments:\n--port=3306 --sql_mode=ANSI QUOTES --loose-x --password=zq9 \n",
		"arguments:\n --a=--b -- --c", "arguments:", "no such words", "arguments:\n--init-connect=SET NAMES utf8 -- x --ssl-key='/a b'\n", "arguments:--\xff=\x00",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		options := parsePrintDefaults(text, "my.cnf")
		for _, o := range options {
			if !strings.HasPrefix(o.Text, "--") || o.From != "my.cnf" {
				t.Errorf("%+v", o)
			}
		}
		if err := checkOptions(options); err != nil {
			for _, o := range options {
				if v := o.value(); len(v) > 8 && plan.IsSecret(o.plainName(), v) && !strings.Contains(o.name(), strings.ToLower(v)) && strings.Contains(err.Error(), v) && !strings.Contains(strings.ReplaceAll(text, o.Text, ""), v) {
					t.Errorf("%q is in %v", v, err)
				}
			}
		}
		if _, notes, err := relocate(options, "/data"); err == nil && len(notes) > len(relocated) {
			t.Errorf("%q", notes)
		}
	})
}

// Whatever a server logs: some lines of it, each once.
func FuzzLog(f *testing.F) {
	for _, s := range []string{
		"2026-01-01 [ERROR] mysqld: unknown variable 'query_cache_size=1M'\n2026-01-01 [ERROR] Aborting\n", "[ERROR] unknown option '--a'\n[ERROR] unknown option '--a'\n",
		"Error while setting value 'x' to 'y'\nUnknown suffix 'q' used for variable 'z'\n", "mysqld: got signal 11 ;\n", "\n\n", "option 'a' requires an argument", "Permission denied\x00\xff",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		lines := errorLines(text)
		if len(lines) > 12 || len(lines) != len(slices.Compact(slices.Sorted(slices.Values(lines)))) && len(lines) > 5 {
			t.Errorf("%q", lines)
		}
		refused := refusedOption(text)
		if refused != "" && !strings.Contains(text, refused) {
			t.Errorf("%q", refused)
		}
		_, _ = origin(refused, []option{{"--x=1", fromPlan}}), permissionDenied(text)
		_ = enforcedProfile(text, "/usr/sbin/mysqld")
	})
}

// A note of any sizes is within its bytes.
func FuzzBuildID(f *testing.F) {
	f.Add([]byte("\x04\x00\x00\x00\x04\x00\x00\x00\x03\x00\x00\x00GNU\x00\x01\x02\x03\x04"), true)
	f.Add([]byte("\xff\xff\xff\xff\xff\xff\xff\xff\x03\x00\x00\x00GNU\x00"), true)
	f.Add([]byte("\xfd\xff\xff\xff\x04\x00\x00\x00\x03\x00\x00\x00GNU\x00"), false)
	f.Fuzz(func(t *testing.T, note []byte, little bool) {
		var order binary.ByteOrder = binary.BigEndian
		if little {
			order = binary.LittleEndian
		}
		if id := parseBuildID(note, order); len(id) > 2*len(note) {
			t.Errorf("%s of %q", id, note)
		}
	})
}

func TestLongLog(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		var b strings.Builder
		for i := 0; b.Len() < bytes; i++ {
			fmt.Fprintf(&b, "2026-01-01 [Note] InnoDB: line %d of 'a long log', unknown to option 'x'\n2026-01-01 [ERROR] Aborting\n", i)
		}
		return b.String()
	}, func(s string) { errorLines(s); refusedOption(s); enforcedProfile(s, "/usr/sbin/mysqld") })
}

func TestManyOptions(t *testing.T) {
	linear.Check(t, func(bytes int) string {
		return "arguments:\n" + strings.Repeat("--loose-some-option=a value of it ", bytes/34)
	}, func(s string) {
		if err := checkOptions(parsePrintDefaults(s, "my.cnf")); err != nil {
			t.Error(err)
		}
	})
}
