package localcluster

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// Archive is an image whose archive is built on this machine and imported from there.
type Archive struct {
	Name      string // NAME.tar is the archive, NAME.json tells of its build
	Reference string
}

// Stage is how far an image has come.
type Stage string

// The stages of an image that cannot be used yet, and the one of an image that can.
const (
	Building  Stage = "building"
	Importing Stage = "importing"
	Failed    Stage = "failed"
	Missing   Stage = "missing" // there is no archive, and nobody makes one
	There     Stage = "there"
)

// Progress of an image.
type Progress struct {
	Stage Stage
	Step  string // of the build, or what went wrong
	Bytes int64  // of the archive, when it is there
}

// build is what deploy/images writes beside an archive.
type build struct {
	State string `json:"state"` // building, done or failed
	Step  string `json:"step"`
	PID   int    `json:"pid"` // of the builder
}

// again is how long after a failed import the next one waits.
const again = 30 * time.Second

// Deliver imports archives as they come, and again when one was made anew, until
// ctx ends. It tells each change. An image that is only renewed stays usable.
func Deliver(ctx context.Context, c Config, archives []Archive, tell func(Archive, Progress)) {
	type state struct {
		told     Progress
		imported fs.FileInfo
		notAgain time.Time
	}
	states := make([]state, len(archives))
	for {
		for i, a := range archives {
			s := &states[i]
			say := func(p Progress) {
				if s.told != p {
					s.told = p
					tell(a, p)
				}
			}
			p, file := look(c.Images, a, s.imported)
			if p.Stage == Importing {
				if time.Now().Before(s.notAgain) {
					continue
				}
				if s.imported == nil { // one that is only renewed can be used meanwhile
					say(p)
				}
				if err := c.importArchive(ctx, a); err != nil {
					s.notAgain = time.Now().Add(again)
					p = Progress{Stage: Failed, Step: err.Error()}
					if s.imported != nil {
						slog.Warn("a renewed image was not imported; the one before is used", "image", a.Reference, "err", err)
						continue
					}
				} else {
					s.imported = file
					p = Progress{Stage: There, Bytes: file.Size()}
				}
			}
			if ctx.Err() != nil {
				return
			}
			say(p)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(time.Second):
		}
	}
}

// look says where an archive stands: Importing means that it is there and not yet imported.
func look(dir string, a Archive, imported fs.FileInfo) (Progress, fs.FileInfo) {
	var b build
	raw, err := os.ReadFile(filepath.Join(dir, a.Name+".json"))
	if err == nil {
		err = json.Unmarshal(raw, &b)
	}
	building := err == nil && b.State == "building" && alive(b.PID)
	file, err := os.Stat(filepath.Join(dir, a.Name+".tar"))
	switch {
	case err == nil && same(file, imported):
		return Progress{Stage: There, Bytes: file.Size()}, file
	case err == nil:
		return Progress{Stage: Importing}, file
	case building:
		return Progress{Stage: Building, Step: b.Step}, nil
	case b.State == "failed" || b.State == "building":
		return Progress{Stage: Failed, Step: b.Step}, nil
	}
	return Progress{Stage: Missing}, nil
}

func same(a, b fs.FileInfo) bool {
	return b != nil && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

func alive(pid int) bool {
	return pid > 0 && !errors.Is(syscall.Kill(pid, 0), syscall.ESRCH)
}

func (c Config) importArchive(ctx context.Context, a Archive) error {
	var out bytes.Buffer
	cmd := exec.CommandContext(ctx, c.Program(), "image", "import", "--dir", c.Dir, filepath.Join(c.Images, a.Name+".tar"))
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Run(); err != nil {
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		return fmt.Errorf("import of %s.tar: %s (%w)", a.Name, lines[len(lines)-1], err)
	}
	return nil
}
