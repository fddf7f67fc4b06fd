package devinit

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"os"
	"strconv"
	"strings"
	"time"
)

// Probe reports with nil that an app accepts connections, and else why not.
type Probe func(ctx context.Context, s Settings) error

// errSilent is the answer of a probe while nothing listens.
var errSilent = errors.New("nothing listens yet")

// listening asks the kernel whether a socket listens on the port. Unlike a
// connection it leaves no trace: sshd logs, and may punish, those who connect
// without signing in.
func listening(port int) Probe {
	return func(context.Context, Settings) error {
		for _, table := range []string{"/proc/self/net/tcp", "/proc/self/net/tcp6"} {
			f, err := os.Open(table)
			if errors.Is(err, fs.ErrNotExist) {
				continue // no IPv6
			}
			if err != nil {
				return fmt.Errorf("read sockets: %w", err)
			}
			found := hasListener(f, port)
			if err := f.Close(); err != nil {
				return fmt.Errorf("read sockets: %w", err)
			}
			if found {
				return nil
			}
		}
		return errSilent
	}
}

// hasListener reads the kernel's socket table (format: proc_pid_net(5)): the
// second column is the local address with the port in hexadecimal, the fourth
// the state, where 0A is LISTEN.
func hasListener(table io.Reader, port int) bool {
	lines := bufio.NewScanner(table)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || fields[3] != "0A" {
			continue
		}
		_, hex, _ := strings.Cut(fields[1], ":")
		if n, err := strconv.ParseUint(hex, 16, 16); err == nil && int(n) == port {
			return true
		}
	}
	return false
}

// probeClient asks the app itself: no proxy from the environment, no redirect,
// no connection that would be kept.
var probeClient = &http.Client{
	Timeout:       3 * time.Second,
	Transport:     &http.Transport{DisableKeepAlives: true},
	CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
}

// answers asks for a page of the app. Any answer counts but a server's error.
func answers(port int, path func(Settings) string) Probe {
	return func(ctx context.Context, s Settings) error {
		url := fmt.Sprintf("http://127.0.0.1:%d%s", port, path(s))
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		res, err := probeClient.Do(req)
		if err != nil {
			return errSilent
		}
		defer res.Body.Close()
		if res.StatusCode >= http.StatusInternalServerError {
			return fmt.Errorf("answers with %s", res.Status)
		}
		return nil
	}
}
