package server

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const plainFake = "echo x > mysql.ibd; echo x > ibdata1"

func TestOpenRefusesForeignFolder(t *testing.T) {
	spec := Spec{Name: "fake", Mysqld: fakeMysqld(t, plainFake)}
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "ibdata1"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(testContext(t), spec, dir); err == nil || !strings.Contains(err.Error(), "another server's") {
		t.Errorf("a data directory that is not ours: %v", err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("it was changed: %v %v", entries, err)
	}
}

func TestOpenAgain(t *testing.T) {
	ctx := testContext(t)
	dir := filepath.Join(t.TempDir(), "deep", "site")
	spec := Spec{Name: "fake", Mysqld: fakeMysqld(t, plainFake)}
	s, err := Open(ctx, spec, dir)
	if err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v %v", info, err)
	}
	if err := s.Initialise(ctx); err != nil {
		t.Fatal(err)
	}
	if err := s.Save(ctx); err != nil {
		t.Fatal(err)
	}
	again, err := Open(ctx, spec, dir)
	if err != nil || !again.Initialised() || !again.Saved() {
		t.Fatalf("found again: %+v %v", again, err)
	}
	unlock, err := s.lock()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := again.Restore(ctx); err == nil || !strings.Contains(err.Error(), "in use by another opcost") {
		t.Errorf("while another uses it: %v", err)
	}
	unlock()
	other := spec
	other.Mysqld = script(t, `echo "mysqld  Ver 8.4.0 for Linux on x86_64 (x)"`)
	if _, err := Open(ctx, other, dir); err == nil || !strings.Contains(err.Error(), "data of MySQL 8.0.36") {
		t.Errorf("another version's data: %v", err)
	}
	if err := again.Remove(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("still there: %v", err)
	}
}

func TestOpenFutureMarker(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, markerName), []byte(`{"opcost_site": 99}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(testContext(t), Spec{Mysqld: fakeMysqld(t, "")}, dir); err == nil || !strings.Contains(err.Error(), markerName) {
		t.Errorf("%v", err)
	}
}

func TestOpenRefusesOptions(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "site")
	_, err := Open(testContext(t), Spec{Name: "v", Mysqld: fakeMysqld(t, ""), Options: []string{"datadir=/x", "socket=/y"}}, dir)
	if err == nil || !strings.Contains(err.Error(), "datadir") || !strings.Contains(err.Error(), "socket") || !strings.Contains(err.Error(), "server v") {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a folder was made all the same: %v", err)
	}
}

func TestStartBeforeInitialise(t *testing.T) {
	s, err := Open(testContext(t), Spec{Mysqld: fakeMysqld(t, "")}, filepath.Join(t.TempDir(), "site"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(testContext(t), StartOptions{}); err == nil || !strings.Contains(err.Error(), "not initialised") {
		t.Errorf("%v", err)
	}
	if _, err := s.Start(testContext(t), StartOptions{Extra: []string{"port=3306"}}); err == nil || !strings.Contains(err.Error(), "leave it out") {
		t.Errorf("%v", err)
	}
}
