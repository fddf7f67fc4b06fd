package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/remotecommand"
)

// Logs follows a container's log with the runtime's timestamps from a moment
// on (zero for its start; the API's moments are whole seconds).
func (c *Client) Logs(ctx context.Context, namespace, pod, container string, since time.Time, follow bool) (io.ReadCloser, error) {
	o := &corev1.PodLogOptions{Container: container, Follow: follow, Timestamps: true}
	if !since.IsZero() {
		t := metav1.NewTime(since)
		o.SinceTime = &t
	}
	r, err := c.CoreV1().Pods(namespace).GetLogs(pod, o).Stream(ctx)
	if err != nil {
		return nil, fmt.Errorf("log of %s/%s: %w", namespace, pod, err)
	}
	return r, nil
}

// Shell is a command inside a container with a terminal or without.
type Shell struct {
	Namespace, Pod, Container string
	Command                   []string
	TTY                       bool
	Stdin                     io.Reader
	Stdout, Stderr            io.Writer // Stderr is not used with a TTY
	Sizes                     remotecommand.TerminalSizeQueue
}

// Exec runs a command in a container until it ends or ctx does.
func (c *Client) Exec(ctx context.Context, s Shell) error {
	u := c.podURL(s.Namespace, s.Pod, "exec", &corev1.PodExecOptions{
		Container: s.Container, Command: s.Command, TTY: s.TTY,
		Stdin: s.Stdin != nil, Stdout: s.Stdout != nil, Stderr: s.Stderr != nil && !s.TTY,
	})
	ws, err := remotecommand.NewWebSocketExecutor(c.REST, http.MethodGet, u.String())
	if err != nil {
		return fmt.Errorf("exec in %s/%s: %w", s.Namespace, s.Pod, err)
	}
	o := remotecommand.StreamOptions{Stdin: s.Stdin, Stdout: s.Stdout, Tty: s.TTY, TerminalSizeQueue: s.Sizes}
	if !s.TTY {
		o.Stderr = s.Stderr
	}
	return ws.StreamWithContext(ctx, o)
}

func (c *Client) podURL(namespace, pod, sub string, params any) *url.URL {
	r := c.CoreV1().RESTClient().Post().Resource("pods").Namespace(namespace).Name(pod).SubResource(sub)
	if o, ok := params.(*corev1.PodExecOptions); ok {
		r = r.VersionedParams(o, scheme.ParameterCodec)
	}
	return r.URL()
}
