package gateway_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strings"
	"testing"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// TestEachAppIsShownThePasswordItsOwnWay: nobody types it, no browser holds it,
// and what a browser shows in its place does not come through.
func TestEachAppIsShownThePasswordItsOwnWay(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	i := w.instance(nil)
	w.change(i, func(u *ent.InstanceUpdateOne) {
		u.SetApps([]spec.App{{Name: "code-server", Port: 8080, State: "ready"}, {Name: "tensorboard", Port: 6006, State: "idle"}})
	})
	w.listen(i, 8080, notebook(t))
	w.listen(i, 6006, notebook(t))
	b := w.SignIn(t, w.Cast.Member)
	sum := sha256.Sum256([]byte("s3cret-1"))
	key := hex.EncodeToString(sum[:])

	address := w.open(b, i, "code-server")
	if !strings.HasPrefix(address, w.host(i, "code-server")+"/") || strings.Contains(address, key) {
		t.Fatalf("address %s", address)
	}
	if res, body := get(t, b.HTTP, address); res.StatusCode != http.StatusOK || !strings.Contains(body, "path=/ ") || !strings.Contains(body, "cookies=code-server-session="+key+" ") {
		t.Errorf("code-server is not signed in: %s %s", res.Status, body)
	}
	_, body := get(t, b.HTTP, w.host(i, "code-server")+"/x", "Cookie", "code-server-session=forged; theme=dark")
	if strings.Contains(body, "forged") || !strings.Contains(body, "theme=dark") || !strings.Contains(body, "; code-server-session="+key) {
		t.Errorf("what reached code-server: %s", body)
	}
	if strings.Contains(body, "goblinlab-app=") {
		t.Errorf("our cookie reached code-server: %s", body)
	}

	// An app that starts when it is opened can be opened while it is idle.
	if _, body := get(t, b.HTTP, w.open(b, i, "tensorboard")); !strings.Contains(body, "auth=Bearer s3cret-1") {
		t.Errorf("what reached TensorBoard: %s", body)
	}
	u := w.host(i, "tensorboard")
	if _, body := get(t, b.HTTP, u+"/data", "Authorization", "Bearer forged"); !strings.Contains(body, "auth=Bearer s3cret-1") || strings.Contains(body, key) {
		t.Errorf("what reached TensorBoard: %s", body)
	}
}
