// Package pki makes the certificates and kubeconfigs of a local cluster.
//
// The two authorities and the key that signs service account tokens are made once and kept. What they sign is made anew
// at each start, so that nothing expires in use and a changed address or node needs no care.
package pki

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"
)

const (
	authorityYears = 20
	leafYears      = 5
)

// Authority signs certificates.
type Authority struct {
	cert *x509.Certificate
	key  crypto.Signer
	// PEM is its certificate.
	PEM []byte
}

// Subject is who a certificate is for.
type Subject struct {
	CommonName    string
	Organizations []string
	IPs           []net.IP
	DNSNames      []string
}

// LoadOrCreate reads the authority dir/name.crt and .key, or makes it.
func LoadOrCreate(dir, name string) (*Authority, error) {
	a, err := Load(dir, name)
	if !errors.Is(err, os.ErrNotExist) {
		return a, err
	}
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, err
	}
	t := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: "goblinlab-local-" + name},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(authorityYears, 0, 0),
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		IsCA:     true, BasicConstraintsValid: true,
	}
	der, err := x509.CreateCertificate(rand.Reader, t, t, key.Public(), key)
	if err != nil {
		return nil, err
	}
	if err := writePair(dir, name, pemOf("CERTIFICATE", der), key); err != nil {
		return nil, err
	}
	return Load(dir, name)
}

// Load reads the authority dir/name.crt and .key.
func Load(dir, name string) (*Authority, error) {
	certPEM, err := os.ReadFile(filepath.Join(dir, name+".crt"))
	if err != nil {
		return nil, err
	}
	keyPEM, err := os.ReadFile(filepath.Join(dir, name+".key"))
	if err != nil {
		return nil, err
	}
	cb, _ := pem.Decode(certPEM)
	kb, _ := pem.Decode(keyPEM)
	if cb == nil || kb == nil {
		return nil, fmt.Errorf("%s: %s.crt or %s.key is damaged", dir, name, name)
	}
	cert, err := x509.ParseCertificate(cb.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s.crt: %w", name, err)
	}
	key, err := x509.ParseECPrivateKey(kb.Bytes)
	if err != nil {
		return nil, fmt.Errorf("%s.key: %w", name, err)
	}
	return &Authority{cert: cert, key: key, PEM: certPEM}, nil
}

// Issue writes dir/name.crt and .key for a subject, good for both ends of a connection, and returns their PEM.
func (a *Authority) Issue(dir, name string, s Subject) (certPEM, keyPEM []byte, err error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, nil, err
	}
	serial, err := newSerial()
	if err != nil {
		return nil, nil, err
	}
	t := &x509.Certificate{
		SerialNumber: serial, Subject: pkix.Name{CommonName: s.CommonName, Organization: s.Organizations},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().AddDate(leafYears, 0, 0),
		KeyUsage:    x509.KeyUsageDigitalSignature | x509.KeyUsageKeyEncipherment,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageClientAuth, x509.ExtKeyUsageServerAuth},
		IPAddresses: s.IPs, DNSNames: s.DNSNames,
	}
	der, err := x509.CreateCertificate(rand.Reader, t, a.cert, key.Public(), a.key)
	if err != nil {
		return nil, nil, err
	}
	certPEM = pemOf("CERTIFICATE", der)
	if err := writePair(dir, name, certPEM, key); err != nil {
		return nil, nil, err
	}
	keyPEM, err = os.ReadFile(filepath.Join(dir, name+".key"))
	return certPEM, keyPEM, err
}

// serviceAccountKey makes the pair sa.key and sa.pub unless it is there.
func serviceAccountKey(dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "sa.key")); err == nil {
		return nil
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	pub, err := x509.MarshalPKIXPublicKey(key.Public())
	if err != nil {
		return err
	}
	if err := WriteFile(filepath.Join(dir, "sa.pub"), pemOf("PUBLIC KEY", pub), 0o644); err != nil {
		return err
	}
	return writeKey(filepath.Join(dir, "sa.key"), key)
}

func newSerial() (*big.Int, error) {
	return rand.Int(rand.Reader, new(big.Int).Lsh(big.NewInt(1), 120))
}

func pemOf(kind string, der []byte) []byte {
	return pem.EncodeToMemory(&pem.Block{Type: kind, Bytes: der})
}

// writePair writes the key first: a certificate without its key would look complete to Load.
func writePair(dir, name string, certPEM []byte, key *ecdsa.PrivateKey) error {
	if err := writeKey(filepath.Join(dir, name+".key"), key); err != nil {
		return err
	}
	return WriteFile(filepath.Join(dir, name+".crt"), certPEM, 0o644)
}

func writeKey(path string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return WriteFile(path, pemOf("EC PRIVATE KEY", der), 0o600)
}

// WriteFile replaces a file at once: a reader sees the old content or the new one, never a part.
func WriteFile(path string, b []byte, mode os.FileMode) error {
	tmp := path + ".tmp"
	if err := os.WriteFile(tmp, b, mode); err != nil {
		return err
	}
	return os.Rename(tmp, path)
}
