package courier

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"strconv"

	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/files"
	"github.com/goblinlab/goblinlab/internal/files/agent"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// Freeze has a folder of a volume copied to where frozen copies are, for the
// platform itself: whoever calls has asked who may. It may be repeated.
func (s *Service) Freeze(ctx context.Context, a volume.Access, path, name string, most files.Bounds) (files.FrozenCopy, error) {
	var out files.FrozenCopy
	err := s.platform(ctx, a, agent.PathFreeze, query("path", files.Ref(path), "name", name,
		"files", strconv.FormatInt(most.Files, 10), "bytes", strconv.FormatInt(most.Bytes, 10)), &out)
	return out, err
}

// Thaw has a frozen copy removed; one that is gone is success.
func (s *Service) Thaw(ctx context.Context, a volume.Access, name string) error {
	return s.platform(ctx, a, agent.PathThaw, query("name", name), &struct{}{})
}

// platform asks an agent for what nobody else can, and reads the last line.
func (s *Service) platform(ctx context.Context, a volume.Access, path, query string, out any) error {
	resp, err := s.send(ctx, a, Request{Method: http.MethodPost, Path: path, Query: query, Body: http.NoBody})
	if err != nil {
		return err
	}
	if err := refusal(resp); err != nil {
		if f := fault.Of(err); f != nil && f.ID == "files.no-such" { // an agent of before an update, which ends when nobody asks it
			return fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(err)
		}
		return err
	}
	defer resp.Body.Close()
	return lastLine(resp.Body, out)
}

// lastLine reads an answer in lines to its end.
func lastLine(r io.Reader, out any) error {
	lines := bufio.NewScanner(io.LimitReader(r, maxLine))
	for lines.Scan() {
		var l struct {
			Done  bool             `json:"done"`
			Error *files.WireFault `json:"error"`
		}
		if err := json.Unmarshal(lines.Bytes(), &l); err != nil {
			return fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(err)
		}
		switch {
		case l.Error != nil:
			return l.Error.Err()
		case l.Done:
			return json.Unmarshal(lines.Bytes(), out)
		}
	}
	return fault.New(fault.Unavailable, "files.broke-off", nil).Wrap(errors.Join(lines.Err(), io.ErrUnexpectedEOF))
}
