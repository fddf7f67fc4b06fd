package devinit

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// seedStaging is where a seed is prepared inside the home, so that a container
// that ends half-way leaves a home that still counts as empty.
const seedStaging = ".goblinlab-seed"

// SeedHome fills an empty home from the skeleton and reports whether it did. A
// home with anything in it is left alone, so that what a user deleted stays
// deleted. The folder lost+found of a new file system does not count.
func SeedHome(home, skeleton string) (bool, error) {
	if err := os.MkdirAll(home, 0o755); err != nil {
		return false, fmt.Errorf("make home: %w", err)
	}
	entries, err := os.ReadDir(home)
	if err != nil {
		return false, fmt.Errorf("read home: %w", err)
	}
	for _, e := range entries {
		if e.Name() != "lost+found" && e.Name() != seedStaging {
			return false, nil
		}
	}
	staging := filepath.Join(home, seedStaging)
	if err := os.RemoveAll(staging); err != nil {
		return false, fmt.Errorf("remove unfinished seed: %w", err)
	}
	seeds, err := os.ReadDir(skeleton)
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(seeds) == 0 {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read skeleton: %w", err)
	}
	if err := copyTree(skeleton, staging); err != nil {
		return false, fmt.Errorf("seed home: %w", err)
	}
	for _, e := range seeds {
		if err := os.Rename(filepath.Join(staging, e.Name()), filepath.Join(home, e.Name())); err != nil {
			return false, fmt.Errorf("seed home: %w", err)
		}
	}
	if err := os.Remove(staging); err != nil {
		return false, fmt.Errorf("seed home: %w", err)
	}
	return true, nil
}

// copyTree copies folders, files and symbolic links with their modes. Owners
// become the running user.
func copyTree(from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		info, err := d.Info()
		if err != nil {
			return err
		}
		switch {
		case d.IsDir():
			return os.Mkdir(target, info.Mode().Perm()|0o700)
		case info.Mode()&fs.ModeSymlink != 0:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case info.Mode().IsRegular():
			return copyFile(path, target, info.Mode().Perm())
		}
		return nil // sockets and devices have no place in a home
	})
}

// copyFile copies one file and gives it exactly this mode, whatever the umask.
func copyFile(from, to string, mode fs.FileMode) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Chmod(mode), out.Close())
}

// SetAccountHome returns the account file with the user's home folder replaced;
// changed is false when it was right already or there is no such user.
func SetAccountHome(passwd, user, home string) (out string, changed bool) {
	lines := strings.Split(passwd, "\n")
	for i, line := range lines {
		fields := strings.Split(line, ":")
		if len(fields) != 7 || fields[0] != user || fields[5] == home {
			continue
		}
		fields[5] = home
		lines[i] = strings.Join(fields, ":")
		changed = true
	}
	return strings.Join(lines, "\n"), changed
}

// fixAccountHome makes root's home in the account file the home volume, since
// sshd and login shells read it there and not in HOME.
func fixAccountHome(path, home string) error {
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // an image without accounts has no sshd either
	}
	if err != nil {
		return fmt.Errorf("read accounts: %w", err)
	}
	out, changed := SetAccountHome(string(data), "root", home)
	if !changed {
		return nil
	}
	return writeFile(path, []byte(out), 0o644)
}

// writeFile replaces a file in one step, so that a reader sees the old or the
// new content. The file has the mode from its first byte on.
func writeFile(path string, data []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		return fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(tmp.Name())))
	}
	return nil
}
