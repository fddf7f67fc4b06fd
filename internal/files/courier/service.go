package courier

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/audit"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/files/agent"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Volumes says who gets at the files of a volume; volume.Service.
type Volumes interface {
	Access(ctx context.Context, id string) (volume.Access, error)
}

// Deps are what the service works with.
type Deps struct {
	DB      *db.DB
	Volumes Volumes
	Kube    *kube.Client
	Cache   *kube.Cache
	Reacher Reacher
	Image   func() string                       // of the agent; empty for none
	Waits   func(reference string) *spec.Reason // why an image cannot be used yet; nil for always
	Wait    time.Duration                       // for an agent that starts; 0 for 25 s

	// Find finds agents in another way than in pods, for tests.
	Find func(ctx context.Context, a volume.Access) (Place, error)
}

// Service brings requests to the files of volumes.
type Service struct {
	Deps
	links     links
	downloads goneOn
}

// New makes a Service.
func New(d Deps) *Service {
	if d.Wait <= 0 {
		d.Wait = 25 * time.Second
	}
	return &Service{Deps: d}
}

// openWithin is how long Open waits: it tells how things stand.
const openWithin = time.Second

// Opening tells how a volume is opened.
type Opening struct {
	Mode  volume.Mode
	Ready bool
	Why   error // why it is not ready
}

// Open starts the agent of a volume if there is none, and tells how things stand.
func (s *Service) Open(ctx context.Context, volumeID string) (Opening, error) {
	a, err := s.access(ctx, volumeID, false)
	if err != nil {
		return Opening{}, err
	}
	within, stop := context.WithTimeout(ctx, openWithin)
	defer stop()
	_, _, err = s.agent(within, a)
	if err != nil && fault.KindOf(err) != fault.Unavailable {
		return Opening{}, err
	}
	return Opening{Mode: a.Mode, Ready: err == nil, Why: err}, nil
}

func (s *Service) access(ctx context.Context, id string, write bool) (volume.Access, error) {
	if _, err := authz.Require(ctx); err != nil {
		return volume.Access{}, err
	}
	if !ident.Is(ident.Volume, id) && !ident.Is(ident.Share, id) { // a share is a volume of somebody else's
		return volume.Access{}, fault.Missing("volume", id)
	}
	a, err := s.Volumes.Access(ctx, id)
	if err == nil && write {
		err = a.Writable(ctx)
	}
	return a, err
}

// Request is one for the files of a volume.
type Request struct {
	Method, Path string // below the volume, as "/list"
	Query        string
	Header       http.Header
	Body         io.Reader // nil for none
	Size         int64     // of the body, -1 when it is not known
}

// way is what a request may do.
type way struct {
	method, path string
	write        bool
	body         bool   // it brings something
	json         bool   // what it brings is small and looked at
	audit        string // what it is called in the audit log
}

// Way is a method with a path below a volume, for the account of who may use it.
type Way struct {
	Method, Path string
	Write        bool
}

// Ways are all of them, beside the one that opens a volume.
func Ways() []Way {
	out := make([]Way, len(ways))
	for i, w := range ways {
		out[i] = Way{w.method, w.path, w.write || w.path == "/copy"}
	}
	return out
}

const oneUpload = "/uploads/{id}"

// ways are all of them; what is not here is not passed on.
var ways = []way{
	{method: http.MethodGet, path: "/list"},
	{method: http.MethodGet, path: "/stat"},
	{method: http.MethodGet, path: "/text"},
	{method: http.MethodGet, path: "/table"},
	{method: http.MethodGet, path: "/notebook"},
	{method: http.MethodGet, path: "/image"},
	{method: http.MethodGet, path: "/checksum"},
	{method: http.MethodGet, path: "/usage"},
	{method: http.MethodGet, path: "/search"},
	{method: http.MethodGet, path: "/content", audit: "files.download"},
	{method: http.MethodHead, path: "/content"},
	{method: http.MethodGet, path: "/archive", audit: "files.download"},
	{method: http.MethodPut, path: "/content", write: true, body: true, audit: "files.write"},
	{method: http.MethodPost, path: "/folder", write: true, audit: "files.folder"},
	{method: http.MethodPost, path: "/move", write: true, body: true, json: true, audit: "files.move"},
	{method: http.MethodPost, path: "/copy", body: true, json: true, audit: "files.copy"}, // where it writes is in its body
	{method: http.MethodDelete, path: "/entry", write: true, audit: "files.delete"},
	{method: http.MethodGet, path: "/uploads", write: true},
	{method: http.MethodPost, path: "/uploads", write: true, body: true, json: true},
	{method: http.MethodGet, path: oneUpload, write: true},
	{method: http.MethodHead, path: oneUpload, write: true},
	{method: http.MethodPatch, path: oneUpload, write: true, body: true},
	{method: http.MethodPost, path: oneUpload + "/finish", write: true, audit: "files.upload"},
	{method: http.MethodDelete, path: oneUpload, write: true},
}

func find(method, path string) (way, bool) {
	shape := path
	if rest, ok := strings.CutPrefix(path, "/uploads/"); ok {
		id, tail, more := strings.Cut(rest, "/")
		if id == "" || strings.ContainsAny(id, "?#%") {
			return way{}, false
		}
		shape = oneUpload
		if more {
			shape += "/" + tail
		}
	}
	i := slices.IndexFunc(ways, func(w way) bool { return w.method == method && w.path == shape })
	if i < 0 {
		return way{}, false
	}
	return ways[i], true
}

// passed are the headers that a request's agent gets.
var passed = []string{"Range", "If-Range", "If-Match", "If-None-Match", agent.HeaderOffset, "Content-Type"}

const maxJSON = 64 << 10

// Refusal is an error of the agent's with what a client goes on with.
type Refusal struct {
	Err    error
	Offset string // where an upload stands; empty when it is about none
}

// Error says it.
func (r *Refusal) Error() string { return r.Err.Error() }

// Unwrap gives the fault.
func (r *Refusal) Unwrap() error { return r.Err }

// Do carries a request to the files of a volume and gives the answer, whose
// Body is to be closed.
func (s *Service) Do(ctx context.Context, volumeID string, q Request) (*Answer, error) {
	w, ok := find(q.Method, q.Path)
	if !ok {
		if _, err := s.access(ctx, volumeID, false); err != nil {
			return nil, err
		}
		return nil, fault.New(fault.NotFound, "files.no-such", nil)
	}
	a, err := s.access(ctx, volumeID, w.write)
	if err != nil {
		return nil, err
	}
	var in []byte
	switch {
	case !w.body:
		q.Body, q.Size = nil, 0
	case q.Body == nil:
		q.Body, q.Size = http.NoBody, 0
	case w.json:
		in, err = io.ReadAll(io.LimitReader(q.Body, maxJSON+1))
		if err != nil || len(in) > maxJSON {
			return nil, fault.New(fault.InvalidArgument, "files.json", nil).Wrap(err)
		}
		q.Body, q.Size = bytes.NewReader(in), int64(len(in))
	}
	e := entry(w, q, in)
	if w.path == "/copy" {
		return s.copy(ctx, a, q, in, e)
	}
	resp, err := s.send(ctx, a, q)
	if err != nil {
		return nil, err
	}
	return s.answer(ctx, resp, w, q, e, a)
}

// send finds the agent and asks it; what brings nothing is asked again when the
// agent had just ended.
func (s *Service) send(ctx context.Context, a volume.Access, q Request) (*http.Response, error) {
	h := http.Header{}
	for _, k := range passed {
		if v := q.Header.Values(k); len(v) > 0 {
			h[http.CanonicalHeaderKey(k)] = v
		}
	}
	if v := authz.From(ctx); v != nil {
		h.Set(agent.HeaderActor, v.UserID)
	}
	for again := false; ; again = true {
		within, stop := context.WithTimeout(ctx, s.Wait)
		p, l, err := s.agent(within, a)
		stop()
		if err != nil {
			return nil, err
		}
		resp, err := p.send(ctx, q.Method, q.Path, q.Query, h, q.Body, q.Size)
		if err == nil && resp.StatusCode == http.StatusUnauthorized { // another agent under the name
			resp.Body.Close()
			err = errors.New("the agent does not know us")
		}
		if err == nil {
			l.answered(p)
			return resp, nil
		}
		l.lost(p)
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if q.Body != nil || again || q.Method != http.MethodGet && q.Method != http.MethodHead {
			return nil, fault.New(fault.Unavailable, "files.broken", fault.Args{"name": a.Volume.Name}).Wrap(err)
		}
	}
}

// copy copies within the volume, or to another one: then the archive of the one
// streams through us into the other.
func (s *Service) copy(ctx context.Context, from volume.Access, q Request, in []byte, e audit.Entry) (*Answer, error) {
	var t agent.Transfer
	if err := json.Unmarshal(in, &t); err != nil {
		return nil, fault.New(fault.InvalidArgument, "files.json", nil)
	}
	w, _ := find(q.Method, q.Path)
	if t.ToVolume == "" || t.ToVolume == from.Volume.ID {
		if err := from.Writable(ctx); err != nil {
			return nil, err
		}
		t.ToVolume = ""
		b, err := json.Marshal(t)
		if err != nil {
			return nil, err
		}
		q.Body, q.Size = bytes.NewReader(b), int64(len(b))
		resp, err := s.send(ctx, from, q)
		if err != nil {
			return nil, err
		}
		return s.answer(ctx, resp, w, q, e, from)
	}
	to, err := s.access(ctx, t.ToVolume, true)
	if err != nil {
		return nil, err
	}
	source, err := s.send(ctx, from, Request{Method: http.MethodGet, Path: "/archive", Query: query("path", t.From, "format", files.Tar)})
	if err != nil {
		return nil, err
	}
	if err := refusal(source); err != nil {
		return nil, err
	}
	replace := ""
	if t.Replace {
		replace = "1"
	}
	resp, err := s.send(ctx, to, Request{Method: http.MethodPost, Path: "/unpack", Query: query("path", t.To, "replace", replace), Body: source.Body, Size: -1})
	if err != nil {
		source.Body.Close()
		return nil, err
	}
	ans, err := s.answer(ctx, resp, w, q, e, from, to)
	if err != nil {
		source.Body.Close()
		return nil, err
	}
	ans.closers = append(ans.closers, source.Body)
	return ans, nil
}

// query makes a query of names and values, which are refs where they are paths.
func query(pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v := pairs[i+1]
		if pairs[i] == "path" {
			if raw, err := url.PathUnescape(v); err == nil {
				v = raw
			}
		}
		q.Set(pairs[i], v)
	}
	return q.Encode()
}

// refusal is the fault that an agent's answer is, nil when it is none.
func refusal(resp *http.Response) error {
	if resp.Header.Get(agent.HeaderFault) == "" {
		switch {
		case resp.StatusCode >= http.StatusInternalServerError:
			resp.Body.Close()
			return fault.New(fault.Unavailable, "files.broke-off", nil)
		case resp.StatusCode == http.StatusNotFound || resp.StatusCode == http.StatusMethodNotAllowed: // an older agent
			resp.Body.Close()
			return fault.New(fault.NotFound, "files.no-such", nil)
		}
		return nil
	}
	defer resp.Body.Close()
	var w files.WireFault
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxJSON)).Decode(&w); err != nil {
		return fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(err)
	}
	return &Refusal{Err: w.Err(), Offset: resp.Header.Get(agent.HeaderOffset)}
}

// entry is what the audit log will say of a request.
func entry(w way, q Request, in []byte) audit.Entry {
	e := audit.Entry{Action: w.audit, After: map[string]any{}}
	if w.json {
		var t agent.Transfer
		if json.Unmarshal(in, &t) == nil {
			e.After["from"], e.After["to"] = shown(t.From), shown(t.To)
			if t.ToVolume != "" {
				e.After["toVolume"] = clip(t.ToVolume)
			}
		}
		return e
	}
	if v, err := url.ParseQuery(q.Query); err == nil && w.path != oneUpload+"/finish" {
		e.After["path"] = clip("/" + strings.TrimPrefix(v.Get("path"), "/"))
	}
	return e
}

func shown(ref string) string {
	raw, err := url.PathUnescape(ref)
	if err != nil {
		raw = ref
	}
	return clip("/" + strings.TrimPrefix(raw, "/"))
}

const maxShown = 1000

// clip makes a path fit into an entry.
func clip(p string) string {
	p = files.Show(p)
	if r := []rune(p); len(r) > maxShown {
		return string(r[:maxShown]) + "…"
	}
	return p
}

// record writes down what was done, for each volume that it was done to.
func (s *Service) record(ctx context.Context, e audit.Entry, to ...volume.Access) error {
	ctx, stop := context.WithTimeout(context.WithoutCancel(ctx), 10*time.Second)
	defer stop()
	err := s.DB.Tx(ctx, func(tx *ent.Tx) error {
		for _, a := range to {
			e.TeamID, e.ObjectID = a.TeamID, a.Volume.ID
			if err := audit.Record(ctx, tx, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		slog.Error("what was done to files is not written down", "action", e.Action, "volume_id", e.ObjectID, "err", err)
	}
	return err
}
