package graph

import (
	"strconv"
	"time"

	"github.com/goblinlab/goblinlab/graph/model"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Short names of what the registry is full of.
type (
	instanceM = *model.Instance
	runM      = *model.Run
	attemptM  = *model.Attempt
	taskM     = *model.Task
	teamM     = *model.Team
	userM     = *model.User
	imageM    = *model.Image
	volumeM   = *model.Volume
	reasonM   = *model.Reason
)

var (
	number64  = func(b []byte, n int64) []byte { return strconv.AppendInt(b, n, 10) }
	numberInt = func(b []byte, n int) []byte { return strconv.AppendInt(b, int64(n), 10) }
	decimal   = func(b []byte, f float64) []byte { return strconv.AppendFloat(b, f, 'g', -1, 64) }
)

// kinds are the types that a plan can write. A field that is missing here calls
// a service and goes the ordinary way; a test knows which these are.
var kinds = merged(nouns(), flowNouns(), map[string]*kind{
	"Secret": secretKind(),
	"SecretKey": {map[string]field{
		"name": text(func(o *spec.SecretKey) string { return o.Name }), "bytes": number(func(o *spec.SecretKey) int { return o.Bytes }),
		"text":       truth(func(o *spec.SecretKey) bool { return o.Text }),
		"principals": encoded(func(o *spec.SecretKey) any { return o.Principals }),
	}},
	"SecretUser": {map[string]field{
		"id": text(func(o *model.SecretUser) string { return o.ID }), "name": text(func(o *model.SecretUser) string { return o.Name }),
	}},
	"SecretPermissions": {map[string]field{"manage": truth(func(o *model.SecretPermissions) bool { return o.Manage })}},
	"PageInfo": {map[string]field{
		"hasNextPage":     truth(func(o *model.PageInfo) bool { return o.HasNextPage }),
		"hasPreviousPage": truth(func(o *model.PageInfo) bool { return o.HasPreviousPage }),
		"startCursor":     maybe(func(o *model.PageInfo) *string { return o.StartCursor }, appendString),
		"endCursor":       maybe(func(o *model.PageInfo) *string { return o.EndCursor }, appendString),
	}},
	"InstanceConnection": connection(func(c *model.InstanceConnection) *model.Connection[instanceM] { return &c.Connection }),
	"RunConnection":      connection(func(c *model.RunConnection) *model.Connection[runM] { return &c.Connection }),
	"VolumeConnection":   connection(func(c *model.VolumeConnection) *model.Connection[volumeM] { return &c.Connection }),
	"ImageConnection":    connection(func(c *model.ImageConnection) *model.Connection[imageM] { return &c.Connection }),
	"TeamConnection":     connection(func(c *model.TeamConnection) *model.Connection[teamM] { return &c.Connection }),
	"UserConnection":     connection(func(c *model.UserConnection) *model.Connection[userM] { return &c.Connection }),
	"FlowConnection":     connection(func(c *model.FlowConnection) *model.Connection[flowM] { return &c.Connection }),
	"FlowRunConnection":  connection(func(c *model.FlowRunConnection) *model.Connection[flowRunM] { return &c.Connection }),
	"FlowEdge":           edge[model.Flow](),
	"FlowRunEdge":        edge[model.FlowRun](),
	"InstanceEdge":       edge[model.Instance](),
	"RunEdge":            edge[model.Run](),
	"VolumeEdge":         edge[model.Volume](),
	"ImageEdge":          edge[model.Image](),
	"TeamEdge":           edge[model.Team](),
	"UserEdge":           edge[model.User](),

	"InstancePayload": {map[string]field{"instance": child(func(o *model.InstancePayload) instanceM { return o.Instance })}},
	"FlowPayload":     {map[string]field{"flow": child(func(o *model.FlowPayload) flowM { return o.Flow })}},
	"FlowRunPayload":  {map[string]field{"flowRun": child(func(o *model.FlowRunPayload) flowRunM { return o.FlowRun })}},
	"BackfillPayload": {map[string]field{"backfill": child(func(o *model.BackfillPayload) *model.Backfill { return o.Backfill })}},
	"RunPayload":      {map[string]field{"run": child(func(o *model.RunPayload) runM { return o.Run })}},

	"Reason": {map[string]field{
		"code": text(func(o reasonM) string { return o.Code }), "text": text(reasonM.Text), "advice": text(reasonM.Advice),
		"args": encoded(func(o reasonM) any { return o.Args }),
	}},
	"Phase": {map[string]field{
		"name": text(func(o *model.Phase) string { return o.Name }), "since": instant(func(o *model.Phase) time.Time { return o.Since }),
		"seconds": maybe(func(o *model.Phase) *float64 { return o.Seconds }, decimal),
	}},
	"Resources": {map[string]field{
		"cpuMilli":    number(func(o *spec.Resources) int64 { return o.CPUMilli }),
		"memoryBytes": number(func(o *spec.Resources) int64 { return o.MemoryBytes }),
		"gpu":         number(func(o *spec.Resources) int64 { return o.GPU }),
	}},
	"SecretUse": {map[string]field{
		"secretId": text(func(o *model.SecretUse) string { return o.SecretID }), "secret": child(func(o *model.SecretUse) *model.Secret { return o.Secret }),
		"as": word(func(o *model.SecretUse) spec.SecretAs { return o.As }), "at": text(func(o *model.SecretUse) string { return o.At }),
	}},
	"Mount": {map[string]field{
		"volumeId": text(func(o *model.Mount) string { return o.VolumeID }), "path": text(func(o *model.Mount) string { return o.Path }),
		"readOnly": truth(func(o *model.Mount) bool { return o.ReadOnly }), "subPath": text(func(o *model.Mount) string { return o.SubPath }),
		"volume": child(func(o *model.Mount) volumeM { return o.Volume }), "share": child(func(o *model.Mount) *model.Share { return o.Share }),
	}},
	"Share": shareKind(),
	"ShareUse": {map[string]field{
		"id": text(func(o *model.ShareUse) string { return o.ID }), "name": text(func(o *model.ShareUse) string { return o.Name }),
		"kind": word(func(o *model.ShareUse) model.ShareUseKind { return o.Kind }), "ownerName": text(func(o *model.ShareUse) string { return o.OwnerName }),
		"readOnly": truth(func(o *model.ShareUse) bool { return o.ReadOnly }),
	}},
	"SharePermissions": {map[string]field{
		"accept": truth(func(o *model.SharePermissions) bool { return o.Accept }), "decline": truth(func(o *model.SharePermissions) bool { return o.Decline }),
		"change": truth(func(o *model.SharePermissions) bool { return o.Change }), "revoke": truth(func(o *model.SharePermissions) bool { return o.Revoke }),
	}},
	"ShareConnection": connection(func(c *model.ShareConnection) *model.Connection[*model.Share] { return &c.Connection }),
	"ShareEdge":       edge[model.Share](),
	"Code": {map[string]field{
		"volumeId": text(func(o *model.Code) string { return o.VolumeID }), "subPath": text(func(o *model.Code) string { return o.SubPath }),
		"writable": truth(func(o *model.Code) bool { return o.Writable }), "freeze": truth(func(o *model.Code) bool { return o.Freeze }), "volume": child(func(o *model.Code) volumeM { return o.Volume }),
	}},
	"EnvVar": {map[string]field{
		"name": text(func(o *spec.EnvVar) string { return o.Name }), "value": text(func(o *spec.EnvVar) string { return o.Value }),
	}},
	"Port": {map[string]field{
		"name": text(func(o *spec.Port) string { return o.Name }), "number": number(func(o *spec.Port) int32 { return o.Number }),
	}},
	"App": {map[string]field{
		"name": text(func(o *model.App) string { return o.Name }), "port": number(func(o *model.App) int32 { return o.Port }),
		"state": text(func(o *model.App) string { return o.State }), "url": text(func(o *model.App) string { return o.URL }),
		"reason": child(func(o *model.App) *model.Reason { return o.Reason }),
	}},
	"SshAccess": {map[string]field{
		"host": text(func(o *model.SSHAccess) string { return o.Host }), "port": number(func(o *model.SSHAccess) int { return o.Port }),
		"user": text((*model.SSHAccess).User), "command": text((*model.SSHAccess).Command), "config": text((*model.SSHAccess).Config),
		"hostKeyFingerprint": text(func(o *model.SSHAccess) string { return o.HostKeyFingerprint }),
	}},
	"Overcommit": {map[string]field{
		"cpu":    encoded(func(o *spec.Overcommit) any { return o.CPU }),
		"memory": encoded(func(o *spec.Overcommit) any { return o.Memory }),

		"onlineCpu":    encoded(func(o *spec.Overcommit) any { return o.OnlineCPU }),
		"onlineMemory": encoded(func(o *spec.Overcommit) any { return o.OnlineMemory }),
	}},
	"TeamPermissions": {map[string]field{
		"edit": truth(func(o *model.TeamPermissions) bool { return o.Edit }), "transfer": truth(func(o *model.TeamPermissions) bool { return o.Transfer }),
		"archive": truth(func(o *model.TeamPermissions) bool { return o.Archive }), "restore": truth(func(o *model.TeamPermissions) bool { return o.Restore }),
		"delete": truth(func(o *model.TeamPermissions) bool { return o.Delete }), "acknowledge": truth(func(o *model.TeamPermissions) bool { return o.Acknowledge }),
		"retention": truth(func(o *model.TeamPermissions) bool { return o.Retention }),
	}},
	"TeamRetention": {map[string]field{
		"own":       child(func(o *model.TeamRetention) *spec.Retention { return o.Own }),
		"effective": child(func(o *model.TeamRetention) *spec.Retention { return o.Effective }),
		"platform":  child(func(o *model.TeamRetention) *spec.Retention { return o.Platform }),
		"mostDays":  number(func(o *model.TeamRetention) int { return o.MostDays }),
	}},
	"Retention": {map[string]field{
		"logDays": number(func(o *spec.Retention) int { return o.LogDays }), "runDays": number(func(o *spec.Retention) int { return o.RunDays }),
	}},
	"Membership": {map[string]field{
		"team": child(func(o *model.Membership) teamM { return o.Team }), "user": child(func(o *model.Membership) userM { return o.User }),
		"role": word(func(o *model.Membership) authz.Role { return o.Role }),
	}},
	"Viewer": {map[string]field{
		"user":        child(func(o *model.Viewer) userM { return o.User }),
		"memberships": children(func(o *model.Viewer) []*model.Membership { return o.Memberships }),
	}},
	"VolumeUse": {map[string]field{
		"id": text(func(o *model.VolumeUse) string { return o.ID }), "name": text(func(o *model.VolumeUse) string { return o.Name }),
		"readOnly": truth(func(o *model.VolumeUse) bool { return o.ReadOnly }),
	}},
	"VolumeTrash": {map[string]field{
		"since": instant(func(o *model.VolumeTrash) time.Time { return o.Since }), "until": instant(func(o *model.VolumeTrash) time.Time { return o.Until }),
	}},
	"VolumeUsage": {map[string]field{
		"usedBytes": number(func(o *model.VolumeUsage) int64 { return o.UsedBytes }), "capacityBytes": number(func(o *model.VolumeUsage) int64 { return o.CapacityBytes }),
		"inodesUsed": number(func(o *model.VolumeUsage) int64 { return o.InodesUsed }), "inodes": number(func(o *model.VolumeUsage) int64 { return o.Inodes }),
		"at": instant(func(o *model.VolumeUsage) time.Time { return o.At }), "source": word(func(o *model.VolumeUsage) spec.UsageSource { return o.Source }),
		"percent": number(func(o *model.VolumeUsage) int { return o.Percent() }), "nearlyFull": truth(func(o *model.VolumeUsage) bool { return o.NearlyFull }),
	}},
	"VolumePermissions": {map[string]field{
		"edit": truth(func(o *model.VolumePermissions) bool { return o.Edit }), "expand": truth(func(o *model.VolumePermissions) bool { return o.Expand }),
		"trash": truth(func(o *model.VolumePermissions) bool { return o.Trash }), "restore": truth(func(o *model.VolumePermissions) bool { return o.Restore }),
		"delete": truth(func(o *model.VolumePermissions) bool { return o.Delete }),
	}},
	"InstancePermissions": {map[string]field{
		"start": truth(func(o *model.InstancePermissions) bool { return o.Start }), "stop": truth(func(o *model.InstancePermissions) bool { return o.Stop }),
		"restart": truth(func(o *model.InstancePermissions) bool { return o.Restart }), "move": truth(func(o *model.InstancePermissions) bool { return o.Move }),
		"edit":   truth(func(o *model.InstancePermissions) bool { return o.Edit }),
		"delete": truth(func(o *model.InstancePermissions) bool { return o.Delete }), "connect": truth(func(o *model.InstancePermissions) bool { return o.Connect }),
	}},
	"RunPermissions": {map[string]field{
		"stop": truth(func(o *model.RunPermissions) bool { return o.Stop }), "rerun": truth(func(o *model.RunPermissions) bool { return o.Rerun }),
	}},
	"LogInfo": {map[string]field{
		"bytes": number(func(o *model.LogInfo) int64 { return o.Bytes }), "lines": number(func(o *model.LogInfo) int64 { return o.Lines }),
		"complete": truth(func(o *model.LogInfo) bool { return o.Complete }), "truncated": truth(func(o *model.LogInfo) bool { return o.Truncated }),
		"removedAt": maybe(func(o *model.LogInfo) *time.Time { return o.RemovedAt }, model.AppendTime), "keptDays": number(func(o *model.LogInfo) int { return o.KeptDays }),
	}},
})

func merged(nouns, more map[string]map[string]field, parts map[string]*kind) map[string]*kind {
	for name, fields := range nouns {
		parts[name] = &kind{fields}
	}
	for name, fields := range more {
		parts[name] = &kind{fields}
	}
	return parts
}

func connection[C any, M any](get func(C) *model.Connection[*M]) *kind {
	return &kind{map[string]field{
		"nodes":      children(func(c C) []*M { return get(c).Nodes }),
		"edges":      inline(func(c C) []model.Edge[*M] { return get(c).PlainEdges() }),
		"pageInfo":   child(func(c C) *model.PageInfo { return get(c).PageInfo }),
		"totalCount": number(func(c C) int { return get(c).TotalCount }),
	}}
}

func edge[M any]() *kind {
	return &kind{map[string]field{
		"cursor": text(func(e *model.Edge[*M]) string { return e.Cursor }),
		"node":   child(func(e *model.Edge[*M]) *M { return e.Node }),
	}}
}
