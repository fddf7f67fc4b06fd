package main

import (
	"archive/tar"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

func TestAnArchiveIsHandedOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "image.tar")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	w := tar.NewWriter(f)
	for _, file := range [][2]string{
		{"blobs/sha256/aa", "manifest"}, {"blobs/sha256/bb", "layer"},
		{"index.json", `{"manifests":[{"mediaType":"type/of-manifest","digest":"sha256:aa","annotations":{"io.containerd.image.name":"host/path/of/image:1"}}]}`},
	} {
		if err := w.WriteHeader(&tar.Header{Name: file[0], Mode: 0o644, Size: int64(len(file[1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, file[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	s := store{}
	if err := s.add(path); err != nil {
		t.Fatal(err)
	}
	for request, want := range map[string][3]string{
		"/v2/":                                  {"200", "", ""},
		"/v2/path/of/image/manifests/1":         {"200", "manifest", "type/of-manifest"},
		"/v2/path/of/image/manifests/sha256:aa": {"200", "manifest", "type/of-manifest"},
		"/v2/path/of/image/blobs/sha256:bb":     {"200", "layer", "application/octet-stream"},
		"/v2/path/of/image/manifests/2":         {"404", "404 page not found\n", "text/plain; charset=utf-8"},
		"/v2/image/manifests/1":                 {"404", "404 page not found\n", "text/plain; charset=utf-8"},
		"/v2/path/of/image/blobs/sha256:cc":     {"404", "404 page not found\n", "text/plain; charset=utf-8"},
	} {
		r := httptest.NewRecorder()
		s.ServeHTTP(r, httptest.NewRequest(http.MethodGet, request, nil))
		if got := [3]string{r.Result().Status[:3], r.Body.String(), r.Header().Get("Content-Type")}; got != want {
			t.Errorf("%s: %q", request, got)
		}
	}
}
