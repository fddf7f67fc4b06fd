package devinit

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// maxLogFile bounds one file of an app's log, in bytes; there are two.
const maxLogFile = 512 << 10

// logFile keeps the newest lines of an app on disk: one file that grows up to
// the bound, and the one before it. A line starts with its time (RFC 3339, UTC,
// milliseconds).
type logFile struct {
	mu   sync.Mutex
	path string
	max  int64
	now  func() time.Time
	file *os.File
	size int64
}

func newLogFile(path string, limit int64, now func() time.Time) *logFile {
	return &logFile{path: path, max: limit, now: now}
}

func (l *logFile) older() string { return l.path + ".1" }

// add writes one line. A disk that is full loses lines; no app shall end of it.
func (l *logFile) add(line []byte) {
	l.mu.Lock()
	defer l.mu.Unlock()
	record := append(l.now().UTC().AppendFormat(nil, "2006-01-02T15:04:05.000Z "), line...)
	record = append(record, '\n')
	if l.open(int64(len(record))) != nil {
		return
	}
	n, err := l.file.Write(record)
	l.size += int64(n)
	if err != nil {
		l.close()
	}
}

// open makes sure that there is a file with room for more bytes.
func (l *logFile) open(more int64) error {
	if l.file == nil {
		if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
			return err
		}
		f, err := os.OpenFile(l.path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err != nil {
			return errors.Join(err, f.Close())
		}
		l.file, l.size = f, info.Size()
	}
	if l.size == 0 || l.size+more <= l.max {
		return nil
	}
	l.close()
	if err := os.Rename(l.path, l.older()); err != nil {
		return err
	}
	return l.open(more)
}

func (l *logFile) close() {
	if l.file != nil {
		_ = l.file.Close() // nothing is buffered
		l.file, l.size = nil, 0
	}
}

// tail returns whole lines from the end, at most so many bytes of them.
func (l *logFile) tail(limit int64) ([]byte, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	newer, whole, err := fileTail(l.path, limit)
	if err != nil || !whole {
		return newer, err
	}
	older, _, err := fileTail(l.older(), limit-int64(len(newer)))
	return append(older, newer...), err
}

// fileTail reads the last whole lines of a file, and whether these are all of
// it; of one that is not there, none.
func fileTail(path string, limit int64) (data []byte, whole bool, err error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, true, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read log: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, false, fmt.Errorf("read log: %w", err)
	}
	from := max(info.Size()-limit-1, 0) // one byte more, to see whether a line starts there
	data, err = io.ReadAll(io.NewSectionReader(f, from, info.Size()-from))
	if err != nil {
		return nil, false, fmt.Errorf("read log: %w", err)
	}
	if int64(len(data)) <= limit {
		return data, true, nil
	}
	return data[bytes.IndexByte(data, '\n')+1:], false, nil
}

// hidden stands where a secret stood.
const hidden = "[hidden]"

// redactor takes the secrets of this start out of what apps write: one may put
// its own token into an address that it logs.
func redactor(secrets Secrets, environ []string) *strings.Replacer {
	var pairs []string
	for _, secret := range []string{secrets.Password, secrets.RootPassword, environMap(environ)[envToken]} {
		if len(secret) < minRedacted {
			continue // it would hide ordinary words
		}
		pairs = append(pairs, secret, hidden, codeKey(secret), hidden)
	}
	return strings.NewReplacer(pairs...)
}

const minRedacted = 4 // bytes
