package box

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// What the pod's user controls is never walked by name: sources are opened below their root and copied as mounts without
// a place while the machine's root is there, and get their place in the box when it is gone. A link leads to something of
// the box, or nowhere.

// placesLimit is how many links are followed to a place that is yet to be made.
const placesLimit = 16

// openSources copies the mounts' sources, each with what is mounted below.
func openSources(mounts []Mount) ([]int, error) {
	var out []int
	for _, m := range mounts {
		fd, err := openSource(m)
		if err != nil {
			return nil, fmt.Errorf("mount %s: %s: %w", m.Target, path.Join(m.Root, m.Source), err)
		}
		out = append(out, fd)
	}
	return out, nil
}

func openSource(m Mount) (int, error) {
	root, err := unix.Open(m.Root, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return -1, err
	}
	defer unix.Close(root)
	found, err := openIn(root, m.Source)
	if err != nil {
		return -1, err
	}
	defer unix.Close(found)
	attributes := uint64(unix.MOUNT_ATTR_NOSUID | unix.MOUNT_ATTR_NODEV)
	if m.ReadOnly {
		attributes |= unix.MOUNT_ATTR_RDONLY
	}
	return clone(found, attributes)
}

// openIn finds a path below root; links, also absolute ones, are followed within.
func openIn(root int, name string) (int, error) {
	name = strings.TrimLeft(name, "/")
	if name == "" {
		name = "."
	}
	return unix.Openat2(root, name, &unix.OpenHow{Flags: unix.O_PATH | unix.O_CLOEXEC, Resolve: unix.RESOLVE_IN_ROOT | unix.RESOLVE_NO_MAGICLINKS})
}

// clone copies what is at an open file as a mount without a place.
func clone(fd int, attributes uint64) (int, error) {
	tree, err := unix.OpenTree(fd, "", unix.OPEN_TREE_CLONE|unix.OPEN_TREE_CLOEXEC|unix.AT_RECURSIVE|unix.AT_EMPTY_PATH)
	if err != nil {
		return -1, fmt.Errorf("open_tree: %w", err)
	}
	if err := unix.MountSetattr(tree, "", unix.AT_EMPTY_PATH|unix.AT_RECURSIVE, &unix.MountAttr{Attr_set: attributes}); err != nil {
		unix.Close(tree)
		return -1, fmt.Errorf("mount_setattr: %w", err)
	}
	return tree, nil
}

// attachSources gives the copied mounts their places, those further up first.
func attachSources(mounts []Mount, trees []int) error {
	root, err := unix.Open("/", unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(root)
	for _, i := range byDepth(mounts) {
		if err := attachOne(root, mounts[i].Target, trees[i]); err != nil {
			return fmt.Errorf("mount %s: %w", mounts[i].Target, err)
		}
	}
	return nil
}

func attachOne(root int, target string, tree int) error {
	defer unix.Close(tree)
	var st unix.Stat_t
	if err := unix.Fstat(tree, &st); err != nil {
		return err
	}
	at, err := place(root, target, st.Mode&unix.S_IFMT == unix.S_IFDIR)
	if err != nil {
		return err
	}
	defer unix.Close(at)
	return unix.MoveMount(tree, "", at, "", unix.MOVE_MOUNT_F_EMPTY_PATH|unix.MOVE_MOUNT_T_EMPTY_PATH)
}

// place opens a path below root and makes what is missing of it.
func place(root int, name string, dir bool) (int, error) {
	for range placesLimit {
		fd, err := openIn(root, name)
		if !errors.Is(err, unix.ENOENT) {
			return fd, err
		}
		if name, err = makeLast(root, name, dir); err != nil {
			return -1, err
		}
	}
	return -1, unix.ELOOP
}

// makeLast makes the last part of a path, or gives where it leads if it is a link to nowhere.
func makeLast(root int, name string, dir bool) (string, error) {
	parent, err := place(root, path.Dir(name), true)
	if err != nil {
		return "", err
	}
	defer unix.Close(parent)
	last := path.Base(name)
	if dir {
		err = unix.Mkdirat(parent, last, 0o755)
	} else {
		err = unix.Mknodat(parent, last, unix.S_IFREG|0o644, 0)
	}
	if !errors.Is(err, unix.EEXIST) {
		return name, err
	}
	link := make([]byte, unix.PathMax)
	n, err := unix.Readlinkat(parent, last, link)
	if err != nil {
		return "", err
	}
	if to := string(link[:n]); path.IsAbs(to) {
		return to, nil
	}
	return path.Join(path.Dir(name), string(link[:n])), nil
}

// byDepth gives the order in which mounts do not cover each other.
func byDepth(mounts []Mount) []int {
	order := make([]int, len(mounts))
	for i := range order {
		order[i] = i
	}
	depth := func(i int) int { return strings.Count(path.Clean(mounts[i].Target), "/") }
	slices.SortStableFunc(order, func(a, b int) int { return depth(a) - depth(b) })
	return order
}

// bind makes a path of the machine appear at a place that we have made.
func bind(from, to string, attributes uint64) error {
	fd, err := unix.Open(from, unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	tree, err := clone(fd, attributes)
	if err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	defer unix.Close(tree)
	if err := unix.MoveMount(tree, "", unix.AT_FDCWD, to, unix.MOVE_MOUNT_F_EMPTY_PATH); err != nil {
		return fmt.Errorf("%s: %w", from, err)
	}
	return nil
}
