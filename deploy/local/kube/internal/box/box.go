// Package box runs a program as a local process that sees little of the machine: the container of a user without rights.
//
// A box has user, mount, process, host name and IPC namespaces of its own. Its first process, which is this program again,
// sets it up, gives up all rights, and stays as the watcher: it starts the program and further ones on request, writes the
// program's log and notes how it ended. So a box goes on when whoever started it is gone, and can be opened again by its
// socket. It shares the machine's network.
package box

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// Spec is what a box is made of.
type Spec struct {
	Scratch  string   // empty folder of the machine, on which the box's root is mounted
	Hide     []string // folders of the machine that are empty in the box
	Mounts   []Mount
	Args     []string
	Env      []string
	Dir      string
	Hostname string
	// User and Group are the ids inside. Outside they are ours: nothing in a box has another user's rights.
	User, Group int
	Stdin       bool // keep standard input open for Attach
	StdinOnce   bool // and end it with the first one
	TTY         bool
}

// Mount makes a file or folder of the machine appear in the box.
type Mount struct {
	Root     string // folder that no link on the way to Source leads out of
	Source   string // below Root
	Target   string // in the box; no link on the way leads out of it
	ReadOnly bool
}

// Files are where a box is found from outside.
type Files struct {
	Socket string
	Result string // written when it has ended
	Log    string // in the format of the CRI; none if empty
}

// Result is how a box ended.
type Result struct {
	Code  int       `json:"code"`
	Error string    `json:"error,omitempty"` // why the program could not be started
	At    time.Time `json:"at"`
}

// Lost is the exit code of a program of whose end nobody knows.
const Lost = 255

// Box is a box that was started, by this process or an earlier one.
type Box struct {
	files Files
	done  chan struct{}
}

// The numbers under which a box's first process finds what it inherits.
const (
	specFD = iota + 3
	socketFD
	resultFD
	logFD
)

// setupCapabilities are what the set-up needs, the last three for overlays. They count in its own user namespace only, so
// they mean nothing outside.
var setupCapabilities = []uintptr{unix.CAP_SYS_ADMIN, unix.CAP_SYS_RESOURCE, unix.CAP_SETPCAP, unix.CAP_DAC_OVERRIDE, unix.CAP_FOWNER, unix.CAP_CHOWN}

// Start makes a box and returns when its program runs.
func Start(s Spec, f Files) (*Box, error) {
	if err := os.MkdirAll(s.Scratch, 0o700); err != nil {
		return nil, err
	}
	inherited, err := f.create(s)
	if err != nil {
		closeAll(inherited)
		return nil, err
	}
	cmd := &exec.Cmd{Path: "/proc/self/exe", Args: []string{setupName}, Env: []string{}, ExtraFiles: inherited}
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Setsid:      true,
		Cloneflags:  unix.CLONE_NEWUSER | unix.CLONE_NEWNS | unix.CLONE_NEWPID | unix.CLONE_NEWUTS | unix.CLONE_NEWIPC,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: s.User, HostID: os.Geteuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: s.Group, HostID: os.Getegid(), Size: 1}},
		AmbientCaps: setupCapabilities,
	}
	err = cmd.Start()
	closeAll(inherited) // or the socket would not end with the box
	if err != nil {
		return nil, fmt.Errorf("make a user namespace: %w", err)
	}
	go func() { _ = cmd.Wait() }() // its end is seen at the socket
	b, err := Open(f)
	if err == nil {
		return b, nil
	}
	if r := f.result(); r.Error != "" {
		return nil, errors.New(r.Error)
	}
	b = &Box{files: f, done: make(chan struct{})} // it has ended already
	close(b.done)
	return b, nil
}

// create makes the files that the first process inherits, in the order of their numbers.
func (f Files) create(s Spec) (files []*os.File, err error) {
	spec, err := memory(s)
	if err != nil {
		return nil, err
	}
	files = append(files, spec)
	socket, err := listen(f.Socket)
	if err != nil {
		return files, err
	}
	files = append(files, socket)
	result, err := os.OpenFile(f.Result, os.O_CREATE|os.O_TRUNC|os.O_WRONLY, 0o600)
	if err != nil {
		return files, err
	}
	files = append(files, result)
	log, err := openLog(f.Log)
	if err != nil {
		return files, err
	}
	return append(files, log), nil
}

// memory is a file without a name that holds v.
func memory(v any) (*os.File, error) {
	b, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	fd, err := unix.MemfdCreate("box", unix.MFD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "box")
	_, err = f.Write(b)
	return f, err
}

func listen(path string) (*os.File, error) {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	l, err := net.ListenUnix("unixpacket", &net.UnixAddr{Name: path, Net: "unixpacket"})
	if err != nil {
		return nil, err
	}
	l.SetUnlinkOnClose(false)
	defer l.Close()
	return l.File()
}

func openLog(path string) (*os.File, error) {
	if path == "" {
		path = os.DevNull
	}
	return os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o640)
}

func closeAll(files []*os.File) {
	for _, f := range files {
		f.Close()
	}
}

// Open finds a box that runs. The error means that it has ended.
func Open(f Files) (*Box, error) {
	c, _, err := ask(f.Socket, request{Verb: verbFollow})
	if err != nil {
		return nil, err
	}
	b := &Box{files: f, done: make(chan struct{})}
	go func() {
		_, _ = receive(c, nil) // ends with the box
		c.Close()
		close(b.done)
	}()
	return b, nil
}

// Ended is how a box ended that does not run.
func Ended(f Files) Result { return f.result() }

// Done is closed when the box has ended.
func (b *Box) Done() <-chan struct{} { return b.done }

// Result is how it ended.
func (b *Box) Result() Result { return b.files.result() }

func (f Files) result() Result {
	lost := Result{Code: Lost, Error: "nobody knows how it ended", At: time.Now()}
	if st, err := os.Stat(f.Result); err == nil {
		lost.At = st.ModTime()
	}
	b, err := os.ReadFile(f.Result)
	var r Result
	if err != nil || json.Unmarshal(b, &r) != nil {
		return lost
	}
	return r
}

// Stop asks the program to end, and ends all that runs in the box after the grace.
func (b *Box) Stop(grace time.Duration) error {
	if grace > 0 {
		if err := b.tell(request{Verb: verbSignal, Signal: int(unix.SIGTERM)}); err != nil {
			return b.unlessDone(err)
		}
		select {
		case <-b.done:
			return nil
		case <-time.After(grace):
		}
	}
	if err := b.tell(request{Verb: verbSignal, Signal: int(unix.SIGKILL)}); err != nil {
		return b.unlessDone(err)
	}
	<-b.done
	return nil
}

func (b *Box) unlessDone(err error) error {
	select {
	case <-b.done:
		return nil
	case <-time.After(time.Second):
		return err
	}
}

// Reopen begins a new log file after the old one was renamed.
func (b *Box) Reopen() error {
	log, err := openLog(b.files.Log)
	if err != nil {
		return err
	}
	defer log.Close()
	return b.tell(request{Verb: verbReopen}, log)
}

// tell sends a request that is answered at once.
func (b *Box) tell(r request, files ...*os.File) error {
	c, _, err := ask(b.files.Socket, r, files...)
	if err != nil {
		return err
	}
	return c.Close()
}

// Check says why boxes cannot be made here; nil if they can. It makes one.
func Check(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	tmp, err := os.MkdirTemp(dir, "check")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	at := func(name string) string { return filepath.Join(tmp, name) }
	b, err := Start(Spec{Scratch: at("root"), Args: []string{"true"}, Env: []string{"PATH=" + DefaultPath}, Hostname: "check",
		User: os.Getuid(), Group: os.Getgid()}, Files{Socket: at("s"), Result: at("result")})
	if err != nil {
		return fmt.Errorf("%w; %s", err, advice())
	}
	<-b.Done()
	return nil
}

// advice names the settings that forbid user namespaces, as far as they can be read.
func advice() string {
	settings := []struct{ path, forbids, remedy string }{
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile with userns for this program"},
		{"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"},
	}
	for _, s := range settings {
		if b, err := os.ReadFile(s.path); err == nil && strings.TrimSpace(string(b)) == s.forbids {
			return "the machine forbids it to ordinary users; its administrator allows it with: " + s.remedy
		}
	}
	return "it takes Linux 5.12 with user namespaces for ordinary users (kernel.unprivileged_userns_clone, kernel.apparmor_restrict_unprivileged_userns, user.max_user_namespaces), and inside a container an unmasked /proc"
}

// DefaultPath is where programs are looked for that a container names without a path.
const DefaultPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
