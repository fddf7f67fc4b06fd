package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"
)

// What the server takes; docs/adr/0016-files.md.
const (
	chunkBytes = 8 << 20
	smallBytes = 1 << 20
)

// remote is a path in a volume.
type remote struct {
	c      *client
	volume string // its id
	path   string // from the root, not encoded, without a slash at either end
}

func (r remote) at(p string) remote { r.path = p; return r }

func (r remote) in(name string) remote {
	return r.at(strings.TrimPrefix(r.path+"/"+name, "/"))
}

// ref is a path as it travels: percent-encoded, each byte of it.
func ref(p string) string {
	parts := strings.Split(p, "/")
	for i := range parts {
		parts[i] = strings.ReplaceAll(url.QueryEscape(parts[i]), "+", "%20")
	}
	return strings.Join(parts, "%2F")
}

type remoteEntry struct {
	Name, Ref, Kind, ETag string
	Size                  int64
}

type remoteUpload struct {
	ID, Ref, SHA256 string
	Size, Offset    int64
	Done            bool
}

// refused is an answer that did not do it.
type refused struct {
	status int
	code   string
	id     string
	offset int64 // where an upload stands, -1 when the answer does not say
	text   string
}

func (r *refused) Error() string { return r.text }

func isStatus(err error, status int) bool {
	var r *refused
	return errors.As(err, &r) && r.status == status
}

// passing reports whether an error may be gone in a moment.
func passing(err error) bool {
	var r *refused
	if errors.As(err, &r) {
		return r.status == http.StatusServiceUnavailable || r.status == http.StatusBadGateway || r.status == http.StatusGatewayTimeout || r.status == http.StatusTooManyRequests
	}
	var f failure
	return errors.As(err, &f) && f.exit == exitUnreachable
}

const quiet = 90 * time.Second // without a byte a connection counts as dead

// send asks for something of the volume. Whoever gets the answer closes it.
func (r remote) send(ctx context.Context, method, way string, q url.Values, body io.Reader, size int64, headers ...string) (*http.Response, error) {
	address := r.c.address + "/files/v1/volumes/" + r.volume + way
	if q == nil {
		q = url.Values{}
	}
	if method != http.MethodPost || way == "/folder" {
		q.Set("path", r.path)
	}
	address += "?" + q.Encode()
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(quiet, func() { cancel(errors.New("nothing came for " + quiet.String())) })
	alive := func() { timer.Reset(quiet) }
	if body != nil {
		body = &watched{Reader: body, alive: alive}
	}
	req, err := http.NewRequestWithContext(ctx, method, address, body)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	req.ContentLength = size
	for i := 0; i < len(headers); i += 2 {
		req.Header.Set(headers[i], headers[i+1])
	}
	req.Header.Set("User-Agent", clientID)
	req.Header.Set("Authorization", "Bearer "+r.c.token)
	res, err := r.c.http.Do(req)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			err = cause
		}
		timer.Stop()
		cancel(nil)
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, failf(exitUnreachable, "%s does not answer: %w", r.c.address, err)
	}
	res.Body = &watched{Reader: res.Body, alive: alive, end: func() error { timer.Stop(); cancel(nil); return nil }, close: res.Body}
	if res.StatusCode < 300 {
		return res, nil
	}
	defer res.Body.Close()
	b, _ := io.ReadAll(io.LimitReader(res.Body, maxAnswer))
	no := &refused{status: res.StatusCode, offset: -1}
	var said struct{ Message, Code, ID string }
	if json.Unmarshal(b, &said) == nil && said.Message != "" {
		no.text, no.code, no.id = said.Message, said.Code, said.ID
	} else {
		no.text = r.c.refusal(res.StatusCode, nil).Error()
	}
	if n, err := strconv.ParseInt(res.Header.Get("Upload-Offset"), 10, 64); err == nil {
		no.offset = n
	}
	exit := exitFailed
	if no.code == "UNAUTHENTICATED" {
		exit = exitSignedOut
	}
	return nil, failure{exit, no}
}

// watched tells of each byte.
type watched struct {
	io.Reader
	alive func()
	end   func() error
	close io.Closer
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	w.alive()
	return n, err
}

func (w *watched) Close() error {
	if w.close == nil {
		return nil
	}
	return errors.Join(w.close.Close(), w.end())
}

// ask is send for an answer of JSON.
func (r remote) ask(ctx context.Context, method, way string, q url.Values, in, out any, headers ...string) error {
	var body io.Reader
	var size int64
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body, size = bytes.NewReader(b), int64(len(b))
	}
	res, err := r.send(ctx, method, way, q, body, size, headers...)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if out == nil {
		return nil
	}
	if err := json.NewDecoder(res.Body).Decode(out); err != nil {
		return failf(exitUnreachable, "%s broke off its answer: %w", r.c.address, err)
	}
	return nil
}

// long is ask for an answer in lines: out gets the last one.
func (r remote) long(ctx context.Context, method, way string, in, out any) error {
	var body io.Reader
	var size int64
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return err
		}
		body, size = bytes.NewReader(b), int64(len(b))
	}
	res, err := r.send(ctx, method, way, nil, body, size)
	if err != nil {
		return err
	}
	defer res.Body.Close()
	s := bufio.NewScanner(res.Body)
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		var l struct {
			Done  bool
			Error *struct{ Message, Code string }
		}
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return failf(exitFailed, "%s does not answer as a GoblinLab does: %w", r.c.address, err)
		}
		if l.Error != nil {
			status := http.StatusBadRequest
			if l.Error.Code == "UNAVAILABLE" {
				status = http.StatusServiceUnavailable
			}
			return failure{exitFailed, &refused{status: status, code: l.Error.Code, offset: -1, text: l.Error.Message}}
		}
		if l.Done {
			return json.Unmarshal(s.Bytes(), out)
		}
	}
	return failf(exitUnreachable, "%s broke off its answer: %w", r.c.address, errors.Join(s.Err(), io.ErrUnexpectedEOF))
}

// stat tells what is at the path; nil for nothing.
func (r remote) stat(ctx context.Context) (*remoteEntry, error) {
	var e remoteEntry
	err := again(ctx, nil, func() error { return r.ask(ctx, http.MethodGet, "/stat", nil, nil, &e) })
	if isStatus(err, http.StatusNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return &e, nil
}

func (r remote) checksum(ctx context.Context) (string, error) {
	var sum struct{ SHA256 string }
	err := again(ctx, nil, func() error { return r.long(ctx, http.MethodGet, "/checksum", nil, &sum) })
	return sum.SHA256, err
}

// list visits what is in a folder, page by page.
func (r remote) list(ctx context.Context, visit func(name string, e remoteEntry) error) error {
	for after := ""; ; {
		var page struct {
			Entries []remoteEntry
			Next    string
		}
		q := url.Values{"limit": {"1000"}, "after": {after}}
		if err := again(ctx, nil, func() error { return r.ask(ctx, http.MethodGet, "/list", q, nil, &page) }); err != nil {
			return err
		}
		for _, e := range page.Entries {
			full, err := url.PathUnescape(e.Ref)
			if err != nil {
				return failf(exitFailed, "the server names a file %q", e.Ref)
			}
			name := path.Base(full)
			if name == "." || name == ".." || name == "/" || strings.ContainsRune(name, 0) || full != r.in(name).path {
				return failf(exitFailed, "the server names a file %q, which is not in the folder", full)
			}
			if err := visit(name, e); err != nil {
				return err
			}
		}
		if after = page.Next; after == "" {
			return nil
		}
	}
}

const mostTries = 8 // in a row that bring nothing

// again does something until it works or an error is there to stay. moved, if
// given, reports whether a try that failed brought something all the same.
func again(ctx context.Context, moved func() bool, do func() error) error {
	wait := time.Second
	for tries := 1; ; tries++ {
		err := do()
		if err == nil || !passing(err) || ctx.Err() != nil {
			return err
		}
		if moved != nil && moved() {
			tries, wait = 0, time.Second
		}
		if tries == mostTries {
			return fmt.Errorf("given up after %d tries: %w", mostTries, err)
		}
		if err := sleep(ctx, wait); err != nil {
			return err
		}
		wait = min(2*wait, 15*time.Second)
	}
}
