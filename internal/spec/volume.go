package spec

import "time"

// UsageSource says what the figures of a volume's use are about.
type UsageSource string

// Sources of figures.
const (
	UsageFilesystem UsageSource = "filesystem" // the volume's own file system, as the kubelet sees it
	UsageShared     UsageSource = "shared"     // a file system that it shares with others, as a disk of the node: full for all of them
	UsageFolder     UsageSource = "folder"     // the sum of what is in its folder, which has no limit of its own
)

// VolumeUsage is how full a volume was at a time. What is not known is 0.
type VolumeUsage struct {
	UsedBytes     int64       `json:"usedBytes"`
	CapacityBytes int64       `json:"capacityBytes"`
	InodesUsed    int64       `json:"inodesUsed"`
	Inodes        int64       `json:"inodes"`
	At            time.Time   `json:"at"`
	Source        UsageSource `json:"source"`
}

// Percent is how much of it is used, of bytes or of inodes, whichever is more; 0 when it is not known.
func (u VolumeUsage) Percent() int {
	of := func(used, all int64) int {
		if all <= 0 {
			return 0
		}
		return int(float64(used) / float64(all) * 100)
	}
	return max(of(u.UsedBytes, u.CapacityBytes), of(u.InodesUsed, u.Inodes))
}
