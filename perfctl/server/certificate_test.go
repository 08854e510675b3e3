package server

import (
	"crypto/tls"
	"os"
	"testing"
)

func TestCertificate(t *testing.T) {
	s := &Site{dir: t.TempDir()}
	cert, key, err := s.certificate()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tls.LoadX509KeyPair(cert, key); err != nil {
		t.Error(err)
	}
	if st, err := os.Stat(key); err != nil || st.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v; nobody else may read it", st.Mode(), err)
	}
	before, _ := os.ReadFile(key)
	if _, _, err := s.certificate(); err != nil {
		t.Fatal(err)
	}
	if after, _ := os.ReadFile(key); string(after) != string(before) {
		t.Error("a second start made another key")
	}
}
