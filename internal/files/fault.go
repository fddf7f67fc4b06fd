package files

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"github.com/goblinlab/goblinlab/internal/fault"
)

const clipped = 200

// clip makes a path fit into a message.
func clip(p string) string {
	p = Show(p)
	if r := []rune(p); len(r) > clipped {
		return "…" + string(r[len(r)-clipped:])
	}
	return p
}

func at(p string) fault.Args {
	if p == "." {
		p = "/"
	}
	return fault.Args{"path": clip(p)}
}

func bad(id, p string) error     { return fault.New(fault.InvalidArgument, id, at(p)) }
func missing(p string) error     { return fault.New(fault.NotFound, "files.missing", at(p)) }
func refuse(id, p string) error  { return fault.New(fault.FailedPrecondition, id, at(p)) }
func clashes(id, p string) error { return fault.New(fault.Conflict, id, at(p)) }

// explain turns what the kernel says about a path into words for people.
func explain(err error, p string) error {
	if err == nil || fault.Of(err) != nil {
		return err
	}
	pick := func() error {
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return missing(p)
		case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, context.Canceled):
			return fault.New(fault.Unavailable, "files.broke-off", nil)
		case errors.Is(err, syscall.ENOTDIR):
			return refuse("files.not-a-folder", p)
		case errors.Is(err, syscall.EISDIR):
			return refuse("files.is-a-folder", p)
		case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOTEMPTY):
			return clashes("files.exists", p)
		case errors.Is(err, fs.ErrPermission):
			return fault.New(fault.Forbidden, "files.permission", at(p))
		case errors.Is(err, syscall.EROFS):
			return fault.New(fault.Forbidden, "files.read-only", at(p))
		case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
			return fault.New(fault.ResourceExhausted, "files.full", at(p))
		case errors.Is(err, syscall.ENAMETOOLONG):
			return bad("files.name-long", p)
		case errors.Is(err, syscall.ELOOP):
			return refuse("files.link-loop", p)
		case errors.Is(err, syscall.ESTALE):
			return fault.New(fault.Unavailable, "files.stale", at(p))
		case strings.HasSuffix(err.Error(), escapes):
			return refuse("files.outside", p)
		}
		return fault.New(fault.Unavailable, "files.disk", at(p))
	}
	var f *fault.Error
	if errors.As(pick(), &f) {
		return f.Wrap(err)
	}
	return err
}

// escapes ends the errors of an os.Root about what leaves it; it has no value for them.
const escapes = "path escapes from parent"

// isDisk reports whether an error comes from the kernel about a file.
func isDisk(err error) bool {
	var p *fs.PathError
	var n syscall.Errno
	return errors.As(err, &p) || errors.As(err, &n)
}

// WireFault is a fault as it travels from the agent to the server, which says
// it in the reader's language.
type WireFault struct {
	Kind   fault.Kind    `json:"kind"`
	ID     string        `json:"id"`
	Args   fault.Args    `json:"args,omitempty"`
	Fields []fault.Field `json:"fields,omitempty"`
}

// Wire makes an error travel. What is no fault becomes an internal one; its
// cause stays behind.
func Wire(err error) WireFault {
	f := fault.Of(err)
	if f == nil {
		return WireFault{Kind: fault.Internal, ID: "api.internal"}
	}
	return WireFault{Kind: f.Kind, ID: f.ID, Args: f.Args, Fields: f.Fields}
}

// Err is the fault that travelled.
func (w WireFault) Err() error {
	return &fault.Error{Kind: w.Kind, ID: w.ID, Args: w.Args, Fields: w.Fields}
}
