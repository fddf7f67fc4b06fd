// Package pulls tells how far a node is with the images that its pods wait for, in an event of each such pod: the kubelet
// says when a pull begins and when it is over, and nothing between.
package pulls

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"time"

	"github.com/distribution/reference"
	v1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/kubernetes"
	"k8s.io/klog/v2"
)

// Reason is that of the events.
const Reason = "PullProgress"

const (
	every  = 3 * time.Second
	repeat = 15 * time.Second // a pull that stands still is told again, for what is older than its last try does not count
)

// Config describes one node.
type Config struct {
	Node     string
	Importer string // path of the program that speaks with containerd
	Socket   string // of containerd
	Client   kubernetes.Interface
}

// underway is an image on its way, as the importer tells it.
type underway struct {
	Repository string `json:"repository"`
	Done       int64  `json:"done"`
	Total      int64  `json:"total"`
}

// Run tells until ctx ends. It looks at the runtime only while a pod waits for a container.
func Run(ctx context.Context, c Config) {
	w := &watcher{Config: c, told: map[string]*v1.Event{}}
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(every):
		}
		if err := w.look(ctx, time.Now()); err != nil && ctx.Err() == nil {
			klog.FromContext(ctx).Info("Progress of pulls is not told", "node", c.Node, "reason", err.Error())
		}
	}
}

// watcher remembers what it told, and for how long there was nothing to tell.
type watcher struct {
	Config
	told map[string]*v1.Event
	seen string // the pods that waited
	idle int    // rounds without a pull for them
	skip int    // rounds to pass over
}

func (c *watcher) look(ctx context.Context, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	list, err := c.Client.CoreV1().Pods("").List(ctx, metav1.ListOptions{
		FieldSelector:   fields.AndSelectors(fields.OneTermEqualSelector("spec.nodeName", c.Node), fields.OneTermEqualSelector("status.phase", string(v1.PodPending))).String(),
		ResourceVersion: "0", // from the API server's memory
	})
	if err != nil {
		return fmt.Errorf("list the pods that wait: %w", err)
	}
	waiting := waitingFor(list.Items)
	if len(waiting) == 0 {
		clear(c.told)
		c.seen = ""
		return nil
	}
	if c.rests(waiting) {
		return nil
	}
	out, err := exec.CommandContext(ctx, c.Importer, "pulling", "--address", c.Socket).Output()
	if err != nil {
		return fmt.Errorf("%s: %w", c.Importer, err)
	}
	var all []underway
	if err := json.Unmarshal(out, &all); err != nil {
		return fmt.Errorf("%s: %w", c.Importer, err)
	}
	if c.idle++; len(all) > 0 {
		c.idle = 0
	}
	c.skip = min(c.idle, maxSkip)
	for _, u := range all {
		for _, w := range waiting {
			if repository(w.image) != u.Repository {
				continue
			}
			if err := c.tell(ctx, w, u, now); err != nil {
				return err
			}
		}
	}
	return nil
}

// maxSkip is how many rounds pass at most between looks for pods that wait for something else than a pull, as one whose
// image does not exist does for hours.
const maxSkip = 9

// rests reports that a look would most likely find nothing, as the ones before did for the same pods.
func (c *watcher) rests(waiting []wait) bool {
	var key strings.Builder
	for _, w := range waiting {
		key.WriteString(string(w.pod.UID) + " " + w.image + "\n")
	}
	if key.String() != c.seen {
		c.seen, c.idle, c.skip = key.String(), 0, 0
		return false
	}
	if c.skip > 0 {
		c.skip--
		return true
	}
	return false
}

// wait is a pod that has an image without a container yet.
type wait struct {
	pod   *v1.Pod
	image string
}

func waitingFor(pods []v1.Pod) []wait {
	var out []wait
	for i := range pods {
		p := &pods[i]
		images := map[string]string{}
		for _, c := range slices.Concat(p.Spec.InitContainers, p.Spec.Containers) {
			images[c.Name] = c.Image
		}
		for _, s := range slices.Concat(p.Status.InitContainerStatuses, p.Status.ContainerStatuses) {
			if s.State.Waiting != nil && s.ImageID == "" && images[s.Name] != "" {
				out = append(out, wait{pod: p, image: images[s.Name]})
			}
		}
	}
	return out
}

// repository is an image's name without tag, and without the port of its registry, which the runtime does not note.
func repository(image string) string {
	named, err := reference.ParseDockerRef(image)
	if err != nil {
		return image
	}
	host, _, _ := strings.Cut(reference.Domain(named), ":")
	return host + "/" + reference.Path(named)
}

// tell writes one event per pod and image, and then changes it.
func (c *watcher) tell(ctx context.Context, w wait, u underway, now time.Time) error {
	sum := sha256.Sum256([]byte(string(w.pod.UID) + " " + w.image))
	key := hex.EncodeToString(sum[:8])
	events := c.Client.CoreV1().Events(w.pod.Namespace)
	message := fmt.Sprintf("Pulling image %q: %d of %d bytes", w.image, u.Done, u.Total)
	e := c.told[key]
	if e == nil {
		e = &v1.Event{
			ObjectMeta: metav1.ObjectMeta{Namespace: w.pod.Namespace, Name: w.pod.Name + ".pull-" + key},
			InvolvedObject: v1.ObjectReference{APIVersion: "v1", Kind: "Pod", Namespace: w.pod.Namespace, Name: w.pod.Name, UID: w.pod.UID,
				ResourceVersion: w.pod.ResourceVersion},
			Type: v1.EventTypeNormal, Reason: Reason, Message: message, Count: 1,
			FirstTimestamp: metav1.NewTime(now), LastTimestamp: metav1.NewTime(now),
			Source: v1.EventSource{Component: "goblinlab-local", Host: c.Node}, ReportingController: "goblinlab-local", ReportingInstance: c.Node,
		}
		made, err := events.Create(ctx, e, metav1.CreateOptions{})
		if apierrors.IsAlreadyExists(err) { // from before a restart
			made, err = events.Get(ctx, e.Name, metav1.GetOptions{})
		}
		if err != nil {
			return fmt.Errorf("event of pod %s/%s: %w", w.pod.Namespace, w.pod.Name, err)
		}
		c.told[key] = made
		e = made
	}
	if e.Message == message && now.Sub(e.LastTimestamp.Time) < repeat {
		return nil
	}
	e = e.DeepCopy()
	e.Message, e.Count, e.LastTimestamp, e.ResourceVersion = message, e.Count+1, metav1.NewTime(now), ""
	made, err := events.Update(ctx, e, metav1.UpdateOptions{})
	if err != nil {
		delete(c.told, key) // it may have expired: the next round makes it anew
		return fmt.Errorf("event of pod %s/%s: %w", w.pod.Namespace, w.pod.Name, err)
	}
	c.told[key] = made
	return nil
}
