package run

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	batchv1 "k8s.io/api/batch/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	entvolume "github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/kube"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/volume"
)

// refusal is why a Job cannot be made, now or ever.
type refusal struct{ spec.Reason }

func (r refusal) Error() string { return "refused: " + r.Code }

// build is the manifest of an attempt.
func (s *Service) build(ctx context.Context, r *loaded, a *AttemptState) (manifest.Attempt, error) {
	task, site := r.task.Spec, s.Config.Now()
	m := manifest.Attempt{
		Object: manifest.Object{
			Namespace: r.team.Namespace, Name: a.JobName, ID: a.ID, OwnerID: r.row.OwnerID, TeamID: r.team.ID,
			OwnerEmail: r.owner.Email, Title: r.row.Name, Generation: r.row.Generation,
		},
		Container: manifest.Container{
			Image: r.image.Reference, Command: task.Command, Args: task.Args, Resources: task.Resources, Overcommit: r.team.Overcommit.For(task.Class),
			Env: task.Env, TimeZone: site.Defaults.Timezone, PlatformURL: s.Config.PodURL,
			Scheduling: manifest.Scheduling{Online: manifest.Pool{Key: site.Pools.OnlineKey, Value: site.Pools.OnlineValue}},
		},
		RunID: r.row.ID, TaskID: r.task.ID, Number: a.Number, Class: task.Class, ImageID: r.image.ID,
		WorkingDir: task.WorkingDir, Timeout: task.Timeout, Grace: s.Tuning.Grace,
	}
	if f := task.Flow; f != nil {
		m.FlowID, m.LogicalTime = f.FlowID, f.LogicalTime
		if f.Scheduled {
			m.ExecMode = manifest.ModeScheduled
		}
	}
	var err error
	if s.Platform != nil {
		if m.Container.Platform, err = s.Platform.Mounts(ctx, r.team.ID); err != nil {
			return m, err
		}
	}
	if m.PullSecrets, err = s.Secrets.PullNames(ctx, r.image); err != nil {
		return m, refused(err)
	}
	if m.WorkingDir == "" && task.Code == nil {
		m.WorkingDir = manifest.HomePath
	}
	home, err := volume.FindHome(ctx, s.DB.Client, r.team.ID, r.row.OwnerID, r.row.Inherited.Home())
	if err != nil {
		return m, missing(err, "home")
	}
	if home.Desired != entvolume.DesiredPresent {
		return m, refusal{spec.Reason{Code: reason.VolumeMissing, Args: map[string]any{"volume": "home"}}}
	}
	m.Home = home.ObjectName
	mounts := task.Mounts
	if task.Code != nil {
		mounts = append(mounts[:len(mounts):len(mounts)], spec.Mount{VolumeID: task.Code.VolumeID})
	}
	found, err := volume.Mounted(ctx, s.DB.Client, r.team.ID, r.row.OwnerID, mounts)
	if err != nil {
		return m, err
	}
	for _, mount := range mounts {
		if found[mount.VolumeID] == nil {
			return m, refusal{spec.Reason{Code: reason.VolumeMissing, Args: map[string]any{"volume": mount.VolumeID}}}
		}
	}
	for _, mount := range task.Mounts {
		m.Mounts = append(m.Mounts, manifest.Mount{Claim: found[mount.VolumeID].Claim(), Path: mount.Path, SubPath: mount.SubPath,
			ReadOnly: mount.ReadOnly || found[mount.VolumeID].ReadsOnly()})
	}
	if c := task.Code; c != nil {
		m.Code = &manifest.Code{Claim: found[c.VolumeID].Claim(), SubPath: c.SubPath, Writable: c.Writable && !found[c.VolumeID].ReadsOnly()}
		if frozen := task.Frozen; frozen != nil {
			m.Code.SubPath, m.Code.Writable = frozen.Path, false
		}
	}
	return m, nil
}

func missing(err error, name string) error {
	if notFound(err) {
		return refusal{spec.Reason{Code: reason.VolumeMissing, Args: map[string]any{"volume": name}}}
	}
	return fmt.Errorf("volume %s: %w", name, err)
}

// createJob makes the Job of an attempt. It is asked for only when there is
// none; if somebody else made it meanwhile, that is the one (P68).
func (s *Service) createJob(ctx context.Context, r *loaded, a *AttemptState) (*batchv1.Job, error) {
	m, err := s.build(ctx, r, a)
	if err != nil {
		return nil, err
	}
	made, err := s.deliver(ctx, r, &m)
	if err != nil {
		return nil, err
	}
	job, err := s.Kube.BatchV1().Jobs(m.Namespace).Apply(ctx, manifest.Job(m), kube.Apply)
	switch {
	case err == nil:
		return job, s.handOver(ctx, job, made)
	case apierrors.IsInvalid(err) || apierrors.IsBadRequest(err):
		// A template cannot change: then the Job is there, of another time.
		if job, gerr := s.Kube.BatchV1().Jobs(m.Namespace).Get(ctx, m.Name, metav1.GetOptions{}); gerr == nil {
			return job, nil
		}
		why := reason.Refusal(err.Error())
		if why == nil {
			why = &spec.Reason{Code: reason.PodRefused, Args: map[string]any{"detail": err.Error()}}
		}
		return nil, refusal{*why}
	}
	return nil, fmt.Errorf("apply job %s: %w", m.Name, err)
}

var background = metav1.DeletePropagationBackground

// killContainers lowers the pod's own deadline to what has passed: the kubelet
// ends its containers with their grace and keeps the pod.
func (s *Service) killContainers(ctx context.Context, namespace, pod string) error {
	_, err := s.Kube.CoreV1().Pods(namespace).Patch(ctx, pod, types.StrategicMergePatchType,
		[]byte(`{"spec":{"activeDeadlineSeconds":1}}`), metav1.PatchOptions{FieldManager: manifest.Manager})
	if err != nil && !apierrors.IsNotFound(err) {
		return fmt.Errorf("end containers of %s: %w", pod, err)
	}
	return nil
}

// remove deletes the Job of an attempt with its pods, and pods that lost their Job.
func (s *Service) remove(ctx context.Context, namespace, attemptID, job string) error {
	if err := s.removeSecrets(ctx, namespace, attemptID); err != nil {
		return err
	}
	err := s.Kube.BatchV1().Jobs(namespace).Delete(ctx, job, metav1.DeleteOptions{PropagationPolicy: &background})
	if err == nil {
		return nil // the pods follow
	}
	if !apierrors.IsNotFound(err) {
		return fmt.Errorf("delete job %s: %w", job, err)
	}
	pods, err := s.Kube.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: manifest.LabelAttemptID + "=" + attemptID})
	if err != nil {
		return fmt.Errorf("pods of %s: %w", attemptID, err)
	}
	for i := range pods.Items {
		p := &pods.Items[i]
		if p.DeletionTimestamp != nil {
			continue
		}
		if err := s.Kube.CoreV1().Pods(namespace).Delete(ctx, p.Name, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete pod %s: %w", p.Name, err)
		}
		slog.Info("pod without job deleted", "attempt_id", attemptID, "pod", p.Name)
	}
	return nil
}

func isRefusal(err error) *spec.Reason {
	var r refusal
	if errors.As(err, &r) {
		return &r.Reason
	}
	return nil
}
