package manifest

import (
	"bytes"
	"encoding/base64"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden renders every case as a YAML stream by the file's name.
func golden(t *testing.T) map[string][]byte {
	t.Helper()
	out := map[string][]byte{}
	add := func(name string, objects ...any) {
		var b bytes.Buffer
		for i, o := range objects {
			if i > 0 {
				b.WriteString("---\n")
			}
			doc, err := yaml.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			b.Write(doc)
		}
		out[name+".yaml"] = b.Bytes()
	}
	for name, i := range instanceCases() {
		add(name, StatefulSet(i), Service(i))
	}
	for name, a := range attemptCases() {
		add(name, Job(a))
	}
	for name, c := range teamCases() {
		o := TeamNamespace(c)
		list := []any{o.Namespace, o.ResourceQuota, o.LimitRange, o.ServiceAccount, o.Role, o.RoleBinding}
		for _, p := range o.NetworkPolicies {
			list = append(list, p)
		}
		add(name, list...)
	}
	for name, v := range volumeCases() {
		add(name, PersistentVolumeClaim(v))
	}
	for name, v := range shareCases() {
		pv, err := SharePersistentVolume(v)
		if err != nil {
			t.Fatal(err)
		}
		add(name, pv, ShareClaim(v))
	}
	var classes []any
	for _, c := range PriorityClasses() {
		classes = append(classes, c)
	}
	add("cluster", classes...)
	return out
}

func TestGolden(t *testing.T) {
	t.Parallel()
	got := golden(t)
	if *update {
		for name, b := range got {
			if err := os.WriteFile(filepath.Join("testdata", name), b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, b := range got {
		want, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			t.Errorf("%s: %v; run with -update", name, err)
			continue
		}
		if diff := cmp.Diff(string(want), string(b)); diff != "" {
			t.Errorf("%s differs (-want +got), run with -update when it should:\n%s", name, diff)
		}
	}
	files, err := filepath.Glob("testdata/*.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if _, known := got[filepath.Base(f)]; !known {
			t.Errorf("%s belongs to no case", f)
		}
	}
}

func TestBuildersAreDeterministic(t *testing.T) {
	t.Parallel()
	if diff := cmp.Diff(golden(t), golden(t)); diff != "" {
		t.Error(diff)
	}
}

func TestNoSecretValueLeavesItsSecret(t *testing.T) {
	t.Parallel()
	i := instance()
	login := LoginSecret(i, Login{Password: secretPassword, RootPassword: secretRoot, Token: secretToken})
	keys := HostKeySecret(i, map[string][]byte{"ssh_host_ed25519_key": []byte(secretRoot)})

	user := UserSecret{Name: "u", ID: "sec-d4k1q0c2h5s6u0a3b7m0", Data: map[string][]byte{"token": []byte(secretToken)}, Hide: []string{"token"}}
	started, tried := InstanceSecret(i, user), AttemptSecret(attempt(), user)
	pull := TeamPullSecret(teamCases()["team"], PullSecret{Name: "p", ID: user.ID, Config: []byte(secretPassword)})
	if printed := fmt.Sprintf("%v %+v %#v %v", user, user, user, PullSecret{Config: []byte(secretPassword)}); strings.Contains(printed, secretToken) || strings.Contains(printed, secretPassword) {
		t.Errorf("it prints itself: %s", printed)
	}

	rendered := golden(t)
	for _, s := range []any{
		started.Labels, started.Annotations, tried.Labels, tried.Annotations, pull.Labels, pull.Annotations,
		login.Labels, login.Annotations, login.Name, keys.Labels, keys.Annotations, keys.Name,
	} {
		b, err := yaml.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		rendered["metadata of a Secret"] = append(rendered["metadata of a Secret"], b...)
	}
	for name, b := range rendered {
		for _, secret := range []string{secretPassword, secretRoot, secretToken} {
			for _, form := range []string{secret, base64.StdEncoding.EncodeToString([]byte(secret))} {
				if strings.Contains(string(b), form) {
					t.Errorf("%s holds a secret value", name)
				}
			}
		}
	}
	want := map[string]string{"PASSWORD": secretPassword, "ROOT_PASSWORD": secretRoot, "GOBLINLAB_TOKEN": secretToken}
	got := map[string]string{}
	for k, v := range login.Data {
		got[k] = string(v)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the login Secret (-want +got):\n%s", diff)
	}
	if login.StringData != nil {
		t.Error("stringData is write-only and would fight over ownership of data")
	}
}

// Labels and annotations hold fixed words, ids, names, e-mail and times; a
// value of the environment or of a command never gets there.
func TestMetadataHoldsNothingThatUsersTypeIntoTheirPrograms(t *testing.T) {
	t.Parallel()
	const typed = "typed-into-the-program"
	i := instance(func(i *Instance) {
		i.Env = append(i.Env, envVar("A", typed))
		i.Command, i.Args = []string{typed}, []string{typed}
	})
	a := attempt(func(a *Attempt) {
		a.Env = append(a.Env, envVar("A", typed))
		a.Command, a.Args = []string{typed}, []string{typed}
	})
	set, job := StatefulSet(i), Job(a)
	for _, m := range []map[string]string{
		set.Labels, set.Annotations, set.Spec.Template.Labels, set.Spec.Template.Annotations,
		job.Labels, job.Annotations, job.Spec.Template.Labels, job.Spec.Template.Annotations,
	} {
		for v := range maps.Values(m) {
			if strings.Contains(v, typed) {
				t.Errorf("%q is among labels or annotations", v)
			}
		}
	}
}
