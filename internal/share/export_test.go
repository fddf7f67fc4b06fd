package share

import "context"

// Settle ends a share that is due, as its reconciler does.
func (s *Service) Settle(ctx context.Context, id string) error {
	row, err := s.DB.Client.Share.Get(ctx, id)
	if err != nil {
		return err
	}
	_, err = s.settle(ctx, row)
	return err
}
