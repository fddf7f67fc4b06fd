// Package oom tells how much memory a container had taken when it used it up, in an event of its pod: Kubernetes keeps
// neither the peak nor that anything happened when the container outlives it, and the kernel forgets the peak with the
// container's cgroup.
package oom

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"time"

	taskevents "github.com/containerd/containerd/api/events"
	"github.com/containerd/containerd/api/services/containers/v1"
	"github.com/containerd/containerd/api/services/events/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// Reason is that of the events.
const Reason = "OutOfMemory"

const again = time.Second // until a runtime that went away is asked once more

// Config describes one node.
type Config struct {
	Node   string
	Socket string // of containerd
	Client kubernetes.Interface
}

// Run tells until ctx ends.
func Run(ctx context.Context, c Config) {
	for ctx.Err() == nil {
		if err := c.follow(ctx); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Info("Memory that was used up is not told", "node", c.Node, "reason", err.Error())
		}
		select {
		case <-ctx.Done():
		case <-time.After(again):
		}
	}
}

// follow hears of containers from containerd until the connection breaks.
func (c Config) follow(ctx context.Context) error {
	conn, err := grpc.NewClient("unix://"+c.Socket, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer conn.Close()
	ctx = metadata.AppendToOutgoingContext(ctx, "containerd-namespace", "k8s.io")
	stream, err := events.NewEventsClient(conn).Subscribe(ctx, &events.SubscribeRequest{Filters: []string{`topic=="/tasks/oom"`}})
	if err != nil {
		return err
	}
	for {
		envelope, err := stream.Recv()
		if err != nil {
			return err
		}
		var e taskevents.TaskOOM
		if err := envelope.GetEvent().UnmarshalTo(&e); err != nil {
			return err
		}
		// At once: the container's cgroup goes with its last process.
		who, err := look(ctx, containers.NewContainersClient(conn), e.ContainerID)
		if err == nil && who.name != "" {
			err = c.tell(ctx, who, time.Now())
		}
		if err != nil {
			klog.FromContext(ctx).Info("Memory that was used up is not told", "node", c.Node, "container", e.ContainerID, "reason", err.Error())
		}
	}
}

// container is one that used up its memory.
type container struct {
	id, name       string
	namespace, pod string
	uid            types.UID
	peak, limit    int64 // bytes; 0: unknown
}

func look(ctx context.Context, client containers.ContainersClient, id string) (container, error) {
	got, err := client.Get(ctx, &containers.GetContainerRequest{ID: id})
	if err != nil {
		return container{}, err
	}
	return read(got.GetContainer(), hierarchy())
}

// hierarchy is where this machine keeps the cgroups that count memory.
func hierarchy() string {
	const root = "/sys/fs/cgroup"
	if v1 := filepath.Join(root, "memory"); exists(v1) {
		return v1
	}
	return root
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// read puts together what is known of a container. Its pod's cgroup, which stays a moment longer, stands in for its own.
func read(c *containers.Container, hierarchy string) (container, error) {
	var spec struct {
		Linux struct {
			CgroupsPath string `json:"cgroupsPath"`
			Resources   struct {
				Memory struct {
					Limit int64 `json:"limit"`
				} `json:"memory"`
			} `json:"resources"`
		} `json:"linux"`
	}
	if err := json.Unmarshal(c.GetSpec().GetValue(), &spec); err != nil {
		return container{}, fmt.Errorf("spec of container %s: %w", c.GetID(), err)
	}
	l := c.GetLabels()
	out := container{id: c.GetID(), name: l["io.kubernetes.container.name"], namespace: l["io.kubernetes.pod.namespace"],
		pod: l["io.kubernetes.pod.name"], uid: types.UID(l["io.kubernetes.pod.uid"]), limit: spec.Linux.Resources.Memory.Limit}
	if spec.Linux.CgroupsPath == "" {
		return out, nil
	}
	own := filepath.Join(hierarchy, spec.Linux.CgroupsPath)
	if out.peak = peak(own); out.peak == 0 {
		out.peak = peak(filepath.Dir(own))
		if out.limit > 0 {
			out.peak = min(out.peak, out.limit) // what was there beside it counts as well
		}
	}
	return out, nil
}

// peak is the most that a cgroup ever held, in bytes; 0 when it is gone.
func peak(cgroup string) int64 {
	for _, file := range []string{"memory.peak", "memory.max_usage_in_bytes"} {
		b, err := os.ReadFile(filepath.Join(cgroup, file))
		if err != nil {
			continue
		}
		if n, err := strconv.ParseInt(string(bytes.TrimSpace(b)), 10, 64); err == nil {
			return n
		}
	}
	return 0
}

// tell writes one event per container, and counts in it.
func (c Config) tell(ctx context.Context, who container, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	sum := sha256.Sum256([]byte(string(who.uid) + " " + who.id))
	api := c.Client.CoreV1().Events(who.namespace)
	message := fmt.Sprintf("Container %s used up its memory: peak %d of %d bytes", who.name, who.peak, who.limit)
	e := &v1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: who.namespace, Name: who.pod + ".oom-" + hex.EncodeToString(sum[:8])},
		InvolvedObject: v1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: who.namespace, Name: who.pod, UID: who.uid},
		Type:           v1.EventTypeWarning, Reason: Reason, Message: message, Count: 1,
		FirstTimestamp: metav1.NewTime(now), LastTimestamp: metav1.NewTime(now),
		Source: v1.EventSource{Component: "goblinlab-local", Host: c.Node}, ReportingController: "goblinlab-local", ReportingInstance: c.Node,
	}
	_, err := api.Create(ctx, e, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	old, err := api.Get(ctx, e.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	old.Message, old.Count, old.LastTimestamp = message, old.Count+1, e.LastTimestamp
	_, err = api.Update(ctx, old, metav1.UpdateOptions{})
	return err
}
