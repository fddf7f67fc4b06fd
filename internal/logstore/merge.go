package logstore

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/rs/xid"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/internal/authz"
)

// Chunks come every 100 ms at most, so that a log that trickles for a day would
// have a million. While it grows, smallRun small chunks at its end become one,
// again and again until that one is no longer small; what is complete is merged
// up to bigChunk.
const (
	smallChunk = 32 << 10
	smallRun   = 32
	fullChunk  = 256 << 10
	bigChunk   = 1 << 20
)

// grown notes a new chunk and merges the tail when it is due.
func (s *Store) grown(ctx context.Context, attemptID string, bytes int64) {
	if bytes >= smallChunk {
		return
	}
	s.mu.Lock()
	s.small[attemptID]++
	due := s.small[attemptID] >= smallRun
	if due {
		s.small[attemptID] = 0
	}
	s.mu.Unlock()
	if !due {
		return
	}
	if err := s.mergeTail(ctx, attemptID); err != nil && ctx.Err() == nil {
		slog.Warn("tail of the log not merged", "attempt_id", attemptID, "err", err)
	}
}

func (s *Store) mergeTail(ctx context.Context, attemptID string) error {
	rows, err := s.db.Client.LogChunk.Query().Where(logchunk.AttemptID(attemptID)).
		Order(ent.Desc(logchunk.FieldFirstLine)).Limit(4 * smallRun).All(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("chunks of %s: %w", attemptID, err)
	}
	var run []*ent.LogChunk
	for _, r := range rows {
		if r.Bytes >= smallChunk {
			break
		}
		run = append([]*ent.LogChunk{r}, run...)
	}
	return s.merge(ctx, attemptID, run)
}

// mergeAll merges neighbours of a complete log unless they are big enough.
func (s *Store) mergeAll(ctx context.Context, attemptID string) error {
	var run []*ent.LogChunk
	var size int64
	after := int64(-1)
	for {
		rows, err := s.db.Client.LogChunk.Query().Where(logchunk.AttemptID(attemptID), logchunk.FirstLineGT(after)).
			Order(ent.Asc(logchunk.FieldFirstLine)).Limit(500).All(authz.AsSystem(ctx))
		if err != nil {
			return fmt.Errorf("chunks of %s: %w", attemptID, err)
		}
		for _, r := range rows {
			after = r.FirstLine
			if r.Bytes >= fullChunk || size+r.Bytes > bigChunk {
				if err := s.merge(ctx, attemptID, run); err != nil {
					return err
				}
				run, size = nil, 0
			}
			if r.Bytes < fullChunk {
				run, size = append(run, r), size+r.Bytes
			}
		}
		if len(rows) == 0 {
			return s.merge(ctx, attemptID, run)
		}
	}
}

// merge puts neighbouring chunks into one. Lines and bytes keep their numbers;
// a reader that still has the old rows finds their blobs gone and reads the
// rows again.
func (s *Store) merge(ctx context.Context, attemptID string, run []*ent.LogChunk) error {
	if len(run) < 2 {
		return nil
	}
	first, last := run[0], run[len(run)-1]
	b := make([]byte, 0, last.FirstByte+last.Bytes-first.FirstByte)
	ids := make([]int, len(run))
	for i, r := range run {
		part, err := s.bucket.ReadAll(ctx, r.Key)
		if err != nil {
			return fmt.Errorf("chunk %s: %w", r.Key, err)
		}
		if int64(len(part)) != r.Bytes || first.FirstByte+int64(len(b)) != r.FirstByte {
			return fmt.Errorf("chunk %s has %d bytes at %d, not %d at %d", r.Key, len(part), first.FirstByte+int64(len(b)), r.Bytes, r.FirstByte)
		}
		b, ids[i] = append(b, part...), r.ID
	}
	key := prefix(attemptID) + xid.New().String()
	if err := s.bucket.WriteAll(ctx, key, b, nil); err != nil {
		return fmt.Errorf("store merged chunk of %s: %w", attemptID, err)
	}
	sys := authz.AsSystem(ctx)
	err := s.db.Tx(ctx, func(tx *ent.Tx) error {
		if err := tx.Attempt.Update().Where(attempt.ID(attemptID)).AddLogLines(0).Exec(sys); err != nil { // locks
			return err
		}
		n, err := tx.LogChunk.Delete().Where(logchunk.IDIn(ids...)).Exec(sys)
		if err != nil {
			return err
		}
		if n != len(run) {
			return fmt.Errorf("%d of %d chunks are there", n, len(run))
		}
		return tx.LogChunk.Create().SetAttemptID(attemptID).SetKey(key).
			SetFirstLine(first.FirstLine).SetLines(last.FirstLine + last.Lines - first.FirstLine).
			SetFirstByte(first.FirstByte).SetBytes(int64(len(b))).
			SetLastTime(last.LastTime).SetLastCount(last.LastCount).Exec(sys)
	})
	if err != nil {
		_ = s.bucket.Delete(context.WithoutCancel(ctx), key)
		return fmt.Errorf("merge chunks of %s: %w", attemptID, err)
	}
	for _, r := range run {
		if err := s.bucket.Delete(ctx, r.Key); err != nil && ctx.Err() == nil {
			slog.Warn("merged chunk not deleted", "key", r.Key, "err", err)
		}
	}
	return nil
}
