package cluster

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
)

// remember notes archives that every node got, so that a node that comes later gets them too. A line is added for each,
// which two imports at once can do without harm.
func remember(l layout.Layout, files []string) error {
	known, err := remembered(l)
	if err != nil {
		return err
	}
	f, err := os.OpenFile(l.Archives(), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer f.Close()
	for _, path := range files {
		abs, err := filepath.Abs(path)
		if err != nil {
			return err
		}
		if slices.Contains(known, abs) || strings.Contains(abs, "\n") {
			continue
		}
		if _, err := f.WriteString(abs + "\n"); err != nil {
			return err
		}
		known = append(known, abs)
	}
	return nil
}

// importedOnAll notes archives that were imported on all nodes, and imports them on those that came meanwhile: a node that
// comes after the note gets them by itself.
func importedOnAll(ctx context.Context, l layout.Layout, had []string, bin string, files []string, say func(line string)) error {
	if err := remember(l, files); err != nil {
		return err
	}
	s, err := loadSaved(l)
	if err != nil {
		return err
	}
	late := slices.DeleteFunc(s.on().names(), func(n string) bool { return slices.Contains(had, n) })
	return importAll(ctx, l, late, bin, false, files, say)
}

// remembered gives the archives that every node got.
func remembered(l layout.Layout) ([]string, error) {
	b, err := os.ReadFile(l.Archives())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var out []string
	for path := range strings.Lines(string(b)) {
		if path = strings.TrimSuffix(path, "\n"); path != "" && !slices.Contains(out, path) {
			out = append(out, path)
		}
	}
	return out, nil
}

// archives are those that a node is to have beside those of this start, as far as they are still there.
func (r *run) archives() ([]string, error) {
	known, err := remembered(r.layout)
	if err != nil {
		return nil, err
	}
	var out []string
	for _, path := range known {
		if _, err := os.Stat(path); err == nil && !slices.Contains(r.Images, path) {
			out = append(out, path)
		}
	}
	return out, nil
}
