// Package registry is a registry of images on this machine, for tests: a real
// one, and beside it the ways in which registries fail.
package registry

import (
	"bytes"
	"encoding/pem"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	ggcr "github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
)

// Behaviour is what a repository does with requests; next answers as it should.
type Behaviour func(next http.Handler) http.Handler

// Registry is one that listens.
type Registry struct {
	Addr string // as image names begin
	CA   string // file with the certificate, of one with TLS

	store  http.Handler
	base   string // http://… or https://…
	mu     sync.Mutex
	behave map[string]Behaviour
	asked  map[string]int
}

// Option changes how a registry listens.
type Option func(*options)

type options struct {
	ip  string
	tls bool
}

// On has it listen on an address of this machine. Without, it is 127.0.0.1,
// which runtimes excuse much: plain HTTP, any certificate.
func On(ip string) Option { return func(o *options) { o.ip = ip } }

// TLS has it speak HTTPS, with a certificate that nobody knows.
func TLS() Option { return func(o *options) { o.tls = true } }

// Start starts a registry that ends with the test.
func Start(t testing.TB, opts ...Option) *Registry {
	t.Helper()
	o := options{ip: "127.0.0.1"}
	for _, f := range opts {
		f(&o)
	}
	l, err := net.Listen("tcp", net.JoinHostPort(o.ip, "0"))
	if err != nil {
		t.Fatal(err)
	}
	r := &Registry{Addr: l.Addr().String(), behave: map[string]Behaviour{}, asked: map[string]int{},
		store: ggcr.New(ggcr.Logger(log.New(io.Discard, "", 0)))}
	server := httptest.NewUnstartedServer(r)
	server.Config.ErrorLog = log.New(io.Discard, "", 0)
	_ = server.Listener.Close()
	server.Listener = l
	r.base = "http://" + r.Addr
	if o.tls {
		certificate, authority := certify(t, o.ip)
		server.TLS = certificate
		r.base = "https://" + r.Addr
		r.CA = filepath.Join(t.TempDir(), "ca.pem")
		if err := os.WriteFile(r.CA, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: authority}), 0o600); err != nil {
			t.Fatal(err)
		}
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(func() {
		server.CloseClientConnections() // a held pull must not hold the test
		server.Close()
	})
	return r
}

// Behave gives a repository a behaviour; nil takes it away.
func (r *Registry) Behave(repository string, b Behaviour) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.behave[repository] = b
}

// Asked is how many requests a repository had.
func (r *Registry) Asked(repository string) int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.asked[repository]
}

// ServeHTTP implements http.Handler.
func (r *Registry) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	repository := repositoryOf(req.URL.Path)
	if req.URL.Path == tokenPath { // asks for a repository as scope
		repository, _, _ = strings.Cut(strings.TrimPrefix(req.FormValue("scope"), "repository:"), ":")
	}
	r.mu.Lock()
	r.asked[repository]++
	b := r.behave[repository]
	r.mu.Unlock()
	if b == nil {
		r.store.ServeHTTP(w, req)
		return
	}
	b(r.store).ServeHTTP(w, req)
}

// repositoryOf is the name between /v2/ and /manifests/ or /blobs/.
func repositoryOf(path string) string {
	path = strings.TrimPrefix(path, "/v2/")
	for _, part := range []string{"/manifests/", "/blobs/", "/tags/"} {
		if name, _, ok := strings.Cut(path, part); ok {
			return name
		}
	}
	return ""
}

// Push stores an image and gives its whole name.
func (r *Registry) Push(t testing.TB, repository, tag string, image v1.Image) string {
	t.Helper()
	put := func(method, path, kind string, body []byte) {
		req := httptest.NewRequest(method, path, bytes.NewReader(body))
		req.Header.Set("Content-Type", kind)
		w := httptest.NewRecorder()
		r.store.ServeHTTP(w, req)
		if w.Code >= 300 {
			t.Fatalf("push %s: %s: %d %s", repository, path, w.Code, w.Body)
		}
	}
	blob := func(h v1.Hash, body []byte) {
		put(http.MethodPost, "/v2/"+repository+"/blobs/uploads/?digest="+h.String(), "application/octet-stream", body)
	}
	layers, err := image.Layers()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range layers {
		h, err := l.Digest()
		if err != nil {
			t.Fatal(err)
		}
		c, err := l.Compressed()
		if err != nil {
			t.Fatal(err)
		}
		b, err := io.ReadAll(c)
		if err != nil {
			t.Fatal(err)
		}
		blob(h, b)
	}
	name, err := image.ConfigName()
	if err != nil {
		t.Fatal(err)
	}
	config, err := image.RawConfigFile()
	if err != nil {
		t.Fatal(err)
	}
	blob(name, config)
	manifest, err := image.RawManifest()
	if err != nil {
		t.Fatal(err)
	}
	kind, err := image.MediaType()
	if err != nil {
		t.Fatal(err)
	}
	put(http.MethodPut, "/v2/"+repository+"/manifests/"+tag, string(kind), manifest)
	return r.Addr + "/" + repository + ":" + tag
}
