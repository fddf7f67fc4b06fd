// Command goblinlab-policy is a CNI plug-in that comes after the one which connects a pod. It tells the local cluster which
// address the pod got, and lets the pod start when the cluster says that the network policies about it are in force. When
// the cluster does not say so the pod does not start, and the kubelet tries again.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/containernetworking/cni/pkg/skel"
	"github.com/containernetworking/cni/pkg/types"
	current "github.com/containernetworking/cni/pkg/types/100"
	"github.com/containernetworking/cni/pkg/version"
)

const (
	// limit is how long the cluster may take, a start of the cluster included.
	limit      = 30 * time.Second
	retry      = 50 * time.Millisecond
	answerSize = 4 << 10 // bytes
)

// conf is the plug-in's part of the network configuration.
type conf struct {
	types.PluginConf
	Socket string `json:"socket"`
}

// podArgs are those of the kubelet.
type podArgs struct {
	types.CommonArgs
	K8S_POD_NAMESPACE, K8S_POD_NAME, K8S_POD_UID types.UnmarshallableString //nolint:revive,staticcheck // names of the CNI
}

// claim is what the cluster is told.
type claim struct {
	Namespace string `json:"namespace"`
	Name      string `json:"name"`
	UID       string `json:"uid"`
	IP        string `json:"ip"`
}

func main() {
	nothing := func(*skel.CmdArgs) error { return nil }
	skel.PluginMainFuncs(skel.CNIFuncs{Add: add, Del: nothing, Check: nothing}, version.All, "goblinlab-policy")
}

func add(args *skel.CmdArgs) error {
	c, result, err := parse(args.StdinData)
	if err != nil {
		return err
	}
	var pod podArgs
	if err := types.LoadArgs(args.Args, &pod); err != nil {
		return fmt.Errorf("arguments: %w", err)
	}
	ip, err := address(result)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	if err := announce(ctx, c.Socket, claim{
		Namespace: string(pod.K8S_POD_NAMESPACE), Name: string(pod.K8S_POD_NAME), UID: string(pod.K8S_POD_UID), IP: ip,
	}); err != nil {
		return fmt.Errorf("network policies are not in force, so the pod must not start: %w", err)
	}
	return types.PrintResult(result, c.CNIVersion)
}

func parse(stdin []byte) (conf, *current.Result, error) {
	var c conf
	if err := json.Unmarshal(stdin, &c); err != nil {
		return c, nil, fmt.Errorf("configuration: %w", err)
	}
	if c.Socket == "" {
		return c, nil, errors.New("configuration: socket must be given")
	}
	if err := version.ParsePrevResult(&c.PluginConf); err != nil {
		return c, nil, fmt.Errorf("result of the plug-in before: %w", err)
	}
	if c.PrevResult == nil {
		return c, nil, errors.New("configuration: must come after a plug-in that connects the pod")
	}
	result, err := current.NewResultFromResult(c.PrevResult)
	return c, result, err
}

// address is the pod's IPv4 address.
func address(r *current.Result) (string, error) {
	for _, ip := range r.IPs {
		if v4 := ip.Address.IP.To4(); v4 != nil {
			return v4.String(), nil
		}
	}
	return "", errors.New("the pod has no IPv4 address")
}

// announce repeats the claim until the cluster takes it: it may be starting.
func announce(ctx context.Context, socket string, c claim) error {
	body, err := json.Marshal(c)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		var d net.Dialer
		return d.DialContext(ctx, "unix", socket)
	}}}
	for {
		err := post(ctx, client, body)
		var refused *refusal
		if err == nil || errors.As(err, &refused) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retry):
		}
	}
}

// refusal is an answer of the cluster that is not yes.
type refusal struct{ text string }

func (r *refusal) Error() string { return r.text }

func post(ctx context.Context, client http.Client, body []byte) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://cluster/claim", bytes.NewReader(body))
	if err != nil {
		return err
	}
	p, err := client.Do(q)
	if err != nil {
		return err
	}
	defer p.Body.Close()
	if p.StatusCode == http.StatusNoContent {
		return nil
	}
	text, _ := io.ReadAll(io.LimitReader(p.Body, answerSize)) // the status is enough
	return &refusal{text: p.Status + ": " + strings.TrimSpace(string(text))}
}
