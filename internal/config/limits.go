package config

import "time"

// Limits of what one person may ask for.
type Limits struct {
	InstancesPerUser int           `koanf:"instancesperuser"`
	CPUMilli         int64         `koanf:"cpumilli"`    // of one instance or task
	MemoryBytes      int64         `koanf:"memorybytes"` // of one instance or task
	GPU              int64         `koanf:"gpu"`
	VolumeBytes      int64         `koanf:"volumebytes"`
	LogBytes         int64         `koanf:"logbytes"`       // of one attempt; what comes after is cut, and said so
	StartTimeout     time.Duration `koanf:"starttimeout"`   // an instance that is not ready by then has failed
	PendingTimeout   time.Duration `koanf:"pendingtimeout"` // default of an attempt's wait for its container
	AuditKeep        time.Duration `koanf:"auditkeep"`      // how long the audit log is kept; 0 for ever
	LogKeep          time.Duration `koanf:"logkeep"`        // how long logs of ended runs are kept where a team says nothing; 0 for ever
	RunKeep          time.Duration `koanf:"runkeep"`        // how long ended runs are; 0 for ever
	KeepMost         time.Duration `koanf:"keepmost"`       // the most that a team may say; 0 for ever
	StoragePerUser   int64         `koanf:"storageperuser"` // bytes of all volumes of a person; 0 for no limit
	TrashKeep        time.Duration `koanf:"trashkeep"`      // how long the trash keeps a volume
	VolumeFull       int           `koanf:"volumefull"`     // percent from which a volume counts as nearly full
}

func (l Limits) validate(bad func(key string, value any, want string)) {
	if l.InstancesPerUser < 1 {
		bad("limits.instancesperuser", l.InstancesPerUser, "must be 1 or more")
	}
	if l.AuditKeep != 0 && l.AuditKeep < 24*time.Hour {
		bad("limits.auditkeep", l.AuditKeep, "must be 0, for ever, or a day (24h) or more, as 9600h")
	}
	for key, d := range map[string]time.Duration{"limits.logkeep": l.LogKeep, "limits.runkeep": l.RunKeep, "limits.keepmost": l.KeepMost} {
		if d != 0 && d < 24*time.Hour {
			bad(key, d, "must be 0 or a day (24h) or more, as 720h")
		}
	}
	if l.TrashKeep < time.Hour {
		bad("limits.trashkeep", l.TrashKeep, "must be an hour (1h) or more, as 168h")
	}
	if l.StoragePerUser < 0 {
		bad("limits.storageperuser", l.StoragePerUser, "must be 0, for no limit, or a number of bytes")
	}
	if l.VolumeFull < 1 || l.VolumeFull > 100 {
		bad("limits.volumefull", l.VolumeFull, "must be from 1 to 100, in percent")
	}
}
