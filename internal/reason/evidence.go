package reason

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/goblinlab/goblinlab/internal/preflight"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Evidence is what is known about one instance or attempt. Only Now is
// required; whatever is missing makes the answer less specific, never wrong.
type Evidence struct {
	Now   time.Time
	Since time.Time // of this start or attempt; older events do not count

	Pod         *corev1.Pod
	StatefulSet *appsv1.StatefulSet
	Job         *batchv1.Job
	Claims      []corev1.PersistentVolumeClaim // those that the pod mounts
	Events      []Event                        // of the owner, the pod and the claims (P1)

	Requests  spec.Resources // of the pod, as the scheduler counts them
	Placement preflight.Placement
	Nodes     []preflight.Node
	NodeDown  bool // the pod's node does not answer

	ImageBytes map[string]int64 // sizes of images by name, as far as some node knows them

	Peaks map[string]int64 // the most memory that containers were seen to use, by name: a lower bound

	WaitingFor []string // apps that are not ready yet, as the start-up program says
	Log        []string // last lines of the main container, without secrets

	Stopped  bool // the platform asked for the end, for a user
	TimedOut bool // the platform ended it since its running time was over
	Expired  bool // the platform ended it since it waited too long for its container
}

// Event is an event of the cluster.
type Event struct {
	Kind    string // of the object: Pod, StatefulSet, Job, PersistentVolumeClaim
	Name    string
	Type    string // Normal or Warning
	Reason  string
	Message string
	Count   int
	Last    time.Time
}
