package check

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/goblinlab/goblinlab/internal/executor"
	"github.com/goblinlab/goblinlab/internal/executor/outside"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// webhdfs asks for a path's status. A standby answers 403 as somebody without
// rights does; both may change, so that both are waited for.
func (c Check) webhdfs(ctx context.Context, w WebHDFS) executor.Verdict {
	query := url.Values{"op": {"GETFILESTATUS"}}
	if w.User != "" {
		query.Set("user.name", w.User)
	}
	address := strings.TrimSuffix(w.URL, "/") + "/webhdfs/v1" + (&url.URL{Path: w.Path}).EscapedPath() + "?" + query.Encode()
	resp, why := c.Guard.Do(ctx, outside.Call{Method: http.MethodGet, URL: address})
	switch {
	case why != nil:
		return unless(*why)
	case resp.Status == http.StatusOK:
		return executor.Verdict{Answer: executor.Done}
	case resp.Status == http.StatusNotFound:
		return executor.Wait(spec.Reason{Code: "check-path-none", Args: map[string]any{"path": w.Path}})
	}
	return executor.Wait(spec.Reason{Code: "call-status", Args: map[string]any{"status": resp.Status, "expected": "200"}})
}
