// Package logtest makes what tests of logs need: a bucket in a folder, and an
// attempt with the rows around it.
package logtest

import (
	"testing"

	"gocloud.dev/blob"
	"gocloud.dev/blob/fileblob"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/db"
	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/spec"
	"github.com/goblinlab/goblinlab/internal/testkit"
)

// Bucket is a new folder as a bucket, and its path.
func Bucket(t testing.TB) (*blob.Bucket, string) {
	t.Helper()
	dir := t.TempDir()
	b, err := fileblob.OpenBucket(dir, &fileblob.Options{NoTempDir: true, Metadata: fileblob.MetadataDontWrite})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = b.Close() })
	return b, dir
}

// Image makes an image that every team sees.
func Image(t testing.TB, d *db.DB, reference string) *ent.Image {
	t.Helper()
	i, err := d.Client.Image.Create().SetName(reference).SetReference(reference).Save(testkit.System(t))
	if err != nil {
		t.Fatal(err)
	}
	return i
}

// Run makes a task and a run of it, without attempts.
func Run(t testing.TB, d *db.DB, team *ent.Team, owner *ent.User, image *ent.Image, task spec.Task) *ent.Run {
	t.Helper()
	ctx := testkit.System(t)
	task.ImageID = image.ID
	tr, err := d.Client.Task.Create().SetTeamID(team.ID).SetOwnerID(owner.ID).SetName("train").SetImageID(image.ID).SetSpec(task).Save(ctx)
	if err != nil {
		t.Fatal(err)
	}
	r, err := d.Client.Run.Create().SetTeamID(team.ID).SetOwnerID(owner.ID).SetTaskID(tr.ID).SetName("train").Save(ctx)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Attempt makes the first attempt of a new run.
func Attempt(t testing.TB, d *db.DB, team *ent.Team, owner *ent.User) *ent.Attempt {
	t.Helper()
	r := Run(t, d, team, owner, Image(t, d, "img:1"), spec.Task{Command: []string{"true"}})
	id := ident.New(ident.Attempt)
	a, err := d.Client.Attempt.Create().SetID(id).SetTeamID(team.ID).SetRunID(r.ID).SetNumber(1).
		SetJobName(ident.ObjectName("train", id)).Save(testkit.System(t))
	if err != nil {
		t.Fatal(err)
	}
	return a
}
