package courier

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

const (
	lookEvery = 150 * time.Millisecond
	unstarted = 5 * time.Minute // an agent that does not run by then is given up
)

// errNotYet says that something is on its way.
var errNotYet = errors.New("not yet")

// ensure sees to it that an agent runs, and waits for its answer within ctx.
func (s *Service) ensure(ctx context.Context, a volume.Access) (*place, error) {
	image := s.Image()
	if image == "" {
		return nil, fault.New(fault.FailedPrecondition, "files.no-image", nil)
	}
	if s.Cache == nil || !s.Cache.Synced() {
		return nil, fault.New(fault.Unavailable, "files.no-cluster", nil)
	}
	var last error
	for {
		p, err := s.look(ctx, a, image)
		switch {
		case err == nil:
			return p, nil
		case fault.Of(err) != nil:
			return nil, err
		case ctx.Err() == nil || last == nil:
			last = err
		}
		select {
		case <-ctx.Done():
			return nil, s.late(ctx, a, last)
		case <-time.After(lookEvery):
		}
	}
}

// look goes one step towards an agent that answers.
func (s *Service) look(ctx context.Context, a volume.Access, image string) (*place, error) {
	f, err := s.object(a, image)
	if err != nil {
		return nil, err
	}
	job, err := s.job(ctx, f)
	if err != nil {
		return nil, err
	}
	data, err := s.credentials(ctx, f, job)
	if err != nil {
		return nil, err
	}
	pods, err := s.Kube.CoreV1().Pods(f.Namespace).List(ctx, metav1.ListOptions{LabelSelector: labels.Set{batchv1.JobNameLabel: f.Name}.String()})
	if err != nil {
		return nil, fmt.Errorf("pods of %s: %w", f.Name, err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if !metav1.IsControlledBy(pod, job) || pod.DeletionTimestamp != nil || pod.Status.Phase != corev1.PodRunning {
			continue
		}
		secret, tls, err := trust(data)
		if err != nil {
			return nil, err
		}
		p := newPlace(s.Reacher, Place{Namespace: f.Namespace, Pod: pod.Name, IP: pod.Status.PodIP, Secret: secret, TLS: tls})
		if err := p.ping(ctx); err != nil {
			p.close()
			return nil, err
		}
		return p, nil
	}
	return nil, errNotYet
}

// object is what the agent of a volume is.
func (s *Service) object(a volume.Access, image string) (manifest.Files, error) {
	v := a.Volume
	readOnly := a.Mode != volume.ReadWrite
	f := manifest.Files{
		Object: manifest.Object{Namespace: a.Namespace, Name: manifest.FilesName(v.ID, readOnly), ID: v.ID,
			OwnerID: v.OwnerID, TeamID: a.TeamID, Title: v.Name, Generation: v.Generation},
		Claim: a.Claim, ReadOnly: readOnly, Image: image,
	}
	claim, err := s.Cache.Claims.PersistentVolumeClaims(a.Namespace).Get(a.Claim)
	switch {
	case apierrors.IsNotFound(err):
		return f, errNotYet
	case err != nil:
		return f, fmt.Errorf("claim %s: %w", a.Claim, err)
	}
	f.Owner = &manifest.Owner{APIVersion: "v1", Kind: "PersistentVolumeClaim", Name: claim.Name, UID: string(claim.UID)}
	if v.AccessMode == entvolume.AccessModeReadWriteOnce {
		f.Node, err = s.holder(a)
	}
	return f, err
}

// holder is the node where a volume is mounted that one node alone can have
// (P19): under its claim here, or, when it is shared, under that of its own team.
func (s *Service) holder(a volume.Access) (string, error) {
	node, err := s.mountedOn(a.Namespace, a.Claim)
	if t := a.Volume.Edges.Team; err == nil && node == "" && t != nil && t.Namespace != a.Namespace {
		node, err = s.mountedOn(t.Namespace, a.Volume.ObjectName)
	}
	return node, err
}

func (s *Service) mountedOn(namespace, claim string) (string, error) {
	pods, err := s.Cache.Pods.Pods(namespace).List(labels.Everything())
	if err != nil {
		return "", fmt.Errorf("pods of %s: %w", namespace, err)
	}
	for _, p := range pods {
		if p.Spec.NodeName == "" || p.Status.Phase == corev1.PodSucceeded || p.Status.Phase == corev1.PodFailed {
			continue
		}
		for _, v := range p.Spec.Volumes {
			if c := v.PersistentVolumeClaim; c != nil && c.ClaimName == claim {
				return p.Spec.NodeName, nil
			}
		}
	}
	return "", nil
}

// job gives the agent's Job, made if there is none. One that has ended is on its
// way out; a new one has to wait until its name is free.
func (s *Service) job(ctx context.Context, f manifest.Files) (*batchv1.Job, error) {
	jobs := s.Kube.BatchV1().Jobs(f.Namespace)
	job, err := jobs.Get(ctx, f.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		job, err = jobs.Apply(ctx, manifest.FilesJob(f), kube.Apply)
		if apierrors.IsInvalid(err) || apierrors.IsConflict(err) { // another replica was faster, with another node
			return nil, errNotYet
		}
	}
	if err != nil {
		return nil, refused(err, f)
	}
	if job.DeletionTimestamp != nil {
		return nil, errNotYet
	}
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return nil, errors.Join(errNotYet, s.remove(ctx, job))
		}
	}
	return job, nil
}

func refused(err error, f manifest.Files) error {
	if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) {
		return fault.New(fault.Unavailable, "files.not-starting", fault.Args{"name": f.Title, "detail": err.Error()}).Wrap(err)
	}
	return fmt.Errorf("job %s: %w", f.Name, err)
}

func (s *Service) remove(ctx context.Context, job *batchv1.Job) error {
	background := metav1.DeletePropagationBackground
	err := s.Kube.BatchV1().Jobs(job.Namespace).Delete(ctx, job.Name, metav1.DeleteOptions{
		PropagationPolicy: &background, Preconditions: metav1.NewUIDPreconditions(string(job.UID))})
	if apierrors.IsNotFound(err) || apierrors.IsConflict(err) {
		return nil
	}
	return err
}

// credentials are those of the Job's agent, made if there are none: whoever made
// the Job may have been killed before.
func (s *Service) credentials(ctx context.Context, f manifest.Files, job *batchv1.Job) (map[string][]byte, error) {
	secrets := s.Kube.CoreV1().Secrets(f.Namespace)
	got, err := secrets.Get(ctx, f.Name, metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		data, err := newCredentials(time.Now())
		if err != nil {
			return nil, err
		}
		got, err = secrets.Apply(ctx, manifest.FilesSecret(f, string(job.UID), data), kube.Apply)
		if apierrors.IsInvalid(err) || apierrors.IsConflict(err) { // another replica was faster, and it cannot be changed
			return nil, errNotYet
		}
		if err != nil {
			return nil, fmt.Errorf("credentials of %s: %w", f.Name, err)
		}
		return got.Data, nil
	}
	if err != nil {
		return nil, fmt.Errorf("credentials of %s: %w", f.Name, err)
	}
	for _, o := range got.OwnerReferences {
		if o.UID == job.UID {
			return got.Data, nil
		}
	}
	// Those of an earlier Job, which Kubernetes has not removed yet.
	err = secrets.Delete(ctx, f.Name, metav1.DeleteOptions{Preconditions: metav1.NewUIDPreconditions(string(got.UID))})
	if err != nil && !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
		return nil, fmt.Errorf("credentials of %s: %w", f.Name, err)
	}
	return nil, errNotYet
}

// late says why there is no agent yet, as far as the cluster tells.
func (s *Service) late(ctx context.Context, a volume.Access, cause error) error {
	why := s.why(context.WithoutCancel(ctx), a)
	if why == nil {
		return fault.New(fault.Unavailable, "files.starting", fault.Args{"name": a.Volume.Name}).Wrap(cause)
	}
	return fault.New(fault.Unavailable, "files.not-starting", fault.Args{"name": a.Volume.Name,
		"detail": lang.Text(lang.From(ctx), "reason."+why.Code, why.Args)}).Wrap(cause)
}

// why is the reason of an agent that does not run; nil when none is known.
func (s *Service) why(_ context.Context, a volume.Access) *spec.Reason {
	if s.Waits != nil {
		if w := s.Waits(s.Image()); w != nil {
			return w
		}
	}
	if s.Cache == nil {
		return nil
	}
	name := manifest.FilesName(a.Volume.ID, a.Mode != volume.ReadWrite)
	e := reason.Evidence{Now: time.Now()}
	job, err := s.Cache.Jobs.Jobs(a.Namespace).Get(name)
	if err != nil {
		return a.Volume.Reason // perhaps its disk is not there yet
	}
	e.Job, e.Since = job, job.CreationTimestamp.Time
	var events []*corev1.Event
	events = append(events, s.Cache.Events(a.Namespace, "Job", name)...)
	pods, err := s.Cache.PodsOf(a.Namespace, batchv1.JobNameLabel, name)
	if err == nil {
		for _, p := range pods {
			if metav1.IsControlledBy(p, job) {
				e.Pod = p
				events = append(events, s.Cache.Events(a.Namespace, "Pod", p.Name)...)
			}
		}
	}
	if c, err := s.Cache.Claims.PersistentVolumeClaims(a.Namespace).Get(a.Claim); err == nil {
		e.Claims = append(e.Claims, *c)
		events = append(events, s.Cache.Events(a.Namespace, "PersistentVolumeClaim", c.Name)...)
	}
	for _, ev := range events {
		e.Events = append(e.Events, told(ev))
	}
	return reason.Files(e)
}

func told(e *corev1.Event) reason.Event {
	last := e.LastTimestamp.Time
	if e.EventTime.After(last) {
		last = e.EventTime.Time
	}
	if last.IsZero() {
		last = e.CreationTimestamp.Time
	}
	return reason.Event{Kind: e.InvolvedObject.Kind, Name: e.InvolvedObject.Name, Type: e.Type, Reason: e.Reason, Message: e.Message, Count: max(int(e.Count), 1), Last: last}
}

// Run removes agents that never began, until ctx ends: those that run end by themselves.
func (s *Service) Run(ctx context.Context) {
	t := time.NewTicker(time.Minute)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
			s.links.sweep()
			if err := s.Sweep(ctx); err != nil && ctx.Err() == nil {
				slog.Warn("agents of files not swept", "err", err)
			}
		}
	}
}

// Sweep removes agents that did not begin to run in time.
func (s *Service) Sweep(ctx context.Context) error {
	if s.Cache == nil || !s.Cache.Synced() {
		return nil
	}
	jobs, err := s.Cache.Jobs.List(labels.SelectorFromSet(labels.Set{manifest.LabelComponent: manifest.ComponentFiles}))
	if err != nil {
		return err
	}
	var errs []error
	for _, j := range jobs {
		if j.DeletionTimestamp != nil || time.Since(j.CreationTimestamp.Time) < unstarted || s.runs(j) {
			continue
		}
		errs = append(errs, s.remove(ctx, j))
	}
	return errors.Join(errs...)
}

func (s *Service) runs(j *batchv1.Job) bool {
	pods, err := s.Cache.PodsOf(j.Namespace, batchv1.JobNameLabel, j.Name)
	for _, p := range pods {
		if metav1.IsControlledBy(p, j) && p.Status.Phase == corev1.PodRunning {
			return true
		}
	}
	return err != nil
}
