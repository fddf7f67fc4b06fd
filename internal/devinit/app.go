package devinit

import (
	"os"
	"path/filepath"
	"strings"
)

// App is a row of the table of apps. To add an app, write its functions into a
// file of its own and append its row to Apps; nothing else knows the names.
type App struct {
	Name    string
	Port    int
	Program string // looked for in PATH; an app without it is absent

	// Root says that the app needs root's rights: without them it is absent.
	Root bool

	// Inner is where an app listens that is started on demand, on loopback; 0 is
	// an app that starts with the container. goblin-init holds Port, asks for
	// the password, starts the app at the first request and passes on to it.
	Inner int

	// Prepare makes what the app needs on disk, before each of its starts. It
	// may be nil. It must not put a secret anywhere but into a file that only
	// root can read.
	Prepare func(Launch) error
	// Args returns the arguments after the program's name. They can be read by
	// every process: no secrets.
	Args func(Launch) []string
	// Env adds to the environment, which every shell below the app inherits: no
	// secrets. It may be nil.
	Env func(Launch) []string
	// Ready reports whether the app accepts connections.
	Ready Probe
}

// Launch is what an app is started with.
type Launch struct {
	Settings
	Secrets Secrets
	Tool    Tool // runs a helper such as ssh-keygen
	Log     func(message string)
}

// Apps is the table of the apps of a development instance.
func Apps() []App {
	return []App{jupyterLab(), codeServer(), tensorBoard(), sshServer()}
}

// lookPath finds a program the way a shell with this environment would. The
// process's own PATH does not count.
func lookPath(program string, environ []string) (string, bool) {
	if strings.Contains(program, "/") {
		return program, executable(program)
	}
	for _, dir := range filepath.SplitList(environMap(environ)["PATH"]) {
		if path := filepath.Join(dir, program); dir != "" && executable(path) {
			return path, true
		}
	}
	return "", false
}

func executable(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0
}
