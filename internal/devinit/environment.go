package devinit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// perSession are variables that each login sets itself.
var perSession = []string{
	"HOME", "HOSTNAME", "LOGNAME", "MAIL", "OLDPWD", "PWD", "SHELL", "SHLVL", "TERM", "USER", "_",
}

// sessionVars returns the variables that a login shall see, sorted. Secrets are
// dropped once more, in case a caller forgot.
func sessionVars(environ []string) []string {
	drop := append(slices.Clone(perSession), envPassword, envRootPassword, envHandover)
	vars := dropVars(environ, drop...)
	vars = slices.DeleteFunc(vars, func(kv string) bool {
		name, _, _ := strings.Cut(kv, "=")
		return !validName(name) || strings.HasPrefix(name, "SSH_")
	})
	slices.Sort(vars)
	return vars
}

// validName reports whether a shell can export the name. Kubernetes allows
// dots and dashes in names; shells do not.
func validName(name string) bool {
	for i, r := range name {
		letter := r == '_' || 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return false
		}
	}
	return name != ""
}

// shellExports renders the environment for a POSIX shell to read.
func shellExports(environ []string) string {
	var b strings.Builder
	b.WriteString("# Written by goblin-init at every start.\n")
	for _, kv := range sessionVars(environ) {
		name, value, _ := strings.Cut(kv, "=")
		fmt.Fprintf(&b, "export %s='%s'\n", name, strings.ReplaceAll(value, "'", `'\''`))
	}
	return b.String()
}

// sshdSetEnv renders the environment as sshd's SetEnv directive, which counts
// for commands without a login shell too. A value with a line break cannot be
// said there; login shells still have it from shellExports.
func sshdSetEnv(environ []string) string {
	var words []string
	quote := strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	for _, kv := range sessionVars(environ) {
		if strings.ContainsAny(kv, "\n\r\x00") {
			continue
		}
		words = append(words, `"`+quote.Replace(kv)+`"`)
	}
	if len(words) == 0 {
		return ""
	}
	return "SetEnv " + strings.Join(words, " ") + "\n"
}

// writeEnvironment puts the environment where login shells find it. The values
// stay in the run folder, which no snapshot of the container contains, readable
// by root alone; the profile's snippet is constant.
func writeEnvironment(s Settings) error {
	file := filepath.Join(s.RunDir, "environment.sh")
	if err := writeFile(file, []byte(shellExports(s.Environ)), 0o600); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Dir(s.Profile)); errors.Is(err, fs.ErrNotExist) {
		return nil // no profile folder, so no login shell that reads it
	} else if err != nil {
		return fmt.Errorf("folder of profiles: %w", err)
	}
	snippet := "# Written by goblin-init: the container's environment for login shells.\n" +
		"unset PASSWORD ROOT_PASSWORD\n" +
		"[ ! -r " + file + " ] || . " + file + "\n"
	return writeFile(s.Profile, []byte(snippet), 0o644)
}
