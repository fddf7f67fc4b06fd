package devinit

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"text/tabwriter"
	"time"
)

// ErrNotReady is returned by Healthcheck while the instance cannot be used.
var ErrNotReady = errors.New("not ready")

// statusURL is the address of the status server of this container.
func statusURL(s Settings, path string) (string, error) {
	_, port, err := net.SplitHostPort(s.Status)
	if err != nil {
		return "", fmt.Errorf("%w: %s=%q: %w", ErrSettings, envStatus, s.Status, err)
	}
	return "http://127.0.0.1:" + port + path, nil
}

// ask gets a page of the status server.
func ask(ctx context.Context, s Settings, path string) (code int, body []byte, err error) {
	url, err := statusURL(s, path)
	if err != nil {
		return 0, nil, err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return 0, nil, err
	}
	res, err := probeClient.Do(req)
	if err != nil {
		return 0, nil, fmt.Errorf("goblin-init does not answer: %w", err)
	}
	defer res.Body.Close()
	body, err = io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res.StatusCode, body, err
}

// Healthcheck returns nil when the instance is ready.
func Healthcheck(ctx context.Context, s Settings) error {
	code, body, err := ask(ctx, s, "/readyz")
	if err != nil {
		return err
	}
	if code != http.StatusOK {
		return fmt.Errorf("%w: %s", ErrNotReady, strings.TrimSpace(string(body)))
	}
	return nil
}

// PrintApps writes the state of every app as a table.
func PrintApps(ctx context.Context, s Settings, w io.Writer) error {
	_, body, err := ask(ctx, s, "/apps")
	if err != nil {
		return err
	}
	var apps []AppStatus
	if err := json.Unmarshal(body, &apps); err != nil {
		return fmt.Errorf("read answer: %w", err)
	}
	table := tabwriter.NewWriter(w, 0, 8, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tPORT\tSTATE\tRESTARTS\tSINCE\tMESSAGE")
	for _, a := range apps {
		fmt.Fprintf(table, "%s\t%d\t%s\t%d\t%s\t%s\n",
			a.Name, a.Port, a.State, a.Restarts, a.Since.Format(time.RFC3339), a.Message)
	}
	return table.Flush()
}
