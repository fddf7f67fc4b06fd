package app

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"time"

	"github.com/goblinlab/goblinlab/internal/authz"
	"github.com/goblinlab/goblinlab/internal/config"
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
	_, err = a.Teams.SetMember(ctx, team.Change{TeamID: t.ID, UserID: adminID, Role: &owner})
	return err
}

// localImages are the images that are built on a machine with the local
// Kubernetes; elsewhere administrators add those of their registry.
var localImages = []struct {
	archive string
	image   image.SeedImage
}{
	{"dev", image.SeedImage{
		Name: "Python, JupyterLab, VS Code", Reference: "goblinlab.local/dev:1", Framework: "Python", Version: "3.13",
		Description: "Debian 13 with Python, NumPy, JupyterLab, VS Code in the browser, git and SSH. Runs without a GPU.",
		Development: true, Recommended: true, Apps: []string{"jupyterlab", "code-server", "sshd"},
	}},
	{"mini", image.SeedImage{
		Name: "Minimal shell", Reference: "goblinlab.local/mini:1", Framework: "BusyBox", Version: "1",
		Description: "A shell and the usual small tools; starts at once. For scripts and trials.",
		Development: true,
	}},
}

// hostImage is the machine itself, which is all that a local Kubernetes without
// root has.
var hostImage = image.SeedImage{
	Name: "This machine", Reference: "goblinlab.local/host:1", Framework: "Linux", Version: "1",
	Description: "The programs of the machine on which GoblinLab runs, without its home folders. For a GoblinLab that was not started by root: no limits, shared network.",
	Development: true, Recommended: true, Apps: []string{"jupyterlab", "code-server"},
}

// filesImage is what the data manager starts beside volumes. It is in no
// catalogue: nobody makes an instance of it.
func (a *App) filesImage() string {
	switch c := a.Config; {
	case c.Files.Image != "":
		return c.Files.Image
	case !c.Cluster.Local:
		return ""
	case local(c).HostOnly():
		return hostImage.Reference
	}
	return localFiles.Reference
}

var localFiles = localcluster.Archive{Name: "files", Reference: "goblinlab.local/files:1"}

func (a *App) seeds() []image.SeedImage {
	if !a.Config.Cluster.Local {
		return nil
	}
	if local(a.Config).HostOnly() {
		return []image.SeedImage{hostImage}
	}
	var out []image.SeedImage
	for _, i := range localImages {
		out = append(out, i.image)
	}
	return out
}

func local(c config.Config) localcluster.Config {
	return localcluster.Config{
		Dir: filepath.Join(c.Data, "cluster"), Bin: c.Cluster.LocalBin, Images: c.Cluster.LocalImage,
		Init: filepath.Join(filepath.Dir(c.Cluster.LocalBin), "goblin-init"),
	}
}

// StartLocal starts the local Kubernetes for a configuration that asks for it,
// and again whenever it ends, until stop is called, which waits for its end.
func StartLocal(ctx context.Context, c config.Config, say func(string)) (kubeconfig string, stop func(), err error) {
	l := local(c)
	l.Say = say
	k, err := localcluster.Start(ctx, l)
	if err != nil {
		return "", nil, err
	}
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		localcluster.Supervise(own, l, k)
	}()
	return k.Status.Kubeconfig, func() { cancel(); <-ended }, nil
}

// deliverImages puts the images of this machine on the nodes as they are built,
// and says where they stand.
func (a *App) deliverImages(ctx context.Context) {
	if local(a.Config).HostOnly() {
		return
	}
	var archives []localcluster.Archive
	for _, i := range localImages {
		archives = append(archives, localcluster.Archive{Name: i.archive, Reference: i.image.Reference})
		a.Images.SetWaits(i.image.Reference, &spec.Reason{Code: image.Importing})
	}
	archives = append(archives, localFiles)
	a.Images.SetWaits(localFiles.Reference, &spec.Reason{Code: image.Importing})
	localcluster.Deliver(ctx, local(a.Config), archives, func(i localcluster.Archive, p localcluster.Progress) {
		why := &spec.Reason{Args: map[string]any{"step": p.Step}}
		switch p.Stage {
		case localcluster.Building:
			why.Code = image.Building
		case localcluster.Importing:
			why.Code = image.Importing
		case localcluster.Missing:
			why.Code = image.NotBuilt
		case localcluster.Failed:
			why.Code = image.BuildFailed
			slog.Warn("image is not there", "image", i.Reference, "why", p.Step)
		case localcluster.There:
			why = nil
			if i == localFiles {
				break
			}
			if err := a.Images.SetSize(ctx, i.Reference, p.Bytes); err != nil {
				slog.Warn("size of an image not noted", "err", err)
			}
			slog.Info("image is on the nodes", "image", i.Reference, "bytes", p.Bytes)
		}
		a.Images.SetWaits(i.Reference, why)
	})
}
