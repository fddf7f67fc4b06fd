// Package mountns keeps one mount namespace per node, pinned to a file.
//
// A node's mounts (root file systems of containers, volumes, network namespaces) are made in its own namespace. The pin
// keeps them while no process of ours runs, so that pods survive a kill and a new start. Taking the pin away, after the
// last process, removes every mount of the node at once, and none of it was ever visible on the host.
package mountns

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// Pin opens the namespace pinned at dir/name. If there is none, it makes one, runs setup inside, and pins it.
func Pin(dir, name string, setup func() error) (*os.File, error) {
	if err := privateMount(dir); err != nil {
		return nil, err
	}
	path := filepath.Join(dir, name)
	f, err := open(path)
	if err != nil {
		return nil, err
	}
	if pinned(f) {
		return f, nil
	}
	f.Close()
	if err := createSomewhere(path, setup); err != nil {
		return nil, fmt.Errorf("mount namespace of %s: %w", name, err)
	}
	return open(path)
}

// createSomewhere is create, on one CPU after the other if need be. A namespace can only be pinned in an older one, which
// the kernel tells by their numbers. Since Linux 6.18 each CPU hands out numbers from a range of its own, so a new
// namespace may look older than ours (which is no issue outside containers, where ours is the first of all). On the CPU on
// which ours was made it does not.
func createSomewhere(path string, setup func() error) error {
	var allowed unix.CPUSet
	if err := unix.SchedGetaffinity(0, &allowed); err != nil {
		return err
	}
	err := create(path, setup, &allowed)
	for cpu := 0; errors.Is(err, unix.EINVAL) && cpu < len(allowed)*64; cpu++ {
		if allowed.IsSet(cpu) {
			var one unix.CPUSet
			one.Set(cpu)
			err = create(path, setup, &one)
		}
	}
	return err
}

func open(path string) (*os.File, error) { return os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o600) }

func pinned(f *os.File) bool {
	var st unix.Statfs_t
	return unix.Fstatfs(int(f.Fd()), &st) == nil && st.Type == unix.NSFS_MAGIC
}

// create makes a namespace on a thread of its own, on one of the CPUs, and binds it to path from the outside: a namespace cannot be pinned
// from within itself.
func create(path string, setup func() error, cpus *unix.CPUSet) error {
	made, done := make(chan int), make(chan struct{})
	var failed error
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		defer close(made)
		if failed = prepare(setup, cpus); failed != nil {
			return
		}
		made <- unix.Gettid()
		<-done
	}()
	tid, ok := <-made
	defer close(done)
	if !ok {
		return failed
	}
	return unix.Mount(fmt.Sprintf("/proc/self/task/%d/ns/mnt", tid), path, "", unix.MS_BIND, "")
}

func prepare(setup func() error, cpus *unix.CPUSet) error {
	if err := unix.SchedSetaffinity(0, cpus); err != nil {
		return fmt.Errorf("choose a CPU: %w", err)
	}
	if err := unix.Unshare(unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("unshare: %w", err)
	}
	// Mounts of the host appear inside, mounts made inside do not appear on the host.
	if err := unix.Mount("", "/", "", unix.MS_SLAVE|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("make / a slave: %w", err)
	}
	return setup()
}

// Enter moves the calling thread into a namespace. The caller has locked the thread and never unlocks it.
func Enter(f *os.File) error {
	if err := unix.Unshare(unix.CLONE_FS); err != nil {
		return fmt.Errorf("unshare file system attributes: %w", err)
	}
	if err := unix.Setns(int(f.Fd()), unix.CLONE_NEWNS); err != nil {
		return fmt.Errorf("enter mount namespace: %w", err)
	}
	return nil
}

// Do runs fn on a thread of its own inside a namespace; processes that fn starts are in it too.
func Do(f *os.File, fn func() error) error {
	done := make(chan error, 1)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with the goroutine
		if err := Enter(f); err != nil {
			done <- err
			return
		}
		done <- fn()
	}()
	return <-done
}

// Bind makes from appear at to. A shared one passes mounts below it on to the containers.
func Bind(from, to string, shared bool) error {
	if err := unix.Mount(from, to, "", unix.MS_BIND, ""); err != nil {
		return fmt.Errorf("bind %s to %s: %w", from, to, err)
	}
	// First out of the peer group of the mount it was made from, or mounts would appear at both places.
	if err := unix.Mount("", to, "", unix.MS_PRIVATE, ""); err != nil {
		return fmt.Errorf("make %s private: %w", to, err)
	}
	if !shared {
		return nil
	}
	if err := unix.Mount("", to, "", unix.MS_SHARED, ""); err != nil {
		return fmt.Errorf("make %s shared: %w", to, err)
	}
	return nil
}

// privateMount makes dir a mount of its own that does not propagate: a namespace must not contain its own pin.
func privateMount(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	is, err := IsMountPoint(dir)
	if err != nil || is {
		return err
	}
	return Bind(dir, dir, false)
}

// IsMountPoint says whether something is mounted exactly at path in our namespace.
func IsMountPoint(path string) (bool, error) {
	b, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return false, err
	}
	for line := range strings.Lines(string(b)) {
		if f := strings.Fields(line); len(f) > 4 && f[4] == path {
			return true, nil
		}
	}
	return false, nil
}

// ID identifies a namespace: the inode of its file.
func ID(path string) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, err
	}
	return st.Ino, nil
}

// Unpin lets go of the namespace pinned at dir/name.
func Unpin(dir, name string) error {
	path := filepath.Join(dir, name)
	f, err := os.Open(path)
	if os.IsNotExist(err) {
		return nil
	}
	if err != nil {
		return err
	}
	is := pinned(f)
	f.Close()
	if is {
		if err := unix.Unmount(path, unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unpin %s: %w", name, err)
		}
	}
	return os.Remove(path)
}
