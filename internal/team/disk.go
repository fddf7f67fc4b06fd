package team

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/volume"
	"github.com/goblinlab/goblinlab/internal/fault"
	"github.com/goblinlab/goblinlab/internal/manifest"
	"github.com/goblinlab/goblinlab/internal/quantity"
)

// disks are the volumes of a team by name and size, with those in the trash.
func disks(sys context.Context, c *ent.Client, teamID string) ([]string, error) {
	rows, err := c.Volume.Query().Where(volume.TeamID(teamID)).Select(volume.FieldName, volume.FieldSizeBytes).All(sys)
	if err != nil {
		return nil, err
	}
	out := make([]string, len(rows))
	for i, v := range rows {
		out[i] = fmt.Sprintf("%s (%s)", v.Name, quantity.Memory(v.SizeBytes))
	}
	return out, nil
}

// strangers refuses to delete a namespace with claims that the platform does
// not know: it would take their data along. What the platform itself puts there
// beside volumes keeps its data elsewhere.
func (s *Service) strangers(ctx context.Context, t *ent.Team) error {
	if s.Kube == nil {
		return nil
	}
	found, err := s.Kube.CoreV1().PersistentVolumeClaims(t.Namespace).List(ctx, metav1.ListOptions{})
	if err != nil {
		return fault.New(fault.Unavailable, "volume.no-cluster", nil).Wrap(err)
	}
	var names []string
	for i := range found.Items {
		c := &found.Items[i]
		ours := c.Labels[manifest.LabelManagedBy] == manifest.Manager && c.Labels[manifest.LabelVolumeID] == ""
		if !ours && c.DeletionTimestamp == nil {
			names = append(names, fmt.Sprintf("%s (%s)", c.Name, quantity.Memory(c.Spec.Resources.Requests.Storage().Value())))
		}
	}
	if len(names) == 0 {
		return nil
	}
	return fault.New(fault.FailedPrecondition, "team.unknown-claims", fault.Args{"count": len(names), "namespace": t.Namespace, "names": first(names)})
}
