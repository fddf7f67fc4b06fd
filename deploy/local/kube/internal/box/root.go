package box

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// shown are the top folders of the machine that a box has: programs and their settings. What is not named is hidden,
// among it the users' homes and the sockets under /run.
var shown = []string{"bin", "etc", "gnu", "lib", "lib32", "lib64", "libx32", "nix", "opt", "sbin", "usr"}

// fresh are the folders that a box has of its own.
var fresh = []struct {
	name string
	mode fs.FileMode
}{
	{"dev", 0o755}, {"home", 0o755}, {"media", 0o755}, {"mnt", 0o755}, {"proc", 0o555}, {"root", 0o700}, {"run", 0o755}, {"srv", 0o755},
	{"sys", 0o555}, {"tmp", 0o777 | fs.ModeSticky}, {"var", 0o755}, {"var/cache", 0o755}, {"var/lib", 0o755}, {"var/log", 0o755},
	{"var/tmp", 0o777 | fs.ModeSticky},
}

// devices are the nodes that a box may use; those of graphics cards come on top.
var devices = []string{"full", "null", "random", "tty", "urandom", "zero"}

var deviceLinks = map[string]string{
	"fd": "/proc/self/fd", "ptmx": "pts/ptmx", "stderr": "/proc/self/fd/2", "stdin": "/proc/self/fd/0", "stdout": "/proc/self/fd/1",
}

// enterRoot builds the box's root and makes it the process's, with nothing left of the machine's.
func enterRoot(s Spec) error {
	if err := unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("private mounts: %w", err)
	}
	root, err := buildRoot(s.Scratch)
	if err != nil {
		return err
	}
	sources, err := openSources(s.Mounts)
	if err != nil {
		return err
	}
	if err := unix.Chdir(root); err != nil {
		return err
	}
	if err := unix.PivotRoot(".", "."); err != nil { // the old root lies on the new one until the next line
		return fmt.Errorf("pivot_root: %w", err)
	}
	if err := unix.Unmount(".", unix.MNT_DETACH); err != nil {
		return fmt.Errorf("leave the old root: %w", err)
	}
	if err := unix.Chdir("/"); err != nil {
		return err
	}
	if err := hide(s.Hide); err != nil {
		return err
	}
	return attachSources(s.Mounts, sources)
}

// buildRoot makes a root on a memory file system: what the box writes is gone with it.
func buildRoot(scratch string) (string, error) {
	if err := unix.Mount("tmpfs", scratch, "tmpfs", unix.MS_NOSUID|unix.MS_NODEV, "mode=755"); err != nil {
		return "", fmt.Errorf("memory file system: %w", err)
	}
	root := filepath.Join(scratch, "root")
	if err := os.Mkdir(root, 0o755); err != nil {
		return "", err
	}
	if err := unix.Mount(root, root, "", unix.MS_BIND, ""); err != nil { // pivot_root wants a mount point
		return "", fmt.Errorf("root: %w", err)
	}
	for _, d := range fresh {
		at := filepath.Join(root, d.name)
		if err := errors.Join(os.Mkdir(at, 0o700), os.Chmod(at, d.mode)); err != nil { // the mask would take bits away
			return "", err
		}
	}
	if err := os.Symlink("/run", filepath.Join(root, "var/run")); err != nil {
		return "", err
	}
	for _, name := range shown {
		if err := show(scratch, root, name); err != nil {
			return "", fmt.Errorf("/%s: %w", name, err)
		}
	}
	return root, errors.Join(makeDevices(filepath.Join(root, "dev")), mountKernel(root))
}

// show makes a top folder of the machine appear, writable if an overlay is possible: it is not where something is mounted
// below.
func show(scratch, root, name string) error {
	from, to := "/"+name, filepath.Join(root, name)
	st, err := os.Lstat(from)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if st.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(from)
		if err != nil {
			return err
		}
		return os.Symlink(target, to)
	}
	upper, work := filepath.Join(scratch, "upper-"+name), filepath.Join(scratch, "work-"+name)
	if err := errors.Join(os.Mkdir(to, 0o755), os.Mkdir(work, 0o755), os.Mkdir(upper, 0o755), os.Chmod(upper, st.Mode().Perm())); err != nil {
		return err
	}
	options := "userxattr,lowerdir=" + from + ",upperdir=" + upper + ",workdir=" + work
	if unix.Mount("overlay", to, "overlay", unix.MS_NOSUID|unix.MS_NODEV, options) == nil {
		return nil
	}
	return bind(from, to, unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV)
}

// makeDevices fills /dev. Nodes come from the machine: a user namespace cannot make any.
func makeDevices(dev string) error {
	if err := unix.Mount("tmpfs", dev, "tmpfs", unix.MS_NOSUID|unix.MS_NOEXEC, "mode=755"); err != nil {
		return fmt.Errorf("/dev: %w", err)
	}
	nodes := devices
	cards, err := filepath.Glob("/dev/nvidia*")
	if err != nil {
		return err
	}
	for _, c := range cards {
		if st, err := os.Stat(c); err == nil && st.Mode()&fs.ModeCharDevice != 0 {
			nodes = append(nodes, filepath.Base(c))
		}
	}
	for _, n := range nodes {
		at := filepath.Join(dev, n)
		if err := os.WriteFile(at, nil, 0o666); err != nil {
			return err
		}
		if err := bind(filepath.Join("/dev", n), at, unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NOEXEC); err != nil {
			return err
		}
	}
	for name, target := range deviceLinks {
		if err := os.Symlink(target, filepath.Join(dev, name)); err != nil {
			return err
		}
	}
	pts, shm := filepath.Join(dev, "pts"), filepath.Join(dev, "shm")
	if err := errors.Join(os.Mkdir(pts, 0o755), os.Mkdir(shm, 0o777), os.Chmod(shm, 0o777|fs.ModeSticky)); err != nil {
		return err
	}
	if err := unix.Mount("devpts", pts, "devpts", unix.MS_NOSUID|unix.MS_NOEXEC, "newinstance,ptmxmode=0666,mode=620"); err != nil {
		return fmt.Errorf("terminals: %w", err)
	}
	return nil
}

// mountKernel gives the box the kernel's files: those of its own processes, and what programs read about the machine.
func mountKernel(root string) error {
	proc := filepath.Join(root, "proc")
	if err := unix.Mount("proc", proc, "proc", unix.MS_NOSUID|unix.MS_NODEV|unix.MS_NOEXEC, ""); err != nil {
		return fmt.Errorf("/proc: %w", err)
	}
	return bind("/sys", filepath.Join(root, "sys"), unix.MOUNT_ATTR_RDONLY|unix.MOUNT_ATTR_NOSUID|unix.MOUNT_ATTR_NODEV|unix.MOUNT_ATTR_NOEXEC)
}

// hide covers folders that lie below one that is shown.
func hide(folders []string) error {
	for _, path := range folders {
		fd, err := unix.Openat2(unix.AT_FDCWD, path, &unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC})
		if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("hide %s: %w", path, err)
		}
		err = unix.Mount("tmpfs", fmt.Sprintf("/proc/self/fd/%d", fd), "tmpfs", unix.MS_RDONLY|unix.MS_NOSUID|unix.MS_NODEV, "mode=755,size=0")
		unix.Close(fd)
		if err != nil {
			return fmt.Errorf("hide %s: %w", path, err)
		}
	}
	return nil
}
