//go:build cluster

package localcluster

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestDeliver puts an archive on the nodes when its build is done, and tells
// each stage in between.
func TestDeliver(t *testing.T) {
	kubeconfig := os.Getenv(testkit.EnvKubeconfig)
	bin, err := filepath.Abs("../../bin/local")
	if err != nil || kubeconfig == "" {
		t.Fatalf("%s is not set: run make test-cluster (%v)", testkit.EnvKubeconfig, err)
	}
	images := t.TempDir()
	write(t, filepath.Join(images, "mini.json"), fmt.Sprintf(`{"state":"building","step":"pack mini","pid":%d}`, os.Getpid()))
	told := make(chan Progress, 100)
	next := func(want Stage) Progress {
		t.Helper()
		select {
		case p := <-told:
			if p.Stage != want {
				t.Fatalf("%+v, not %s", p, want)
			}
			return p
		case <-time.After(2 * time.Minute):
			t.Fatalf("never %s", want)
		}
		return Progress{}
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		Deliver(ctx, Config{Dir: filepath.Dir(kubeconfig), Bin: bin, Images: images}, []Archive{{Name: "mini", Reference: testkit.ImageMini}},
			func(_ Archive, p Progress) { told <- p })
	}()
	if p := next(Building); p.Step != "pack mini" {
		t.Errorf("%+v", p)
	}
	archive := filepath.Join(images, "mini.tar")
	write(t, archive+".part", "no archive at all")
	move(t, archive)
	next(Importing)
	if p := next(Failed); p.Step == "" {
		t.Error("a failed import says nothing")
	}
	stop()
	<-ended
	copyFile(t, "../../bin/images/mini.tar", archive+".part")
	move(t, archive)
	ctx, stop = context.WithCancel(t.Context())
	defer stop()
	go Deliver(ctx, Config{Dir: filepath.Dir(kubeconfig), Bin: bin, Images: images}, []Archive{{Name: "mini"}}, func(_ Archive, p Progress) { told <- p })
	next(Importing)
	if p := next(There); p.Bytes < 1<<20 {
		t.Errorf("%+v", p)
	}
	// A renewal that cannot be imported leaves the image as usable as it was.
	write(t, archive+".part", "no archive at all")
	move(t, archive)
	time.Sleep(3 * time.Second)
	select {
	case p := <-told:
		t.Errorf("a renewal that fails is told as %+v", p)
	default:
	}
}

func move(t *testing.T, path string) {
	t.Helper()
	if err := os.Rename(path+".part", path); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	in, err := os.Open(from)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(out, in); err != nil {
		t.Fatal(err)
	}
	if err := out.Close(); err != nil {
		t.Fatal(err)
	}
}
