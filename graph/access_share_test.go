package graph_test

import (
	"maps"
	"strings"
	"time"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/share"
)

func init() { maps.Copy(access, accessShare) }

// shareOf is a share of a volume of the member's: an offer to the other person, of another team.
func (w *world) shareOf(edit ...func(*ent.ShareCreate)) *ent.Share {
	w.t.Helper()
	v, x := w.volume(), xid.New().String()
	c := w.DB.Client.Share.Create().SetVolumeID(v.ID).SetVolumeName(v.Name).SetFromTeamID(v.TeamID).SetGranteeKind(share.GranteeKindUser).
		SetGrantee(w.Cast.Other.Email).SetUserID(w.Cast.Other.ID).SetMode(share.ModeReadOnly).SetGrantedBy(v.OwnerID).
		SetReadOnlyName("ro-" + x).SetReadWriteName("rw-" + x)
	for _, e := range edit {
		e(c)
	}
	return must[*ent.Share](w)(c.Save(w.sys))
}

func anOffer(w *world) string { return w.shareOf().ID }

// accepted is a share that counts, mounted in the other team.
func (w *world) accepted() *ent.Share {
	return w.shareOf(func(c *ent.ShareCreate) {
		c.SetState(share.StateAccepted).SetTeamID(w.Cast.OtherTeam.ID).SetAcceptedBy(w.Cast.Other.ID).SetAcceptedAt(time.Now().UTC())
	})
}

func aTarget(w *world, who string) map[string]any {
	return map[string]any{"volume": w.volume().ID, "grantee": strings.ReplaceAll(who, " ", "") + "@new.example"}
}

var (
	granters = doers(owner, maintainer, member, admin)
	parties  = []string{owner, maintainer, member, other, admin, auditor, writeToken, readToken}
)

var accessShare = map[string]accessCase{
	"Query.share": {op: `query($id: ID!) { share(id: $id) { id state volumeName fromTeamName ownerName usedBy { id } can { accept revoke } } }`, vars: one("id", anOffer), allow: parties, empty: isNull},
	"Query.shares": {op: `query($team: ID!) { shares(direction: OUTGOING, filter: {teamId: $team}) { nodes { id grantee } } }`, vars: with(teamVar, func(w *world) { w.shareOf() }),
		allow: []string{owner, maintainer, member, admin, auditor, writeToken, readToken}, empty: noNodes},
	"Query.previewShare": {op: `query($volume: ID!, $grantee: String!) { previewShare(input: {volumeId: $volume, granteeKind: USER, grantee: $grantee}) { atOnce acrossTeams usedBy { id } } }`,
		vars: aTarget, allow: granters},
	"Query.previewRevokeShare": {op: `query($id: ID!) { previewRevokeShare(id: $id) { share { id } usedBy { id } stopped } }`, vars: one("id", anOffer), allow: parties},

	"Mutation.shareVolume": {op: `mutation($volume: ID!, $grantee: String!) { shareVolume(input: {volumeId: $volume, granteeKind: USER, grantee: $grantee}) { share { id state } } }`,
		vars: aTarget, allow: granters},
	"Mutation.changeShare": {op: `mutation($id: ID!) { changeShare(input: {id: $id, mode: READ_WRITE}) { share { mode } } }`, vars: one("id", anOffer), allow: granters},
	"Mutation.revokeShare": {op: `mutation($id: ID!) { revokeShare(id: $id) { share { state } } }`, vars: one("id", anOffer), allow: granters},
	"Mutation.acceptShare": {op: `mutation($id: ID!, $team: ID!) { acceptShare(id: $id, teamId: $team) { share { state } } }`, vars: func(w *world, _ string) map[string]any {
		return map[string]any{"id": anOffer(w), "team": w.Cast.OtherTeam.ID}
	}, allow: []string{other}},
	"Mutation.declineShare": {op: `mutation($id: ID!) { declineShare(id: $id) { share { state } } }`, vars: one("id", func(w *world) string { return w.accepted().ID }), allow: []string{other}},
}
