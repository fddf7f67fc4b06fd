package server_test

import (
	"testing"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/server/servertest"
)

const volumePath = "/files/v1/volumes/{volumeId}"

// The agent of these tests says yes to everything: who gets to it is the question.
func init() {
	writers := []string{servertest.Owner, servertest.Maintainer, servertest.Member, servertest.Admin, servertest.WriteToken}
	lookers := append([]string{servertest.ReadToken}, writers...) // no viewer and no auditor: they see that there is a volume
	row := func(way, query, body string, allow []string) {
		method, path, _ := cut(way)
		routes[method+" "+volumePath+path] = routeCase{body: body, allow: allow, path: func(s *servertest.Site, t *testing.T) string {
			return "/files/v1/volumes/" + dataVolume(t, s).ID + replaceID(path) + query
		}}
	}
	for _, way := range []string{"GET /", "GET /list", "GET /stat", "GET /text", "GET /table", "GET /notebook", "GET /image", "GET /checksum", "GET /usage",
		"GET /search", "GET /content", "HEAD /content", "GET /archive"} {
		row(way, "?path=a", "", lookers)
	}
	for _, way := range []string{"PUT /content", "POST /folder", "DELETE /entry", "GET /uploads", "GET /uploads/{id}", "HEAD /uploads/{id}",
		"PATCH /uploads/{id}", "POST /uploads/{id}/finish", "DELETE /uploads/{id}"} {
		row(way, "?path=a", "", writers)
	}
	for _, way := range []string{"POST /move", "POST /copy", "POST /uploads"} {
		row(way, "", `{"from":"a","to":"b"}`, writers)
	}
}

func dataVolume(t *testing.T, s *servertest.Site) *ent.Volume {
	t.Helper()
	return s.DB.Client.Volume.Create().SetTeamID(s.Cast.Team.ID).SetOwnerID(s.Cast.Member.ID).SetName("data").SetKind(volume.KindData).
		SetObjectName("data-" + xid.New().String()).SetSizeBytes(1 << 30).SetAccessMode(volume.AccessModeReadWriteMany).SaveX(authz.AsSystem(t.Context()))
}
