package logstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"gocloud.dev/blob"
	"gocloud.dev/gcerrors"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/ent/attempt"
	"github.com/goblinlab/goblinlab/ent/logchunk"
	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/fault"
)

// Gone is the fault that tells of a log which its team keeps no longer; nil when
// it is there.
func Gone(a *ent.Attempt) error {
	if a.LogRemovedAt == nil {
		return nil
	}
	return fault.New(fault.NotFound, "log.removed", fault.Args{"date": a.LogRemovedAt.UTC().Format(time.DateOnly), "days": a.LogKeptDays})
}

// Retire says in the caller's transaction that the logs of attempts are gone, as
// their team keeps logs for so many days: from its commit on nobody reads or
// writes them. Delete then removes what is left of each.
func Retire(ctx context.Context, tx *ent.Tx, at time.Time, days int, attemptIDs []string) error {
	err := tx.Attempt.Update().Where(attempt.IDIn(attemptIDs...), attempt.LogRemovedAtIsNil()).
		SetLogRemovedAt(at).SetLogKeptDays(days).SetLogComplete(true).AddVersion(1).Exec(authz.AsSystem(ctx))
	if err != nil {
		return fmt.Errorf("retire logs: %w", err)
	}
	return nil
}

// InFolder says that blobs are files below a folder, so that the folder of a log
// goes with it: a store of files leaves it, empty.
func (s *Store) InFolder(path string) *Store {
	s.folder = path
	return s
}

// FolderOf is the folder of a blob store of files by the store's URL, empty for others.
func FolderOf(store string) string {
	u, err := url.Parse(store)
	if err != nil || u.Scheme != "file" {
		return ""
	}
	if u.Host == "." {
		return strings.TrimPrefix(u.Path, "/")
	}
	return u.Path
}

// Delete removes a log: rows, then blobs. It may be repeated.
func (s *Store) Delete(ctx context.Context, attemptID string) error {
	sys := authz.AsSystem(ctx)
	err := s.db.Tx(ctx, func(tx *ent.Tx) error {
		err := tx.Attempt.Update().Where(attempt.ID(attemptID)).
			SetLogLines(0).SetLogBytes(0).SetLogComplete(true).Exec(sys)
		if err != nil {
			return err
		}
		_, err = tx.LogChunk.Delete().Where(logchunk.AttemptID(attemptID)).Exec(sys)
		return err
	})
	if err != nil {
		return fmt.Errorf("delete log of %s: %w", attemptID, err)
	}
	it := s.bucket.List(&blob.ListOptions{Prefix: prefix(attemptID)})
	for {
		o, err := it.Next(ctx)
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = s.bucket.Delete(ctx, o.Key)
		}
		if err != nil && gcerrors.Code(err) != gcerrors.NotFound {
			return fmt.Errorf("delete log of %s: %w", attemptID, err)
		}
	}
	s.removeFolder(attemptID)
	return nil
}

// removeFolder removes the folder of a log if nothing is in it any more. One that
// stays costs an entry in a folder, so that it is told and nothing else.
func (s *Store) removeFolder(attemptID string) {
	if s.folder == "" {
		return
	}
	err := os.Remove(filepath.Join(s.folder, filepath.FromSlash(prefix(attemptID))))
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, syscall.ENOTEMPTY) {
		slog.Warn("empty folder of a log not removed", "attempt_id", attemptID, "err", err)
	}
}
