package graph

import (
	"time"

	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/instance"
	"github.com/goblinlab/goblinlab/ent/run"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// nouns are the kinds with a global id.
func nouns() map[string]map[string]field {
	return map[string]map[string]field{
		"User": {
			"id": text(func(o userM) string { return o.ID }), "email": text(func(o userM) string { return o.Email }),
			"displayName":  text(func(o userM) string { return o.DisplayName }),
			"platformRole": word(func(o userM) authz.PlatformRole { return o.PlatformRole }),
			"createdAt":    instant(func(o userM) time.Time { return o.CreatedAt }),
		},
		"Team": {
			"id": text(func(o teamM) string { return o.ID }), "name": text(func(o teamM) string { return o.Name }),
			"namespace":  text(func(o teamM) string { return o.Namespace }),
			"overcommit": child(func(o teamM) *spec.Overcommit { return &o.Overcommit }),
			"members":    children(func(o teamM) []*model.Membership { return o.Members }),
			"viewerRole": maybe(func(o teamM) *authz.Role { return o.ViewerRole }, func(b []byte, r authz.Role) []byte { return appendWord(b, string(r)) }),
			"reason":     child(teamM.Reason), "createdAt": instant(func(o teamM) time.Time { return o.CreatedAt }),
			"findings": children(teamM.Findings), "state": text(func(o teamM) string { return string(o.State()) }),
			"retention":  child(func(o teamM) *model.TeamRetention { return o.Retention }),
			"archivedAt": maybe(func(o teamM) *time.Time { return o.ArchivedAt }, model.AppendTime),
			"can":        child(func(o teamM) *model.TeamPermissions { return o.Can }),
		},
		"Image": {
			"id": text(func(o imageM) string { return o.ID }), "name": text(func(o imageM) string { return o.Name }),
			"reference": text(func(o imageM) string { return o.Reference }), "description": text(func(o imageM) string { return o.Description }),
			"framework": text(func(o imageM) string { return o.Framework }), "version": text(imageM.Version),
			"gpu": truth(func(o imageM) bool { return o.Gpu }), "development": truth(func(o imageM) bool { return o.Development }),
			"apps": words(imageM.Apps), "recommended": truth(func(o imageM) bool { return o.Recommended }),
			"deprecated": truth(func(o imageM) bool { return o.Deprecated }),
			"reason":     child(imageM.Reason),
			"sizeBytes":  maybe(func(o imageM) *int64 { return o.SizeBytes }, number64),
			"team":       child(func(o imageM) teamM { return o.Team }), "createdAt": instant(func(o imageM) time.Time { return o.CreatedAt }),
		},
		"Volume": {
			"id": text(func(o volumeM) string { return o.ID }), "name": text(func(o volumeM) string { return o.Name }),
			"kind": word(func(o volumeM) volume.Kind { return o.Kind }), "team": child(func(o volumeM) teamM { return o.Team }),
			"owner": child(func(o volumeM) userM { return o.Owner }), "sizeBytes": number(func(o volumeM) int64 { return o.SizeBytes }),
			"accessMode":   word(func(o volumeM) volume.AccessMode { return o.AccessMode }),
			"storageClass": text(func(o volumeM) string { return o.StorageClass }), "phase": word(func(o volumeM) volume.Phase { return o.Phase }),
			"reason": child(volumeM.Reason), "claim": text(volumeM.Claim),
			"usedBy":      children(func(o volumeM) []*model.VolumeUse { return o.UsedBy }),
			"description": text(func(o volumeM) string { return o.Description }), "capacityBytes": number(func(o volumeM) int64 { return o.CapacityBytes }),
			"adopted": truth(func(o volumeM) bool { return o.Adopted }), "trash": child(volumeM.Trash), "usage": child(volumeM.Usage),
			"can":       child(func(o volumeM) *model.VolumePermissions { return o.Can }),
			"createdAt": instant(func(o volumeM) time.Time { return o.CreatedAt }),
		},
		"Instance": {
			"id": text(func(o instanceM) string { return o.ID }), "name": text(func(o instanceM) string { return o.Name }),
			"team": child(func(o instanceM) teamM { return o.Team }), "owner": child(func(o instanceM) userM { return o.Owner }),
			"image":     child(func(o instanceM) imageM { return o.Image }),
			"resources": child(func(o instanceM) *spec.Resources { return &o.Spec.Resources }),
			"mounts":    children(instanceM.Mounts), "ports": inline(instanceM.Ports), "env": inline(instanceM.Env), "secrets": children(instanceM.Secrets),
			"state": word(func(o instanceM) instance.State { return o.State }), "reason": child(instanceM.Reason),
			"timeline": children(instanceM.Timeline), "starts": number(instanceM.Starts),
			"startedAt":      maybe(func(o instanceM) *time.Time { return o.StartedAt }, model.AppendTime),
			"readyAt":        maybe(func(o instanceM) *time.Time { return o.ReadyAt }, model.AppendTime),
			"restartToApply": truth(func(o instanceM) bool { return o.RestartToApply }), "node": text(func(o instanceM) string { return o.Node }),
			"apps": children(instanceM.Apps), "ssh": child(instanceM.SSH), "objectName": text(func(o instanceM) string { return o.ObjectName }),
			"version": number(func(o instanceM) int64 { return o.Version }), "createdAt": instant(func(o instanceM) time.Time { return o.CreatedAt }),
			"updatedAt": instant(func(o instanceM) time.Time { return o.UpdatedAt }),
			"can":       child(func(o instanceM) *model.InstancePermissions { return o.Can }),
		},
		"Task": {
			"id": text(func(o taskM) string { return o.ID }), "name": text(func(o taskM) string { return o.Name }),
			"team": child(func(o taskM) teamM { return o.Team }), "image": child(func(o taskM) imageM { return o.Image }),
			"command": words(taskM.Command), "args": words(taskM.Args), "workingDir": text(taskM.WorkingDir), "env": inline(taskM.Env), "secrets": children(taskM.Secrets),
			"resources": child(func(o taskM) *spec.Resources { return &o.Spec.Resources }), "mounts": children(taskM.Mounts), "code": child(taskM.Code),
			"frozen": child(taskM.Frozen),
			"class":  word(taskM.Class), "timeoutSeconds": number(taskM.TimeoutSeconds), "pendingTimeoutSeconds": number(taskM.PendingTimeoutSeconds),
			"retries": number(taskM.Retries),
		},
		"Run": {
			"id": text(func(o runM) string { return o.ID }), "task": child(func(o runM) taskM { return o.Task }), "name": text(func(o runM) string { return o.Name }),
			"team": child(func(o runM) teamM { return o.Team }), "owner": child(func(o runM) userM { return o.Owner }),
			"state": word(func(o runM) run.State { return o.State }), "reason": child(runM.Reason),
			"attempts": children(func(o runM) []attemptM { return o.Attempts }), "currentAttempt": child(runM.CurrentAttempt),
			"createdAt": instant(func(o runM) time.Time { return o.CreatedAt }),
			"startedAt": maybe(func(o runM) *time.Time { return o.StartedAt }, model.AppendTime),
			"endedAt":   maybe(func(o runM) *time.Time { return o.EndedAt }, model.AppendTime),
			"version":   number(func(o runM) int64 { return o.Version }), "stoppedBy": child(func(o runM) userM { return o.StoppedBy }),
			"flowRun": child(func(o runM) flowRunM { return o.FlowRun }), "step": text(func(o runM) string { return o.Step }),
			"can": child(func(o runM) *model.RunPermissions { return o.Can }),
		},
		"Attempt": {
			"id": text(func(o attemptM) string { return o.ID }), "number": number(func(o attemptM) int { return o.Number }),
			"state": word(func(o attemptM) attempt.State { return o.State }), "reason": child(attemptM.Reason), "timeline": children(attemptM.Timeline),
			"exitCode": maybe(func(o attemptM) *int { return o.ExitCode }, numberInt), "node": text(func(o attemptM) string { return o.Node }),
			"job": text(attemptM.Job), "createdAt": instant(func(o attemptM) time.Time { return o.CreatedAt }),
			"startedAt": maybe(func(o attemptM) *time.Time { return o.StartedAt }, model.AppendTime),
			"endedAt":   maybe(func(o attemptM) *time.Time { return o.EndedAt }, model.AppendTime), "log": child(attemptM.Log),
			"outputs": text(func(o attemptM) string { return o.Outputs }), "imageDigest": text(func(o attemptM) string { return o.ImageDigest }),
		},
	}
}
