package workload

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"

	"opcost/perfctl/window"
	"opcost/perfctl/workload/internal/testserver"
)

func TestCharsetByHandshakeLive(t *testing.T) {
	a := load(t, Data{Tables: 1, Rows: 1})
	db := control(t, a)
	for charset, collation := range collations {
		if charset == "utf8" {
			charset = "utf8mb3" // as MariaDB 10.6 and later name it
			collation = "utf8mb3_general_ci"
		}
		a.Charset = charset
		if charset == "utf8mb3" {
			a.Charset = "utf8"
		}
		settle(t, db, 1)
		before := status(t, db)["Questions"]
		s, err := open(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		sent := status(t, db)["Questions"] - before - 1
		if sent != 1 { // CONNECTION_ID() alone: no SET NAMES
			t.Errorf("%s: connecting took %d statements", charset, sent)
		}
		got := ""
		for _, v := range []string{"character_set_client", "character_set_connection", "character_set_results", "collation_connection"} {
			one, err := s.number("SELECT @@" + v + " = '" + map[bool]string{true: collation, false: charset}[v == "collation_connection"] + "'")
			if err != nil || one != 1 {
				got += " " + v
			}
		}
		if got != "" {
			t.Errorf("%s: not so on the server:%s", charset, got)
		}
		s.close()
	}
}

// certificate makes a key and a certificate of its own for a server.
func certificate(t *testing.T) (key, cert string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour)}
	der, err := x509.CreateCertificate(rand.Reader, c, c, private.Public(), private)
	if err != nil {
		t.Fatal(err)
	}
	pkcs8, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	write := func(name, kind string, b []byte) string {
		path := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: b}), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	return write("key.pem", "PRIVATE KEY", pkcs8), write("cert.pem", "CERTIFICATE", der)
}

func TestTransportAndTLSAreAsAskedLive(t *testing.T) {
	testserver.Missing(t)
	key, cert := certificate(t)
	l, err := net.Listen("tcp", "127.0.0.1:0") // a free port
	if err != nil {
		t.Fatal(err)
	}
	addr := l.Addr().String()
	l.Close()
	_, port, _ := net.SplitHostPort(addr)
	s, err := testserver.Start("--ssl-key="+key, "--ssl-cert="+cert, "--skip-networking=0", "--bind-address=127.0.0.1", "--port="+port)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	d := Data{Tables: 1, Rows: 1000, Seed: 7}
	socket := accessTo(s)
	socket.Database = "bench"
	if err := Load(context.Background(), socket, d, nil); err != nil {
		t.Fatal(err)
	}
	tcp := socket
	tcp.Network, tcp.Addr = "tcp", addr
	for _, a := range []Access{socket, tcp} {
		t.Run(a.Network, func(t *testing.T) { tlsAsAsked(t, a, d) })
	}
}

func tlsAsAsked(t *testing.T, a Access, d Data) {
	for _, tls := range []bool{false, true} {
		a.TLS = tls
		c, err := open(context.Background(), a)
		if err != nil {
			t.Fatal(err)
		}
		has, err := c.number("SELECT LENGTH(VARIABLE_VALUE) > 0 FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_cipher'")
		if err != nil || (has == 1) != tls {
			t.Errorf("asked for TLS %v, got cipher %v, %v", tls, has, err)
		}
		c.close()
		b := startLoad(t, BuiltinConfig{Access: a, Test: test(t, "point-query"), Data: d, Clients: 2, Seed: 1})
		wait(t, b.Release(window.Phase{Name: "x", Operations: 500}))
		if n := quiesce(t, b); n.End != 500 {
			t.Errorf("TLS %v: %d operations of 500", tls, n.End)
		}
	}
}
