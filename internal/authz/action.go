package authz

import "github.com/goblinlab/goblinlab/internal/fault"

// Action is a verb on something of a team.
type Action string

// Actions. "…Own" may be done with what one owns oneself, "…Any" with everybody's.
const (
	Read       Action = "read"
	Create     Action = "create"      // instances, volumes of one's own
	Run        Action = "run"         // start runs, and stop and delete one's own
	ManageOwn  Action = "manage-own"  // start, stop, edit, delete, connect to one's own
	ManageAny  Action = "manage-any"  // start, stop, edit, delete others'
	Images     Action = "images"      // the team's image catalogue
	Members    Action = "members"     // people and roles
	UseSecrets Action = "use-secrets" // give the team's secrets to what one owns
	Secrets    Action = "secrets"     // make, replace and delete the team's secrets
	Retention  Action = "retention"   // how long what has ended is kept
	Platform   Action = "platform"    // teams, users, quotas: administrators alone
)

var grants = map[Role][]Action{
	RoleViewer:     {Read},
	RoleMember:     {Read, Create, Run, ManageOwn, UseSecrets},
	RoleMaintainer: {Read, Create, Run, ManageOwn, UseSecrets, ManageAny, Images, Secrets},
	RoleOwner:      {Read, Create, Run, ManageOwn, UseSecrets, ManageAny, Images, Secrets, Members, Retention},
}

// May reports whether the viewer may do a thing in a team.
func (v *Viewer) May(a Action, teamID string) bool {
	if a != Read && v.ReadsOnly() || a != Read && a != Run && v.Inside() {
		return false
	}
	if v.Administrator() {
		return true
	}
	if a == Read && v.ReadsAll() {
		return true
	}
	for _, g := range grants[v.Teams[teamID]] {
		if g == a {
			return true
		}
	}
	return false
}

// MayManage reports whether the viewer may change a thing that ownerID owns.
func (v *Viewer) MayManage(teamID, ownerID string) bool {
	return v.May(ManageAny, teamID) || v.UserID == ownerID && v.May(ManageOwn, teamID)
}

// MayManageRun is MayManage for a run, which a program inside of one's
// container may stop, too.
func (v *Viewer) MayManageRun(teamID, ownerID string) bool {
	return v.May(ManageAny, teamID) || v.UserID == ownerID && v.May(Run, teamID)
}

// MayConnect reports whether the viewer may use what runs inside a thing of
// ownerID's: its apps, its terminal, its secret. Nobody but the owner may, not
// even an administrator: inside are the owner's files and credentials.
func (v *Viewer) MayConnect(teamID, ownerID string) bool {
	return v.UserID == ownerID && v.May(ManageOwn, teamID)
}

// Check is May as an error that names what is missing.
func (v *Viewer) Check(a Action, teamID string) error {
	if v.May(a, teamID) {
		return nil
	}
	return v.refusal(a)
}

// refusal says what is missing: a wider token, or a role.
func (v *Viewer) refusal(a Action) error {
	switch {
	case v.ReadsOnly():
		return fault.New(fault.Forbidden, "token.reads-only", nil)
	case v.Inside():
		return fault.New(fault.Forbidden, "token.inside", nil)
	}
	return fault.New(fault.Forbidden, "forbidden", fault.Args{"action": "@action." + string(a)})
}

// CheckManage is MayManage as an error.
func (v *Viewer) CheckManage(teamID, ownerID string) error {
	if v.MayManage(teamID, ownerID) {
		return nil
	}
	return v.refusal(ManageAny)
}

// CheckManageRun is MayManageRun as an error.
func (v *Viewer) CheckManageRun(teamID, ownerID string) error {
	if v.MayManageRun(teamID, ownerID) {
		return nil
	}
	return v.refusal(ManageAny)
}

// CheckOwn refuses programs that may change nothing outside of what their scope
// is about; a person may always change what is theirs in no team.
func (v *Viewer) CheckOwn() error {
	if v.ReadsOnly() || v.Inside() {
		return v.refusal(ManageOwn)
	}
	return nil
}

// SeesSecrets reports whether the viewer may know of a team's secrets, which is
// less than to use one: a program that only reads may.
func (v *Viewer) SeesSecrets(teamID string) bool {
	person := *v
	person.Scope = ""
	return !v.Inside() && person.May(UseSecrets, teamID)
}
