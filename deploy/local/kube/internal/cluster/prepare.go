package cluster

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/containerd"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/dns"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/layout"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/machine"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/metrics"
	"github.com/goblinlab/goblinlab/deploy/local/kube/internal/mountns"
)

// inherited passes the numbers of open files from the first stage to the second: locks, then the machine's mount namespace.
const inherited = "GOBLINLAB_LOCAL_INHERITED"

// UpOptions are the settings of a start.
type UpOptions struct {
	Dir     string
	Bin     string   // folder of the runtime's programs
	Nodes   string   // nodes file, empty for the default
	Port    int      // 0 for the remembered or a free one
	NoFsync bool     // faster, and a power cut may lose the cluster
	Images  []string // archives to import
	Manager []string // further flags of the controller manager; they win over ours
	Choice  Choice   // of what runs the containers
	Init    string   // without root: program for containers that name none; may be empty
}

// Prepare is the first stage of a start. On success it does not return: the process goes on as the second stage.
// It must be called on the main thread, or a death signal that our parent asked for would be lost.
func Prepare(o UpOptions, args []string, say func(format string, args ...any)) error {
	l, err := layout.New(o.Dir)
	if err != nil {
		return err
	}
	if err := requirements(o); err != nil {
		return err
	}
	if err := os.MkdirAll(l.Dir, 0o755); err != nil {
		return err
	}
	if l, err = layout.New(o.Dir); err != nil { // links can be resolved now
		return err
	}
	locks, err := lockCluster(l)
	if err != nil {
		return err
	}
	if err := machine.MakeAlone(l, say); err != nil {
		return err
	}
	s, err := decide(l, o)
	if err != nil {
		return err
	}
	if err := settle(l, s); err != nil {
		return err
	}
	first, err := os.Open(filepath.Join(l.Pins(), s.Nodes[0].Name))
	if err != nil {
		return err
	}
	host, err := os.Open("/proc/self/ns/mnt")
	if err != nil {
		return err
	}
	return continueInside(first, append(locks, host), args)
}

// requirements checks what the machine and the folder of programs must have.
func requirements(o UpOptions) error {
	for _, p := range append([]string{dns.Program, metrics.Program}, containerd.Programs...) {
		if _, err := os.Stat(filepath.Join(o.Bin, p)); err != nil {
			return fmt.Errorf("%s is missing in %s; build it with: make -C deploy/local, or name the folder that has runtime/ with --bin", p, o.Bin)
		}
	}
	if _, err := exec.LookPath("iptables"); err != nil {
		return errors.New("the program iptables is missing; install it with: apt-get install iptables")
	}
	filesystems, err := os.ReadFile("/proc/filesystems")
	if err != nil {
		return err
	}
	if !strings.Contains(string(filesystems), "\toverlay\n") {
		// It may be a module that is loaded on first use; without modprobe the first mount tells.
		_ = exec.Command("modprobe", "overlay").Run()
	}
	for _, image := range o.Images {
		if _, err := os.Stat(image); err != nil {
			return fmt.Errorf("image archive: %w", err)
		}
	}
	return nil
}

// decide fixes nodes, ports and interfaces of this start and remembers them.
func decide(l layout.Layout, o UpOptions) (saved, error) {
	s, err := loadSaved(l)
	if err != nil {
		return s, err
	}
	if s, err = s.withRuntime(o.Choice.Runtime); err != nil {
		return s, err
	}
	nodes, err := s.wanted(o.Nodes)
	if err != nil {
		return s, err
	}
	if s, err = s.withPort(o.Port); err != nil {
		return s, err
	}
	if s, err = s.withNodes(nodes); err != nil {
		return s, err
	}
	return s, s.write(l)
}

// continueInside executes this program again, in a mount namespace, with files kept open.
func continueInside(namespace *os.File, files []*os.File, args []string) error {
	self, err := os.Executable()
	if err != nil {
		return err
	}
	var numbers []string
	for _, f := range files {
		if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
			return err
		}
		numbers = append(numbers, strconv.Itoa(int(f.Fd())))
	}
	if err := mountns.Enter(namespace); err != nil {
		return err
	}
	env := append(os.Environ(), inherited+"="+strings.Join(numbers, ","))
	return fmt.Errorf("execute %s: %w", self, syscall.Exec(self, args, env))
}

// Prepared says whether this process is in the second stage.
func Prepared() bool { return os.Getenv(inherited) != "" }

// takeInherited gives the machine's mount namespace, which the first stage opened.
func takeInherited() (*os.File, error) {
	if err := keepFromChildren(); err != nil {
		return nil, err
	}
	var files []*os.File
	for s := range strings.SplitSeq(os.Getenv(inherited), ",") {
		fd, err := strconv.Atoi(s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", inherited, err)
		}
		files = append(files, os.NewFile(uintptr(fd), "inherited"))
	}
	const locks = 2
	if len(files) != locks+1 {
		return nil, fmt.Errorf("%s names %d files", inherited, len(files))
	}
	heldLocks = files[:locks]
	return files[locks], os.Unsetenv(inherited)
}

// keepFromChildren closes every open file to child processes, also those that our parent left open: a lock must end with
// this process, and shims outlive it.
func keepFromChildren() error {
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return err
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > unix.Stderr {
			unix.CloseOnExec(fd)
		}
	}
	return nil
}

// heldLocks keeps the locks from being closed by the garbage collector.
var heldLocks []*os.File
