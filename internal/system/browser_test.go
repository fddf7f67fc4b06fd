//go:build cluster

package system

import (
	"os"
	"os/exec"
	"path/filepath"
	"sort"
	"testing"

	"github.com/goblinlab/goblinlab/internal/testkit"
)

// TestBrowser runs the page's own scenarios in Chromium, each against a
// GoblinLab of its own.
func TestBrowser(t *testing.T) {
	files, err := filepath.Glob("../../frontend/e2e/*.e2e.mjs")
	if err != nil || len(files) < 2 {
		t.Fatalf("%d scenarios, %v", len(files), err)
	}
	sort.Strings(files)
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			l := newLab(t)
			p := l.admin()
			p.image(testkit.ImageMini, true)
			p.image(testkit.ImageDev, true)
			cmd := exec.CommandContext(t.Context(), "node", "--test", "--test-reporter=spec", "--test-force-exit", filepath.Join("e2e", filepath.Base(f)))
			cmd.Dir = "../../frontend"
			cmd.Env = append(os.Environ(), "GOBLINLAB_URL="+l.url, "GOBLINLAB_SIGN_IN_URL="+l.newLink(p))
			out, err := cmd.CombinedOutput()
			if err != nil {
				t.Errorf("%v\n%s", err, out)
			}
		})
	}
}

// newLink makes a person and gives their one-time link: an administrator, so
// that the scenarios see every page.
func (l *lab) newLink(p *person) string {
	l.t.Helper()
	cmd := exec.CommandContext(l.t.Context(), l.bin, append([]string{"sign-in-link"}, l.flags...)...)
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("sign-in-link: %v", err)
	}
	for i, b := range out {
		if b == '\n' {
			return string(out[:i])
		}
	}
	return string(out)
}
