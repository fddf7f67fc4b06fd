package app

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/localcluster"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/team"
)

// Welcome is what the first person needs to know.
type Welcome struct {
	URL       string
	SignIn    string
	ExpiresAt time.Time
}

// Bootstrap makes the administrator, a first team and the images that come
// along, where there are none, and a sign-in link. It may run at every start.
func (a *App) Bootstrap(ctx context.Context) (Welcome, error) {
	ctx = authz.AsSystem(ctx)
	u, _, err := a.Accounts.EnsureAdministrator(ctx)
	if err != nil {
		return Welcome{}, fmt.Errorf("first administrator: %w", err)
	}
	n, err := a.DB.Client.Team.Query().Count(ctx)
	if err != nil {
		return Welcome{}, fmt.Errorf("count teams: %w", err)
	}
	if n == 0 {
		if err := a.firstTeam(ctx, u.ID); err != nil {
			return Welcome{}, fmt.Errorf("first team: %w", err)
		}
	}
	if err := a.Images.Seed(ctx, a.seeds()); err != nil {
		return Welcome{}, fmt.Errorf("images: %w", err)
	}
	link, expires, err := a.Accounts.NewSignInLink(ctx, u.ID)
	if err != nil {
		return Welcome{}, fmt.Errorf("sign-in link: %w", err)
	}
	return Welcome{URL: a.Config.URL, SignIn: link, ExpiresAt: expires}, nil
}

// firstTeam has a quota that shows what quotas are without being in the way of
// one machine.
func (a *App) firstTeam(ctx context.Context, adminID string) error {
	text := func(s string) *string { return &s }
	count := func(n int64) *int64 { return &n }
	t, err := a.Teams.Create(ctx, team.CreateInput{
		Name: "Lab",
		Quota: team.QuotaInput{
			CPU: text("32"), Memory: text("64Gi"), Storage: text("500Gi"),
			GPU: count(4), Volumes: count(50), Pods: count(50),
		},
		Overcommit: spec.Overcommit{CPU: 4, Memory: 2},
	})
	if err != nil {
		return err
	}
	owner := authz.RoleOwner
	_, err = a.Teams.SetMember(ctx, t.ID, adminID, &owner)
	return err
}

// seeds are the images whose archives the local Kubernetes imports; elsewhere
// administrators add those of their registry.
func (a *App) seeds() []image.SeedImage {
	if !a.Config.Cluster.Local {
		return nil
	}
	all := []struct {
		archive string
		image   image.SeedImage
	}{
		{"dev.tar", image.SeedImage{
			Name: "Python and JupyterLab", Reference: "goblinlab.local/dev:1", Framework: "Python", Version: "3.13",
			Description: "Debian 13 with Python, NumPy, JupyterLab and SSH. Runs without a GPU.",
			Development: true, Recommended: true, Apps: []string{"jupyterlab", "sshd"},
		}},
		{"mini.tar", image.SeedImage{
			Name: "Minimal shell", Reference: "goblinlab.local/mini:1", Framework: "BusyBox", Version: "1",
			Description: "A shell and the usual small tools; starts at once. For scripts and trials.",
			Development: true,
		}},
	}
	var out []image.SeedImage
	for _, s := range all {
		if st, err := os.Stat(filepath.Join(a.Config.Cluster.LocalImage, s.archive)); err == nil {
			s.image.SizeBytes = st.Size()
			out = append(out, s.image)
		}
	}
	return out
}

// StartLocal starts the local Kubernetes for a configuration that asks for it.
// The caller stops it.
func StartLocal(ctx context.Context, data, bin, images string, say func(string)) (*localcluster.Cluster, error) {
	return localcluster.Start(ctx, localcluster.Config{Dir: filepath.Join(data, "cluster"), Bin: bin, Images: images, Say: say})
}
