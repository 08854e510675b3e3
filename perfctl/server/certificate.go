package server

import (
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"os"
	"path/filepath"
	"time"
)

// certificate makes the server's key and certificate for connections with TLS,
// once for a site. Every version gets the same kind of key (RSA, 2,048 bits,
// self-signed): those that make their own at the start do not agree on one, and
// those that make none would not offer TLS at all.
func (s *Site) certificate() (cert, key string, err error) {
	cert, key = filepath.Join(s.dir, "server-cert.pem"), filepath.Join(s.dir, "server-key.pem")
	if _, err := os.Stat(key); err == nil {
		return cert, key, nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return "", "", err
	}
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		return "", "", fmt.Errorf("a key for TLS: %w", err)
	}
	now := time.Now()
	about := &x509.Certificate{
		SerialNumber: big.NewInt(now.UnixNano()), Subject: pkix.Name{CommonName: "opcost"},
		NotBefore: now.Add(-time.Hour), NotAfter: now.AddDate(1, 0, 0),
		DNSNames: []string{"localhost"}, BasicConstraintsValid: true,
	}
	signed, err := x509.CreateCertificate(rand.Reader, about, about, &private.PublicKey, private)
	if err != nil {
		return "", "", fmt.Errorf("a certificate for TLS: %w", err)
	}
	// PKCS #1 is what servers before 5.7, built with yaSSL, can read. The key
	// comes last: where it is, both are.
	if err := writePEM(cert, "CERTIFICATE", signed); err != nil {
		return "", "", err
	}
	return cert, key, writePEM(key, "RSA PRIVATE KEY", x509.MarshalPKCS1PrivateKey(private))
}

func writePEM(path, kind string, der []byte) error {
	return os.WriteFile(path, pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der}), 0o600)
}
