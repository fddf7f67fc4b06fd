package graph

import (
	"time"

	"github.com/goblinlab/goblinlab/ent/backfill"
	"github.com/goblinlab/goblinlab/ent/codesnapshot"
	"github.com/goblinlab/goblinlab/ent/flowrun"
	"github.com/goblinlab/goblinlab/ent/step"
	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/spec"
)

type (
	flowM       = *model.Flow
	versionM    = *model.FlowVersion
	snapshotM   = *model.CodeSnapshot
	flowRunM    = *model.FlowRun
	stepM       = *model.Step
	transitionM = *model.Transition
	backfillM   = *model.Backfill
)

// flowNouns are the kinds of flows. Fields with arguments are left to gqlgen.
func flowNouns() map[string]map[string]field {
	return map[string]map[string]field{
		"Flow": {
			"id": text(func(o flowM) string { return o.ID }), "name": text(func(o flowM) string { return o.Name }),
			"team": child(func(o flowM) teamM { return o.Team }), "owner": child(func(o flowM) userM { return o.Owner }),
			"description": text(flowM.Description), "tags": words(flowM.Tags), "latest": number(func(o flowM) int { return o.Latest }),
			"paused": truth(func(o flowM) bool { return o.Paused }), "pausedWhy": child(flowM.PausedWhy), "schedule": child(flowM.Schedule),
			"nextFireAt": maybe(func(o flowM) *time.Time { return o.NextFireAt }, model.AppendTime),
			"overdue":    child(func(o flowM) *model.Reason { return o.Overdue }),
			"createdAt":  instant(func(o flowM) time.Time { return o.CreatedAt }), "updatedAt": instant(func(o flowM) time.Time { return o.UpdatedAt }),
			"can": child(func(o flowM) *model.FlowPermissions { return o.Can }),
		},
		"FlowVersion": {
			"id": text(func(o versionM) string { return o.ID }), "number": number(func(o versionM) int { return o.Number }),
			"spec": encoded(func(o versionM) any { return o.Spec() }), "yaml": text(versionM.Yaml),
			"author": child(func(o versionM) userM { return o.Author }), "comment": text(func(o versionM) string { return o.Comment }),
			"createdAt": instant(func(o versionM) time.Time { return o.CreatedAt }), "restores": maybe(versionM.Restores, numberInt),
			"code": children(func(o versionM) []snapshotM { return o.Code }),
		},
		"CodeSnapshot": {
			"id": text(func(o snapshotM) string { return o.ID }), "volumeId": text(func(o snapshotM) string { return o.VolumeID }),
			"subPath": text(func(o snapshotM) string { return o.SubPath }), "state": word(func(o snapshotM) codesnapshot.State { return o.State }),
			"reason": child(snapshotM.Reason), "files": number(func(o snapshotM) int64 { return o.Files }), "bytes": number(func(o snapshotM) int64 { return o.Bytes }),
			"sha256": text(func(o snapshotM) string { return o.Sha256 }), "frozenAt": maybe(func(o snapshotM) *time.Time { return o.FrozenAt }, model.AppendTime),
		},
		"FrozenCode": {
			"snapshotId": text(func(o *spec.FrozenCode) string { return o.SnapshotID }), "sha256": text(func(o *spec.FrozenCode) string { return o.SHA256 }),
			"files": number(func(o *spec.FrozenCode) int64 { return o.Files }), "bytes": number(func(o *spec.FrozenCode) int64 { return o.Bytes }),
			"frozenAt": instant(func(o *spec.FrozenCode) time.Time { return o.FrozenAt }),
		},
		"FlowSchedule": {
			"kind": word(func(o *model.FlowSchedule) model.FlowScheduleKind { return o.Kind }), "text": text(func(o *model.FlowSchedule) string { return o.Text }),
			"timezone": text(func(o *model.FlowSchedule) string { return o.Timezone }),
		},
		"FlowPermissions": {
			"edit": truth(func(o *model.FlowPermissions) bool { return o.Edit }), "run": truth(func(o *model.FlowPermissions) bool { return o.Run }),
			"pause": truth(func(o *model.FlowPermissions) bool { return o.Pause }), "delete": truth(func(o *model.FlowPermissions) bool { return o.Delete }),
		},
		"FlowRun": {
			"id": text(func(o flowRunM) string { return o.ID }), "flow": child(func(o flowRunM) flowM { return o.Flow }),
			"team": child(func(o flowRunM) teamM { return o.Team }), "number": number(func(o flowRunM) int { return o.Number }),
			"spec": encoded(func(o flowRunM) any { return o.Spec() }), "owner": child(func(o flowRunM) userM { return o.Owner }),
			"cause": word(func(o flowRunM) flowrun.Cause { return o.Cause }), "actor": child(func(o flowRunM) userM { return o.Actor }),
			"logicalTime": instant(func(o flowRunM) time.Time { return o.LogicalTime }), "localTime": text(flowRunM.LocalTime),
			"timezone": text(func(o flowRunM) string { return o.Timezone }), "parameters": encoded(func(o flowRunM) any { return o.Parameters() }),
			"state": word(func(o flowRunM) flowrun.State { return o.State }), "reason": child(flowRunM.Reason),
			"steps":       children(func(o flowRunM) []stepM { return o.Steps }),
			"transitions": children(func(o flowRunM) []transitionM { return o.Transitions }),
			"createdAt":   instant(func(o flowRunM) time.Time { return o.CreatedAt }),
			"startedAt":   maybe(func(o flowRunM) *time.Time { return o.StartedAt }, model.AppendTime),
			"endedAt":     maybe(func(o flowRunM) *time.Time { return o.EndedAt }, model.AppendTime),
			"lateness":    maybe(flowRunM.Lateness, decimal), "version": number(func(o flowRunM) int64 { return o.Version }),
			"stoppedBy": child(func(o flowRunM) userM { return o.StoppedBy }), "backfillId": maybe(flowRunM.BackfillID, appendString),
			"can": child(func(o flowRunM) *model.FlowRunPermissions { return o.Can }),
		},
		"FlowRunPermissions": {
			"stop": truth(func(o *model.FlowRunPermissions) bool { return o.Stop }), "rerun": truth(func(o *model.FlowRunPermissions) bool { return o.Rerun }),
			"delete": truth(func(o *model.FlowRunPermissions) bool { return o.Delete }),
		},
		"Step": {
			"id": text(func(o stepM) string { return o.ID }), "name": text(func(o stepM) string { return o.Name }),
			"state": word(func(o stepM) step.State { return o.State }), "reason": child(stepM.Reason), "round": number(func(o stepM) int { return o.Round }),
			"run": child(func(o stepM) runM { return o.Run }), "runs": children(func(o stepM) []runM { return o.Runs }),
			"outputs": encoded(func(o stepM) any { return o.Outputs() }), "with": encoded(func(o stepM) any { return o.With() }),
			"polls":      number(func(o stepM) int { return o.Polls }),
			"nextPollAt": maybe(func(o stepM) *time.Time { return o.NextPollAt }, model.AppendTime),
			"startedAt":  maybe(func(o stepM) *time.Time { return o.StartedAt }, model.AppendTime),
			"endedAt":    maybe(func(o stepM) *time.Time { return o.EndedAt }, model.AppendTime),
			"readyAt":    maybe(func(o stepM) *time.Time { return o.ReadyAt }, model.AppendTime),
		},
		"Transition": {
			"id": text(func(o transitionM) string { return o.ID }), "step": text(func(o transitionM) string { return o.Step }),
			"round": number(func(o transitionM) int { return o.Round }), "was": text(func(o transitionM) string { return o.Was }),
			"becomes": text(func(o transitionM) string { return o.Becomes }), "cause": text(func(o transitionM) string { return o.Cause }),
			"text": text(transitionM.Text), "actor": child(func(o transitionM) userM { return o.Actor }),
			"at": instant(func(o transitionM) time.Time { return o.At }),
		},
		"Backfill": {
			"id": text(func(o backfillM) string { return o.ID }), "flow": child(func(o backfillM) flowM { return o.Flow }),
			"number": number(func(o backfillM) int { return o.Number }), "actor": child(func(o backfillM) userM { return o.Actor }),
			"total": number(backfillM.Total), "started": number(func(o backfillM) int { return o.Started }),
			"parallel": number(func(o backfillM) int { return o.Parallel }), "state": word(func(o backfillM) backfill.State { return o.State }),
			"createdAt": instant(func(o backfillM) time.Time { return o.CreatedAt }),
			"endedAt":   maybe(func(o backfillM) *time.Time { return o.EndedAt }, model.AppendTime),
		},
	}
}
