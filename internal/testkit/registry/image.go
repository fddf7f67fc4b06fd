package registry

import (
	"archive/tar"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"io"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// Image is goblinlab.local/mini with one more layer of random bytes, so that no
// node has it.
func Image(t testing.TB, size int) v1.Image {
	t.Helper()
	base.once.Do(func() { base.image = mini(t) })
	if base.image == nil {
		t.Fatal("mini.tar could not be read")
	}
	return appended(t, base.image, random(t, size))
}

// base is read once: to compress it takes a while.
var base struct {
	once  sync.Once
	image v1.Image
}

// mini is the image in the archive that the build made.
func mini(t testing.TB) v1.Image {
	t.Helper()
	files := archive(t)
	var index v1.IndexManifest
	decode(t, files["index.json"], &index)
	var manifest v1.Manifest
	decode(t, blobOf(files, index.Manifests[0].Digest), &manifest)
	var config v1.ConfigFile
	decode(t, blobOf(files, manifest.Config.Digest), &config)
	image := empty.Image
	for _, l := range manifest.Layers {
		image = appended(t, image, blobOf(files, l.Digest))
	}
	now, err := image.ConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	config.RootFS, config.History = now.RootFS, now.History
	if image, err = mutate.ConfigFile(image, &config); err != nil {
		t.Fatal(err)
	}
	return image
}

func appended(t testing.TB, image v1.Image, content []byte) v1.Image {
	t.Helper()
	l, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(content)), nil })
	if err != nil {
		t.Fatal(err)
	}
	if image, err = mutate.AppendLayers(image, l); err != nil {
		t.Fatal(err)
	}
	return image
}

// random is a layer with one file that cannot be compressed.
func random(t testing.TB, size int) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	content := make([]byte, size)
	_, _ = rand.Read(content)
	if err := w.WriteHeader(&tar.Header{Name: "random", Mode: 0o644, Size: int64(size)}); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func archive(t testing.TB) map[string][]byte {
	t.Helper()
	f, err := os.Open(filepath.Join(Root(t), "bin", "images", "mini.tar"))
	if err != nil {
		t.Fatalf("%v; build it with: make images", err)
	}
	defer f.Close()
	files := map[string][]byte{}
	for r := tar.NewReader(f); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		if files[h.Name], err = io.ReadAll(r); err != nil {
			t.Fatal(err)
		}
	}
}

// Root is the folder of the module.
func Root(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the working directory")
		}
		dir = filepath.Dir(dir)
	}
}

func blobOf(files map[string][]byte, h v1.Hash) []byte {
	return files["blobs/"+h.Algorithm+"/"+h.Hex]
}

func decode(t testing.TB, b []byte, into any) {
	t.Helper()
	if err := json.Unmarshal(b, into); err != nil {
		t.Fatalf("mini.tar: %v: %.100q", err, b)
	}
}

// certify makes an authority and a certificate by it for an address.
func certify(t testing.TB, ip string) (*tls.Config, []byte) {
	t.Helper()
	authorityKey, key := newKey(t), newKey(t)
	authority := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test authority"}, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(time.Hour), KeyUsage: x509.KeyUsageCertSign}
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: ip}, IPAddresses: []net.IP{net.ParseIP(ip)},
		NotBefore: authority.NotBefore, NotAfter: authority.NotAfter, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	authorityDER, err := x509.CreateCertificate(rand.Reader, authority, authority, authorityKey.Public(), authorityKey)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.CreateCertificate(rand.Reader, leaf, authority, key.Public(), authorityKey)
	if err != nil {
		t.Fatal(err)
	}
	return &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{der}, PrivateKey: key}}, MinVersion: tls.VersionTLS12}, authorityDER
}

func newKey(t testing.TB) *ecdsa.PrivateKey {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return key
}
