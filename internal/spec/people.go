package spec

// Fate is what becomes of what runs when its owner leaves.
type Fate string

// Fates. What is deleted leaves its volumes behind.
const (
	FateKeep   Fate = "keep" // it goes on, as the new owner's
	FateStop   Fate = "stop"
	FateDelete Fate = "delete"
)

// Heir says who gets what a person owns in a team.
type Heir struct {
	TeamID string `json:"teamId"`
	UserID string `json:"userId"`
}

// Departure is how a person leaves the platform, as an administrator decided.
type Departure struct {
	Heirs     []Heir `json:"heirs"` // of each team in which the person owned something
	Instances Fate   `json:"instances"`
	Runs      Fate   `json:"runs"`
	Erase     bool   `json:"erase,omitempty"` // what is personal is erased, too
}

// Heir is who gets what is in a team; empty when nobody was named.
func (d Departure) Heir(teamID string) string {
	for _, h := range d.Heirs {
		if h.TeamID == teamID {
			return h.UserID
		}
	}
	return ""
}

// Inherited is what a thing that was handed over keeps of the owner before.
type Inherited struct {
	HomeID string `json:"homeId,omitempty"` // the volume that it mounts as its home
	// Start is during which start it was handed over. Its password is known to the owner before until the next one.
	Start int64 `json:"start,omitempty"`
	// Whose its pods say they are until then: another text would start them anew.
	OwnerID    string `json:"ownerId,omitempty"`
	OwnerEmail string `json:"ownerEmail,omitempty"`
	// Secrets says that a run had secrets of the owner before's own, and was stopped for it.
	Secrets bool `json:"secrets,omitempty"`
}

// Lost reports whether a run was stopped since its secrets were not handed over with it.
func (i *Inherited) Lost() bool { return i != nil && i.Secrets }

// Home is the volume that a thing mounts as its home; empty for its owner's.
func (i *Inherited) Home() string {
	if i == nil {
		return ""
	}
	return i.HomeID
}

// During reports whether a start is the one during which the thing was handed over.
func (i *Inherited) During(start int64) bool { return i != nil && i.Start != 0 && i.Start == start }
