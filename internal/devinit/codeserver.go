package devinit

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

const codePort = 8080

// codeServer is VS Code in the browser.
func codeServer() App {
	return App{
		Name: "code-server", Port: codePort, Program: "code-server",
		Prepare: codePrepare, Args: codeArgs,
		Ready: answers(codePort, func(Settings) string { return "/healthz" }),
	}
}

func codeRun(s Settings) string    { return filepath.Join(s.RunDir, "code-server") }
func codeConfig(s Settings) string { return filepath.Join(codeRun(s), "config.yaml") }
func codeData(s Settings) string   { return filepath.Join(s.Home, ".local/share/code-server") }

// codeKey is what code-server keeps of a password, and at the same time the
// value of its session cookie: the hexadecimal SHA-256. The platform's gateway
// shows it as well (docs/images.md). A password of the platform has 192 bits of
// chance, so that a slow hash would only make each request slower.
func codeKey(password string) string {
	sum := sha256.Sum256([]byte(password))
	return hex.EncodeToString(sum[:])
}

// codeFirst are the settings of a home in which code-server never ran: no
// welcome page, and nothing that waits for the internet. They are the user's
// from then on.
const codeFirst = `{
  "workbench.startupEditor": "none",
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "workbench.tips.enabled": false,
  "chat.disableAIFeatures": true,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  "telemetry.telemetryLevel": "off",
  "update.showReleaseNotes": false
}
`

// codePrepare writes the password's hash where code-server alone reads it: its
// environment would be readable in /proc, its arguments too. Without a password
// nobody can sign in.
func codePrepare(l Launch) error {
	password := l.Secrets.Password
	if password == "" {
		l.Log("PASSWORD is not set: nobody can sign in to code-server")
		var err error
		if password, err = randomSecret(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(codeRun(l.Settings), 0o700); err != nil {
		return fmt.Errorf("make code-server's folder: %w", err)
	}
	config := fmt.Sprintf("auth: password\nhashed-password: %q\n", codeKey(password))
	if err := writeFile(codeConfig(l.Settings), []byte(config), 0o600); err != nil {
		return err
	}
	return codeSettings(codeData(l.Settings))
}

// codeSettings gives a home that never saw code-server its first settings.
func codeSettings(data string) error {
	if _, err := os.Lstat(data); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	user := filepath.Join(data, "User")
	if err := os.MkdirAll(user, 0o755); err != nil {
		return fmt.Errorf("make code-server's data folder: %w", err)
	}
	return writeFile(filepath.Join(user, "settings.json"), []byte(codeFirst), 0o644)
}

// codeArgs: host and port win over PORT and CODE_SERVER_HOST, which may be the
// user's own variables. The socket of the command line tool stays off the home
// volume, where a network file system may have no sockets. Everything in the
// container is the user's, so that asking whether to trust a folder adds nothing.
func codeArgs(l Launch) []string {
	return []string{
		"--config=" + codeConfig(l.Settings),
		"--host=0.0.0.0",
		fmt.Sprintf("--port=%d", codePort),
		"--auth=password",
		"--user-data-dir=" + codeData(l.Settings),
		"--session-socket=" + filepath.Join(codeRun(l.Settings), "session.sock"),
		"--app-name=VS Code",
		"--disable-telemetry",
		"--disable-update-check",
		"--disable-getting-started-override",
		"--disable-workspace-trust",
		l.Home,
	}
}
