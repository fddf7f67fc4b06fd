package graph_test

import (
	"maps"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/volume"
)

func init() { maps.Copy(access, accessVolumes) }

// trashed is one of the member's in the trash.
func (w *world) trashed() *ent.Volume {
	at := time.Now().UTC()
	return must[*ent.Volume](w)(w.volume().Update().SetDesired(volume.DesiredTrashed).SetTrashedAt(at).SetPurgeAt(at.Add(time.Hour)).Save(w.sys))
}

func aBoundVolume(w *world) string {
	return must[*ent.Volume](w)(w.volume().Update().SetPhase(volume.PhaseBound).SetCapacityBytes(1 << 30).Save(w.sys)).ID
}

func (w *world) platformVolume() *ent.PlatformVolume {
	x := xid.New().String()
	return must[*ent.PlatformVolume](w)(w.DB.Client.PlatformVolume.Create().SetName("datasets " + x).SetPath("/data-" + x).
		SetSourceNamespace("default").SetSourceClaim("datasets").SetMade(false).SetObjectName("datasets-" + x).Save(w.sys))
}

var accessVolumes = map[string]accessCase{
	"Query.storageClasses": {op: `{ storageClasses { name provisioner expandable default } }`, vars: none, allow: signedIn(), passes: []string{"UNAVAILABLE"}}, // there is no cluster
	"Query.previewDeleteVolume": {op: `query($id: ID!) { previewDeleteVolume(id: $id) { volume { id } usedBy { id } wantedBy { id } trashUntil freesBytes disk } }`,
		vars: one("id", aVolume), allow: managers},
	"Query.unknownClaims": {op: `query($team: ID!) { unknownClaims(teamId: $team) { name } }`, vars: teamVar, allow: []string{admin}, passes: []string{"UNAVAILABLE"}},
	"Mutation.updateVolume": {op: `mutation($id: ID!) { updateVolume(input: {id: $id, name: "other", description: "Of the third trial."}) { volume { name description } } }`,
		vars: one("id", aVolume), allow: managers},
	"Mutation.expandVolume": {op: `mutation($id: ID!) { expandVolume(input: {id: $id, size: "2Gi"}) { volume { sizeBytes capacityBytes } } }`,
		vars: one("id", aBoundVolume), allow: managers},
	"Mutation.trashVolume": {op: `mutation($id: ID!) { trashVolume(id: $id) { volume { trash { since until } can { restore } } } }`, vars: one("id", aVolume), allow: managers},
	"Mutation.restoreVolume": {op: `mutation($id: ID!) { restoreVolume(id: $id) { volume { trash { until } } } }`,
		vars: one("id", func(w *world) string { return w.trashed().ID }), allow: managers},
	"Mutation.adoptVolume": {op: `mutation($team: ID!, $owner: ID!) { adoptVolume(input: {teamId: $team, claim: "theirs", ownerId: $owner, name: "theirs"}) { volume { id } } }`,
		vars: func(w *world, _ string) map[string]any {
			return map[string]any{"team": w.Cast.Team.ID, "owner": w.Cast.Member.ID}
		}, allow: []string{admin}, passes: []string{"UNAVAILABLE"}},

	"Query.platformVolumes": {op: `{ platformVolumes { name path readOnly phase readyTeams teams source { claim } } }`, vars: none, allow: signedIn()},
	"Mutation.createPlatformVolume": {op: `mutation($path: String!) { createPlatformVolume(input: {name: "datasets", path: $path, size: "1Gi"}) { platformVolume { id path } } }`,
		vars: func(*world, string) map[string]any { return map[string]any{"path": "/datasets-" + xid.New().String()} }, allow: []string{admin}},
	"Mutation.updatePlatformVolume": {op: `mutation($id: ID!) { updatePlatformVolume(input: {id: $id, enabled: false}) { platformVolume { enabled } } }`,
		vars: one("id", func(w *world) string { return w.platformVolume().ID }), allow: []string{admin}},
	"Mutation.deletePlatformVolume": {op: `mutation($id: ID!, $name: String!) { deletePlatformVolume(id: $id, confirmName: $name) { id } }`,
		vars: func(w *world, _ string) map[string]any {
			v := w.platformVolume()
			return map[string]any{"id": v.ID, "name": v.Name}
		}, allow: []string{admin}},
}
