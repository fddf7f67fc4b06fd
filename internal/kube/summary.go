package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// VolumeStats is how full a claim's file system is, as the kubelet of a node
// with a pod that mounts it says.
type VolumeStats struct {
	Namespace, Claim         string
	At                       time.Time
	UsedBytes, CapacityBytes int64
	InodesUsed, Inodes       int64
}

// summary is what we read of a kubelet's stats/summary; what a kind of storage
// does not measure is absent.
type summary struct {
	Pods []struct {
		Volume []struct {
			Time          time.Time `json:"time"`
			UsedBytes     *int64    `json:"usedBytes"`
			CapacityBytes *int64    `json:"capacityBytes"`
			InodesUsed    *int64    `json:"inodesUsed"`
			Inodes        *int64    `json:"inodes"`
			Ref           *struct {
				Name      string `json:"name"`
				Namespace string `json:"namespace"`
			} `json:"pvcRef"`
		} `json:"volume"`
	} `json:"pods"`
}

// VolumeStats asks the kubelet of a node, through the API server, how full the
// claims are that its pods mount. It needs to get nodes/proxy.
func (c *Client) VolumeStats(ctx context.Context, node string) ([]VolumeStats, error) {
	b, err := c.CoreV1().RESTClient().Get().Resource("nodes").Name(node).SubResource("proxy").Suffix("stats", "summary").
		SetHeader("Accept", "application/json").DoRaw(ctx)
	if err != nil {
		return nil, fmt.Errorf("statistics of node %s: %w", node, err)
	}
	return parseSummary(b)
}

func parseSummary(b []byte) ([]VolumeStats, error) {
	var s summary
	if err := json.Unmarshal(b, &s); err != nil {
		return nil, fmt.Errorf("statistics of a node: %w", err)
	}
	var out []VolumeStats
	for _, p := range s.Pods {
		for _, v := range p.Volume {
			if v.Ref == nil || v.UsedBytes == nil || v.CapacityBytes == nil {
				continue
			}
			out = append(out, VolumeStats{Namespace: v.Ref.Namespace, Claim: v.Ref.Name, At: v.Time.UTC(), UsedBytes: *v.UsedBytes,
				CapacityBytes: *v.CapacityBytes, InodesUsed: value(v.InodesUsed), Inodes: value(v.Inodes)})
		}
	}
	return out, nil
}

func value(n *int64) int64 {
	if n == nil {
		return 0
	}
	return *n
}
