package instance

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

const (
	appLogBytes   = 128 << 10
	appLogTimeout = 10 * time.Second
)

// AppLogLine is a line that an app inside of an instance wrote.
type AppLogLine struct {
	At   *time.Time // when; nil if the image does not say
	Text string
}

// AppLog is the end of what an app of a running instance wrote, oldest first, at
// most 128 KiB of it. The start-up program keeps it, without the secrets of the
// start. For the owner alone: it tells what they work on.
func (s *Service) AppLog(ctx context.Context, id, app string) ([]AppLogLine, error) {
	v, row, err := s.visible(ctx, id)
	if err != nil {
		return nil, err
	}
	if !v.MayConnect(row.TeamID, row.OwnerID) {
		return nil, fault.New(fault.Forbidden, "instance.not-yours", nil)
	}
	if !Started(row) {
		return nil, fault.New(fault.FailedPrecondition, "instance.no-log", nil)
	}
	unavailable := fault.New(fault.Unavailable, "instance.log-unavailable", nil)
	if s.Kube == nil {
		return nil, unavailable
	}
	ctx, stop := context.WithTimeout(ctx, appLogTimeout)
	defer stop()
	secret, err := s.LoginSecret(ctx, row)
	if err != nil {
		return nil, err
	}
	t, err := s.DB.Client.Team.Get(authz.AsSystem(ctx), row.TeamID)
	if err != nil {
		return nil, fmt.Errorf("team of instance %s: %w", id, err)
	}
	page := "/apps/" + url.PathEscape(app) + "/log?bytes=" + strconv.Itoa(appLogBytes)
	door := s.door(t.Namespace, PodName(row))
	defer door.CloseIdleConnections()
	body, status, err := get(ctx, door, page, secret.Password, appLogBytes)
	switch {
	case err != nil:
		return nil, unavailable.Wrap(err)
	case status == http.StatusNotFound:
		return nil, fault.New(fault.NotFound, "instance.no-app-log", fault.Args{"app": clip(app)})
	case status != http.StatusOK: // an image whose start-up program is older
		slog.InfoContext(ctx, "log of an app refused", "instance_id", id, "status", status)
		return nil, unavailable
	}
	return appLogLines(string(body)), nil
}

// appLogLines reads lines that begin with their time.
func appLogLines(text string) []AppLogLine {
	lines := []AppLogLine{}
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if !utf8.ValidString(line) {
			line = strings.ToValidUTF8(line, "\uFFFD")
		}
		stamp, rest, _ := strings.Cut(line, " ")
		if at, err := time.Parse(time.RFC3339, stamp); err == nil {
			lines = append(lines, AppLogLine{At: &at, Text: rest})
		} else {
			lines = append(lines, AppLogLine{Text: line})
		}
	}
	return lines
}
