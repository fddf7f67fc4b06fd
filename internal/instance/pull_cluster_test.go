//go:build cluster

package instance

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	entevent "github.com/goblinlab/goblinlab/ent/event"
	"github.com/goblinlab/goblinlab/internal/image"
	"github.com/goblinlab/goblinlab/internal/reason"
	"github.com/goblinlab/goblinlab/internal/team"
	"github.com/goblinlab/goblinlab/internal/testkit"
	"github.com/goblinlab/goblinlab/internal/testkit/registry"
)

// TestP4APrivateImageIsPulled starts an instance of a team's image whose
// registry wants a password: the Secret that the image names comes later, then
// the pull takes its time, and all of that is told.
func TestP4APrivateImageIsPulled(t *testing.T) {
	l := newLab(t, team.QuotaInput{})
	r := registry.Start(t)
	release := make(chan struct{})
	ref := r.Push(t, "team/private", "1", registry.Image(t, 4<<20))
	r.Behave("team/private", func(next http.Handler) http.Handler {
		return registry.Basic("ada", "s3cret")(registry.Held(release)(next))
	})
	row, err := image.New(image.Deps{DB: l.db}).Create(l.as(l.Admin), image.CreateInput{
		TeamID: &l.Team.ID, Name: "private", Reference: ref, Development: true, PullSecret: "our-registry"})
	if err != nil {
		t.Fatal(err)
	}
	i := l.start(func(in *CreateInput) { in.ImageID = row.ID })
	why := func(code string, holds ...string) {
		t.Helper()
		l.eventually("its reason is "+code, func() error {
			got := l.again(i.ID)
			if got.Reason == nil || got.Reason.Code != code {
				return fmt.Errorf("it is %s %+v", got.State, got.Reason)
			}
			for _, h := range holds {
				if !strings.Contains(fmt.Sprint(got.Reason.Args), h) {
					return fmt.Errorf("it lacks %q: %+v", h, got.Reason.Args)
				}
			}
			return nil
		})
	}
	why(reason.ImageSecretMissing, "our-registry", ref)
	_, err = l.kube.CoreV1().Secrets(l.ns).Create(t.Context(), &corev1.Secret{
		ObjectMeta: metav1.ObjectMeta{Name: "our-registry"}, Type: corev1.SecretTypeDockerConfigJson,
		StringData: map[string]string{corev1.DockerConfigJsonKey: fmt.Sprintf(`{"auths":{%q:{"username":"ada","password":"s3cret"}}}`, r.Addr)},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	// The next try comes with the kubelet's back-off; the node says how far it is.
	why(reason.PullingAgain, ref, " MiB / ", "MiB")
	close(release)
	ready := l.until(i.ID, Running)
	var names []string
	for _, p := range ready.Timeline {
		names = append(names, p.Name)
	}
	if !slices.Contains(names, phasePulling) {
		t.Errorf("the timeline is %v", names)
	}
	l.eventually("the pull's story is kept, and its size", func() error {
		sys := testkit.System(t)
		for _, kind := range []string{"Pulling", "Pulled", reason.PullProgress} {
			if n := l.db.Client.Event.Query().Where(entevent.SubjectID(i.ID), entevent.Type(kind)).CountX(sys); n != 1 {
				return fmt.Errorf("%d events %s", n, kind)
			}
		}
		if size := l.db.Client.Image.GetX(sys, row.ID).SizeBytes; size == nil || *size < 4<<20 {
			return fmt.Errorf("the size is %v", size)
		}
		return nil
	})
	pods := l.pods(i.ID)
	if len(pods) != 1 || !slices.Equal(pods[0].Spec.ImagePullSecrets, []corev1.LocalObjectReference{{Name: "our-registry"}}) {
		t.Errorf("pods: %+v", pods)
	}
}
