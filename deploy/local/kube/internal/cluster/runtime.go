package cluster

import (
	"errors"
	"fmt"
	"os"
)

// Runtime is what runs the containers of a cluster.
type Runtime string

// The runtimes. The first gives real containers and needs root, the second local processes in user namespaces.
const (
	RuntimeContainerd Runtime = "containerd"
	RuntimeHost       Runtime = "host"
)

// Choice is a runtime with the reason for it.
type Choice struct {
	Runtime Runtime
	Reason  string
}

// Choose decides what runs the containers: what is wanted, or what this user can have.
func Choose(want string) (Choice, error) {
	root := os.Geteuid() == 0
	switch Runtime(want) {
	case "":
		if root {
			return Choice{RuntimeContainerd, "root runs it"}, nil
		}
		return Choice{RuntimeHost, "an ordinary user runs it, and containerd needs root"}, nil
	case RuntimeContainerd:
		if !root {
			return Choice{}, errors.New("--runtime: containerd needs root; leave it out, and containers are local processes with the image host only")
		}
		return Choice{RuntimeContainerd, "it was asked for"}, nil
	case RuntimeHost:
		if root {
			return Choice{}, errors.New("--runtime: host is for ordinary users: started by root its containers would have root's files; start it as another user")
		}
		return Choice{RuntimeHost, "it was asked for"}, nil
	}
	return Choice{}, fmt.Errorf("--runtime: %q, must be containerd or host", want)
}

// String is the choice as progress and status say it.
func (c Choice) String() string {
	what := "real containers by containerd"
	if c.Runtime == RuntimeHost {
		what = "containers are local processes with the machine as their only image, without limits and networks of their own"
	}
	return fmt.Sprintf("runtime %s, because %s: %s", c.Runtime, c.Reason, what)
}

// withRuntime keeps a cluster with the runtime that it was made with: each leaves files that the other cannot use.
func (s saved) withRuntime(r Runtime) (saved, error) {
	had := s.Runtime
	if had == "" {
		had = RuntimeContainerd
	}
	if len(s.Nodes) > 0 && had != r {
		return s, fmt.Errorf("the cluster in this folder was made with the runtime %s, and cannot go on with %s; wipe it, or choose another folder with --dir", had, r)
	}
	s.Runtime = r
	return s, nil
}
