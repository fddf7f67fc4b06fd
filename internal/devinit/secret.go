package devinit

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Names of the variables in which the platform delivers the instance's secrets.
const (
	envPassword     = "PASSWORD"
	envRootPassword = "ROOT_PASSWORD"

	// envToken is a secret of the user's own programs, which need it: it stays
	// in the environment, and out of logs.
	envToken = "GOBLINLAB_TOKEN"

	// envHandover carries the number of the pipe that holds the secrets from
	// the first incarnation of the process to the second.
	envHandover = "GOBLIN_INIT_SECRETS_FD"
)

// Secrets are what protects the apps. They are changed at every start of the
// instance.
type Secrets struct {
	Password     string `json:"password"`      // of JupyterLab (its token), code-server and TensorBoard
	RootPassword string `json:"root_password"` // password of root over SSH
}

// String hides the content from every formatting verb that logs use.
func (Secrets) String() string { return "[hidden]" }

// GoString does the same for %#v.
func (Secrets) GoString() string { return "[hidden]" }

// Carries reports whether a request shows the password: as "Bearer …", as
// "token …" like JupyterLab's, or as the password of a browser's own dialogue,
// with any name. Without a password none does.
func (s Secrets) Carries(r *http.Request) bool {
	shown := ""
	if _, password, ok := r.BasicAuth(); ok {
		shown = password
	} else if scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " "); strings.EqualFold(scheme, "bearer") || strings.EqualFold(scheme, "token") {
		shown = token
	}
	return s.Password != "" && subtle.ConstantTimeCompare([]byte(shown), []byte(s.Password)) == 1
}

// randomSecret stands for a secret that is missing: nobody knows it.
func randomSecret() (string, error) {
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		return "", fmt.Errorf("make secret: %w", err)
	}
	return hex.EncodeToString(random[:]), nil
}

// SplitSecrets takes the secrets out of an environment and returns what is
// left. found is false when there was none.
func SplitSecrets(environ []string) (secrets Secrets, rest []string, found bool) {
	env := environMap(environ)
	secrets = Secrets{Password: env[envPassword], RootPassword: env[envRootPassword]}
	return secrets, dropVars(environ, envPassword, envRootPassword), secrets != Secrets{}
}

// TakeSecrets returns the secrets and the environment without them.
//
// A process cannot remove a variable from /proc/1/environ, where every shell of
// the container could read it. So the first incarnation writes the secrets into
// a pipe and executes itself with a clean environment (it does not return); the
// second one, which keeps the process id, reads the pipe.
func TakeSecrets(args, environ []string) (Secrets, []string, error) {
	if fd := environMap(environ)[envHandover]; fd != "" {
		secrets, err := receive(fd)
		return secrets, dropVars(environ, envHandover, envPassword, envRootPassword), err
	}
	secrets, rest, found := SplitSecrets(environ)
	if !found {
		return Secrets{}, rest, nil
	}
	return Secrets{}, nil, handOver(secrets, args, rest)
}

// handOver executes this program again. It returns only if that failed.
func handOver(secrets Secrets, args, environ []string) error {
	self, err := os.Executable()
	if err != nil {
		return fmt.Errorf("find own program: %w", err)
	}
	data, err := json.Marshal(secrets)
	if err != nil {
		return fmt.Errorf("encode secrets: %w", err)
	}
	var fds [2]int
	if err := unix.Pipe2(fds[:], unix.O_NONBLOCK); err != nil { // inherited on purpose
		return fmt.Errorf("make pipe: %w", err)
	}
	n, err := unix.Write(fds[1], data)
	if err == nil && n != len(data) {
		err = io.ErrShortWrite
	}
	if err != nil {
		return fmt.Errorf("%w: secrets of %d bytes are too long: %w", ErrSettings, len(data), err)
	}
	if err := unix.Close(fds[1]); err != nil {
		return fmt.Errorf("close pipe: %w", err)
	}
	environ = setVar(environ, envHandover, strconv.Itoa(fds[0]))
	return fmt.Errorf("execute %s again: %w", self, unix.Exec(self, args, environ))
}

// receive reads the secrets from the inherited pipe and closes it.
func receive(fd string) (Secrets, error) {
	n, err := strconv.Atoi(fd)
	if err != nil || n < 3 {
		return Secrets{}, fmt.Errorf("%w: %s=%q", ErrSettings, envHandover, fd)
	}
	f := os.NewFile(uintptr(n), "secrets")
	if f == nil {
		return Secrets{}, fmt.Errorf("%w: %s=%q", ErrSettings, envHandover, fd)
	}
	data, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		return Secrets{}, fmt.Errorf("read secrets: %w", err)
	}
	var s Secrets
	if err := json.Unmarshal(data, &s); err != nil {
		return Secrets{}, fmt.Errorf("%w: the secrets are unreadable", ErrSettings) // the cause would quote them
	}
	return s, nil
}
