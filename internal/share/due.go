package share

import (
	"time"

	"github.com/goblinlab/goblinlab/ent"
	entshare "github.com/goblinlab/goblinlab/ent/share"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Why a share is over.
const (
	codeRevoked       = "share-revoked"
	codeDeclined      = "share-declined"
	codeGivenBack     = "share-given-back"
	codeEnd           = "share-end"
	codeLapsed        = "share-lapsed"
	codeVolumeGone    = "share-volume-gone"
	codeTeamClosed    = "share-team-closed"    // the volume's
	codeGranteeClosed = "share-grantee-closed" // the team where it is mounted
	codeGranteeLeft   = "share-grantee-left"
)

// facts are what a share that is not over hangs on. The zero value takes nothing away.
type facts struct {
	VolumeGone    bool // deleted, or about to be
	TeamClosed    bool // the volume's team is archived or gone
	GranteeClosed bool // the team where it is mounted is
	GranteeLeft   bool // the person is not in that team any more, or nowhere
}

// due is why a share that is not over ends by itself now; nil when it does not.
func due(sh *ent.Share, f facts, now time.Time) *spec.Reason {
	if !Open(sh) {
		return nil
	}
	code := ""
	switch lapses := LapsesAt(sh); {
	case sh.EndsAt != nil && !now.Before(*sh.EndsAt):
		return &spec.Reason{Code: codeEnd, Args: map[string]any{"end": sh.EndsAt.UTC().Format(time.RFC3339)}}
	case lapses != nil && !now.Before(*lapses):
		code = codeLapsed
	case f.VolumeGone:
		code = codeVolumeGone
	case f.TeamClosed:
		code = codeTeamClosed
	case sh.State == entshare.StateAccepted && f.GranteeClosed:
		code = codeGranteeClosed
	case sh.State == entshare.StateAccepted && f.GranteeLeft:
		code = codeGranteeLeft
	default:
		return nil
	}
	return &spec.Reason{Code: code}
}
