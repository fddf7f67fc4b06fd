package image

import (
	"context"
	"fmt"

	"github.com/goblinlab/goblinlab/ent"
	entimage "github.com/goblinlab/goblinlab/ent/image"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/reason"
)

// Learn notes how big an image is, from what the kubelet said after it pulled
// it: the next pull of it can tell how much is to come (P4). Other messages
// teach nothing.
func Learn(ctx context.Context, c *ent.Client, message string) error {
	p, ok := reason.Pulled(message)
	if !ok || p.Bytes == 0 {
		return nil
	}
	_, err := c.Image.Update().
		Where(entimage.Reference(p.Name), entimage.Or(entimage.SizeBytesIsNil(), entimage.SizeBytesNEQ(p.Bytes))).
		SetSizeBytes(p.Bytes).Save(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("size of image %s: %w", p.Name, err)
	}
	return nil
}
