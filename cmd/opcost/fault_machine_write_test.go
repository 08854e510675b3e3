package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"opcost/perfctl/isolate"
	"opcost/perfctl/leftover"
	"opcost/perfctl/noise"
	"opcost/perfctl/result"
)

// TestFaultDiskFullFiles has each command that writes a file do it on a full disk:
// it says which file and what to do, and leaves nothing there.
func TestFaultDiskFullFiles(t *testing.T) {
	dir := t.TempDir()
	full := filepath.Join(dir, "full")
	smallDisk(t, full, "1m")
	t.Setenv("XDG_STATE_HOME", dir)
	results := nights(t, map[string]int64{"a": 100, "b": 300})
	imported := importFile(t, "box_dop1/qps.abs.tsv", importTable)
	counted := filepath.Join(dir, "counted")
	if o := inProcess("import", imported, "--out", counted); o.code != exitDone {
		t.Fatal(o.stderr)
	}
	free := fillUp(t, full, 0)
	in := func(name string) string { return filepath.Join(full, name) }
	selected := results + ":a,workload=scan,clients=1"
	for name, args := range map[string][]string{
		"report": {"report", counted, "--format", "csv", "--out", in("report")},
		"page":   {"report", counted, "--format", "html", "--out", in("page")},
		"flame":  {"profile", "flame", selected, "--out", in("flame")},
		"export": {"profile", "export", selected, "--out", in("export")},
		"folded": {"profile", "export", selected, "--to", "folded", "--out", in("folded")},
		"bundle": {"compare", counted, "--base", "5.6.51", "--new", "8.0.28", "--bundle", in("bundle")},
		"import": {"import", imported, "--out", in("import")},
	} {
		o := inProcess(args...)
		if o.code != exitIncomplete {
			t.Errorf("%s: exit %d", name, o.code)
		}
		said(t, name, o.stderr, in(name), "no space left on device", "make room")
	}
	holdsOnly(t, full, "filler", "import") // the new results folder is there, and empty

	t.Run("baseline", func(t *testing.T) {
		run := result.Run{Schema: result.Schema, Driver: result.Attached}
		if err := result.WriteFile(in("baseline.json"), run); !result.NoSpace(err) || !strings.Contains(err.Error(), in("baseline.json")) {
			t.Error(err)
		}
	})
	t.Run("isolate", func(t *testing.T) {
		plans := []isolate.Plan{{Name: "1.yaml", Text: []byte("versions: []\n")}, {Name: "2.yaml", Text: []byte("versions: []\n")}}
		if err := isolate.Write(in("isolate"), plans); !result.NoSpace(err) || !strings.Contains(err.Error(), in("isolate")) {
			t.Error(err)
		}
	})
	t.Run("noise", func(t *testing.T) {
		e := noise.Entry{Metric: "qps", SD: 0.01, DF: 5, Machine: noise.Machine{Host: "h"}}
		if err := noise.Write(in("noise.json"), []noise.Entry{e}); !result.NoSpace(err) || !strings.Contains(err.Error(), in("noise.json")) {
			t.Error(err)
		}
	})
	t.Run("journal", func(t *testing.T) {
		t.Setenv("TMPDIR", dir)
		if j, err := leftover.Open(full); !result.NoSpace(err) || !strings.Contains(err.Error(), in("opcost-")) {
			t.Errorf("%v, %v", j, err)
		}
		if left, _ := filepath.Glob(filepath.Join(dir, "opcost-*")); len(left) > 0 {
			t.Errorf("left: %q", left)
		}
	})
	holdsOnly(t, full, "filler", "import")

	free()
	if o := inProcess("import", imported, "--out", in("import")); o.code != exitDone {
		t.Errorf("with room: exit %d, %s", o.code, o.stderr)
	}
}

// TestFaultDiskFullImport fills the disk while runs are written: all are there,
// or none, so that the same command does it again.
func TestFaultDiskFullImport(t *testing.T) {
	full := filepath.Join(t.TempDir(), "full")
	smallDisk(t, full, "8m")
	sweep := filepath.Join(t.TempDir(), "sweep")
	for clients := range 100 {
		dir := filepath.Join(sweep, fmt.Sprintf("box_dop%d", clients+1))
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "qps.abs.tsv"), []byte(importTable), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	out := filepath.Join(full, "out")
	if err := os.Mkdir(out, 0o700); err != nil {
		t.Fatal(err)
	}
	free := fillUp(t, full, 1<<20) // less than 400 records
	o := inProcess("import", sweep, "--out", out)
	if o.code != exitIncomplete {
		t.Errorf("exit %d", o.code)
	}
	said(t, "import", o.stderr, out, "no space left on device", "make room")
	holdsOnly(t, filepath.Join(out, "runs"))
	free()
	if o := inProcess("import", sweep, "--out", out); o.code != exitDone || !strings.Contains(o.stdout, "400 runs") {
		t.Errorf("with room: exit %d\n%s%s", o.code, o.stdout, o.stderr)
	}
}

// TestFaultDiskFullStdout: whoever redirects a table to a full disk is told.
func TestFaultDiskFullStdout(t *testing.T) {
	counted := filepath.Join(t.TempDir(), "counted")
	if o := inProcess("import", importFile(t, "box_dop1/qps.abs.tsv", importTable), "--out", counted); o.code != exitDone {
		t.Fatal(o.stderr)
	}
	device, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer device.Close()
	for _, format := range []string{"table", "json", "csv", "html", "benchfmt"} {
		var errs strings.Builder
		if code := run([]string{"report", counted, "--format", format, "--noise", "none"}, device, &errs); code != exitIncomplete {
			t.Errorf("%s: exit %d", format, code)
		}
		said(t, format, errs.String(), "/dev/full", "no space left on device", "make room")
	}
}

// TestFaultDiskFullIndex: an index that cannot be written is done without.
func TestFaultDiskFullIndex(t *testing.T) {
	full := filepath.Join(t.TempDir(), "full")
	smallDisk(t, full, "4m")
	out := filepath.Join(full, "out")
	folder, err := result.Create(out)
	if err != nil {
		t.Fatal(err)
	}
	const runs = 300
	for i := range runs {
		r := result.Run{Schema: result.Schema, ID: fmt.Sprintf("r%03d", i), Host: "h", Version: "a", Base: "a", Workload: "scan", Group: "range", Clients: 1, Repeat: i,
			Driver: "builtin", Protocol: "prepared", Start: fmt.Sprint(i), Started: time.Now(), PlanHash: "0123",
			Passes: []result.Pass{{Kind: result.PassCount, State: result.OK}}}
		if _, err := folder.Begin(r.ID); err != nil {
			t.Fatal(err)
		}
		if err := folder.Write(r); err != nil {
			t.Fatal(err)
		}
	}
	if err := folder.Close(); err != nil {
		t.Fatal(err)
	}
	defer fillUp(t, full, 0)()
	for range 2 {
		got, warnings, err := result.Read(out)
		if err != nil || len(got) != runs || len(warnings) > 0 {
			t.Errorf("%d runs, %v, %v", len(got), warnings, err)
		}
		holdsOnly(t, out, "opcost-results", "runs", "plans")
	}
}
