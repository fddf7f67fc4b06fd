package courier

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"errors"
	"fmt"
	"math/big"
	"time"

	"github.com/goblinlab/goblinlab/internal/files/agent"
)

// agentName is the name that an agent's certificate is for.
const agentName = "goblinlab-files"

const certLife = 24 * time.Hour // an agent has a deadline long before

// newCredentials are those of one agent: a secret for its callers, and a
// certificate for itself.
func newCredentials(now time.Time) (map[string][]byte, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("key of an agent: %w", err)
	}
	t := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: agentName}, DNSNames: []string{agentName},
		NotBefore: now.Add(-time.Hour), NotAfter: now.Add(certLife), KeyUsage: x509.KeyUsageDigitalSignature | x509.KeyUsageCertSign,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}, BasicConstraintsValid: true, IsCA: true,
	}
	cert, err := x509.CreateCertificate(rand.Reader, t, t, &key.PublicKey, key)
	if err != nil {
		return nil, fmt.Errorf("certificate of an agent: %w", err)
	}
	raw, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		return nil, fmt.Errorf("key of an agent: %w", err)
	}
	return map[string][]byte{
		agent.FileSecret: []byte(rand.Text() + rand.Text()),
		agent.FileCert:   pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: cert}),
		agent.FileKey:    pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: raw}),
	}, nil
}

// trust reads what a caller needs of an agent's credentials: it believes that
// one certificate and no other.
func trust(data map[string][]byte) (secret string, c *tls.Config, err error) {
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(data[agent.FileCert]) || len(data[agent.FileSecret]) == 0 {
		return "", nil, errors.New("the credentials of an agent are not whole")
	}
	return string(data[agent.FileSecret]), &tls.Config{RootCAs: pool, ServerName: agentName, MinVersion: tls.VersionTLS13}, nil
}
