package devinit

import (
	"fmt"
	"os"
	"path/filepath"
)

const jupyterPort = 8888

func jupyterLab() App {
	return App{
		Name: "jupyterlab", Port: jupyterPort, Program: "jupyter-lab",
		Prepare: jupyterPrepare, Args: jupyterArgs, Env: jupyterEnv,
		Ready: answers(jupyterPort, func(s Settings) string { return s.JupyterBase + "api" }),
	}
}

func jupyterTokenFile(s Settings) string { return filepath.Join(s.RunDir, "jupyter-token") }
func jupyterRuntime(s Settings) string   { return filepath.Join(s.RunDir, "jupyter") }

// jupyterPrepare writes the token. JupyterLab takes it from the file that
// JUPYTER_TOKEN_FILE names; in JUPYTER_TOKEN itself every kernel and terminal
// would inherit it. Without a password nobody can sign in: an empty token would
// mean that everybody can.
func jupyterPrepare(l Launch) error {
	token := l.Secrets.Password
	if token == "" {
		l.Log("PASSWORD is not set: nobody can sign in to JupyterLab")
		var err error
		if token, err = randomSecret(); err != nil {
			return err
		}
	}
	if err := os.MkdirAll(jupyterRuntime(l.Settings), 0o700); err != nil {
		return fmt.Errorf("make runtime folder: %w", err)
	}
	return writeFile(jupyterTokenFile(l.Settings), []byte(token), 0o600)
}

// jupyterArgs: the gateway in front speaks to the instance under other names
// than localhost (allow_remote_access) and each app has an origin of its own
// (no allow_origin). Nothing is fetched from outside: no news, no look for
// updates, no list of extensions.
func jupyterArgs(l Launch) []string {
	return []string{
		"--ip=0.0.0.0",
		fmt.Sprintf("--port=%d", jupyterPort),
		"--ServerApp.port_retries=0",
		"--no-browser",
		"--allow-root",
		"--ServerApp.root_dir=" + l.Home,
		"--ServerApp.base_url=" + l.JupyterBase,
		"--ServerApp.allow_origin=",
		"--ServerApp.allow_remote_access=True",
		"--ServerApp.terminals_enabled=True",
		"--ServerApp.quit_button=False",
		"--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",
		"--LabApp.news_url=None",
		"--LabApp.extension_manager=readonly",
	}
}

// jupyterEnv keeps the runtime files, which hold the token, off the home
// volume.
func jupyterEnv(l Launch) []string {
	return []string{
		"JUPYTER_TOKEN_FILE=" + jupyterTokenFile(l.Settings),
		"JUPYTER_RUNTIME_DIR=" + jupyterRuntime(l.Settings),
	}
}
