package manifest

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"
	"pgregory.net/rapid"

	"github.com/goblinlab/goblinlab/internal/ident"
	"github.com/goblinlab/goblinlab/internal/spec"
)

func envVar(name, value string) spec.EnvVar { return spec.EnvVar{Name: name, Value: value} }

func instancePod(i Instance) *corev1ac.PodSpecApplyConfiguration {
	return StatefulSet(i).Spec.Template.Spec
}
func attemptPod(a Attempt) *corev1ac.PodSpecApplyConfiguration { return Job(a).Spec.Template.Spec }

func TestP14ZeroGPUsMeansAbsent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		gpu         int64
		want        bool
		tolerations int
	}{
		"none":     {gpu: 0},
		"negative": {gpu: -1},
		"one":      {gpu: 1, want: true, tolerations: 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := instancePod(instance(func(i *Instance) { i.Resources.GPU = c.gpu }))
			r := p.Containers[0].Resources
			_, limit := (*r.Limits)[GPUResource]
			_, request := (*r.Requests)[GPUResource]
			if limit != c.want || request != c.want {
				t.Errorf("limits hold a GPU: %v, requests: %v; want %v", limit, request, c.want)
			}
			if len(p.Tolerations) != c.tolerations {
				t.Errorf("%d tolerations, want %d", len(p.Tolerations), c.tolerations)
			}
		})
	}
}

func TestRequestsAreLimitsByRatio(t *testing.T) {
	t.Parallel()
	limits := spec.Resources{CPUMilli: 1000, MemoryBytes: 100, GPU: 4}
	for name, c := range map[string]struct {
		ratio spec.Overcommit
		want  spec.Resources
	}{
		"no ratio":            {spec.Overcommit{}, limits},
		"below one counts 1":  {spec.Overcommit{CPU: 0.2, Memory: -3}, limits},
		"not a number":        {spec.Overcommit{CPU: math.NaN(), Memory: math.Inf(1)}, limits},
		"rounded up":          {spec.Overcommit{CPU: 3, Memory: 3}, spec.Resources{CPUMilli: 334, MemoryBytes: 34, GPU: 4}},
		"never down to zero":  {spec.Overcommit{CPU: 1e9, Memory: 1e9}, spec.Resources{CPUMilli: 1, MemoryBytes: 1, GPU: 4}},
		"GPUs are not shared": {spec.Overcommit{CPU: 2, Memory: 1}, spec.Resources{CPUMilli: 500, MemoryBytes: 100, GPU: 4}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(c.want, Requests(limits, c.ratio)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// expand is the expansion that Kubernetes does, with every variable known, as
// k8s.io/kubernetes/third_party/forked/golang/expansion has it.
func expand(in string) string {
	var b strings.Builder
	for i := 0; i < len(in); i++ {
		if in[i] != '$' || i+1 == len(in) {
			b.WriteByte(in[i])
			continue
		}
		switch next := in[i+1]; next {
		case '$':
			b.WriteByte('$')
			i++
		case '(':
			end := strings.IndexByte(in[i+1:], ')')
			if end < 0 {
				b.WriteString("$(")
				i++
				continue
			}
			b.WriteString("EXPANDED")
			i += end + 1
		default:
			b.WriteString("$" + string(rune(next))) // a byte as a rune: that is what it does
			i++
		}
	}
	return b.String()
}

func TestWhatUsersTypeReachesProgramsUnchanged(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.OneOf(rapid.String(), rapid.StringMatching(`[$()A中]{0,12}`)).Draw(t, "in")
		if got := expand(Verbatim(in)); got != in {
			t.Fatalf("a program sees %q instead of %q", got, in)
		}
	})
	a := attempt(func(a *Attempt) { a.Env = []spec.EnvVar{envVar("A", "$(B)")} })
	c := attemptPod(a).Containers[0]
	var args []string
	for _, arg := range c.Args {
		args = append(args, expand(arg))
	}
	if diff := cmp.Diff(a.Args, args); diff != "" {
		t.Error(diff)
	}
	if i := slices.IndexFunc(c.Env, func(e corev1ac.EnvVarApplyConfiguration) bool { return *e.Name == "A" }); expand(*c.Env[i].Value) != "$(B)" {
		t.Errorf("variable A is %q", *c.Env[i].Value)
	}
}

func TestEnvironment(t *testing.T) {
	t.Parallel()
	i := instance(func(i *Instance) {
		i.Env = []spec.EnvVar{
			envVar("TZ", "UTC"), envVar("X", "1"), envVar("X", "2"), envVar("EMPTY", ""),
			envVar("PASSWORD", "mine"), envVar("ROOT_PASSWORD", "mine"), envVar("GOBLINLAB_TOKEN", "mine"),
		}
	})
	seen := map[string]corev1ac.EnvVarApplyConfiguration{}
	for _, e := range instancePod(i).Containers[0].Env {
		if _, twice := seen[*e.Name]; twice {
			t.Errorf("%s stands twice", *e.Name)
		}
		seen[*e.Name] = e
	}
	for name, want := range map[string]string{"TZ": "UTC", "X": "2", "EMPTY": "", "NOTEBOOK_TAG": i.Name} {
		if e, ok := seen[name]; !ok || *e.Value != want {
			t.Errorf("%s is not %q", name, want)
		}
	}
	if e, ok := seen["GOBLINLAB_TOKEN"]; ok {
		t.Errorf("the token is a variable: %+v", e)
	}
	if e := seen["GOBLINLAB_TOKEN_FILE"]; e.Value == nil || *e.Value != TokenPath {
		t.Error("no variable says where the token is")
	}
	for _, name := range []string{"PASSWORD", "ROOT_PASSWORD"} {
		e := seen[name]
		if e.Value != nil || *e.ValueFrom.SecretKeyRef.Name != LoginSecretName(i) {
			t.Errorf("%s does not come from the login Secret", name)
		}
	}
	if _, ok := seen["HADOOP_USER"]; ok {
		t.Error("HADOOP_USER is set though the user has no account")
	}
}

func TestP22ReadOnlyClaimsAreReadOnlyAsVolumes(t *testing.T) {
	t.Parallel()
	p := instancePod(instance(func(i *Instance) {
		i.Mounts = []Mount{
			{Claim: "all-read-only", Path: "/a", ReadOnly: true},
			{Claim: "all-read-only", Path: "/b", SubPath: "b", ReadOnly: true},
			{Claim: "mixed", Path: "/c", ReadOnly: true},
			{Claim: "mixed", Path: "/d"},
		}
	}))
	got := map[string]bool{}
	for _, v := range p.Volumes {
		if c := v.PersistentVolumeClaim; c != nil {
			got[*c.ClaimName] = c.ReadOnly != nil && *c.ReadOnly
		}
	}
	if diff := cmp.Diff(map[string]bool{homeClaim: false, "all-read-only": true, "mixed": false}, got); diff != "" {
		t.Error(diff)
	}
	if p.SecurityContext.FSGroup != nil || p.SecurityContext.FSGroupChangePolicy != nil {
		t.Error("an fsGroup is set though nobody asked for one")
	}
}

func TestAMountAtTheHomeTakesItsPlace(t *testing.T) {
	t.Parallel()
	p := instancePod(instance(func(i *Instance) {
		i.Mounts = []Mount{{Claim: "scratch", Path: "/scratch"}, {Claim: "other", Path: HomePath, SubPath: "li", ReadOnly: true}}
		i.Profile.Sidecars = []Sidecar{{Name: "s", Home: true}}
	}))
	claims := map[string]string{}
	for _, v := range p.Volumes {
		if v.PersistentVolumeClaim != nil {
			claims[*v.Name] = *v.PersistentVolumeClaim.ClaimName
		}
	}
	for _, c := range slices.Concat(p.Containers, p.InitContainers) {
		at := slices.IndexFunc(c.VolumeMounts, func(m corev1ac.VolumeMountApplyConfiguration) bool { return *m.MountPath == HomePath })
		if m := c.VolumeMounts[at]; claims[*m.Name] != "other" || *m.SubPath != "li" || !*m.ReadOnly {
			t.Errorf("container %s has %v at its home", *c.Name, m)
		}
	}
	if len(claims) != 2 {
		t.Errorf("the pod mounts %v", claims)
	}
}

func TestANewStartIsANewRevisionAndARenameIsNot(t *testing.T) {
	t.Parallel()
	before := StatefulSet(instance()).Spec.Template
	renamed := StatefulSet(instance(func(i *Instance) { i.Title, i.OwnerEmail = "other", "new@example.org" })).Spec.Template
	if diff := cmp.Diff(before, renamed); diff != "" {
		t.Errorf("a rename changes the template:\n%s", diff)
	}
	stopped := StatefulSet(instance(func(i *Instance) { i.Running = false })).Spec.Template
	if diff := cmp.Diff(before, stopped); diff != "" {
		t.Errorf("a stop changes the template:\n%s", diff)
	}
	again := StatefulSet(instance(func(i *Instance) { i.Start++ })).Spec.Template
	if cmp.Equal(before, again) {
		t.Error("a new start does not change the template")
	}
	if a, b := HostKeySecretName(instance()), HostKeySecretName(instance(func(i *Instance) { i.Start++ })); a != b {
		t.Error("P31: a new start has other host keys")
	}
	if a, b := LoginSecretName(instance()), LoginSecretName(instance(func(i *Instance) { i.Start++ })); a == b {
		t.Error("a new start has the old passwords")
	}
}

func TestTestWorkNeverEntersTheOnlinePool(t *testing.T) {
	t.Parallel()
	for name, p := range map[string]*corev1ac.PodSpecApplyConfiguration{
		"test task":            attemptPod(attempt()),
		"task of no class":     attemptPod(attempt(func(a *Attempt) { a.Class = "" })),
		"instance":             instancePod(instance()),
		"instance like online": instancePod(instance(func(i *Instance) { i.Class = spec.ClassOnline })),
	} {
		if len(p.Tolerations) != 0 || p.Affinity != nil {
			t.Errorf("%s tolerates or prefers something", name)
		}
	}
}

func TestP87EveryContainerHasLimits(t *testing.T) {
	t.Parallel()
	p := instancePod(instanceCases()["instance-lxcfs-profile"])
	for _, c := range slices.Concat(p.Containers, p.InitContainers) {
		for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
			for kind, list := range map[string]*corev1.ResourceList{"limits": c.Resources.Limits, "requests": c.Resources.Requests} {
				if q, ok := (*list)[name]; !ok || q.IsZero() {
					t.Errorf("container %s has no %s of %s", *c.Name, kind, name)
				}
			}
		}
	}
}

func TestASidecarDoesNotKeepAJobFromCompleting(t *testing.T) {
	t.Parallel()
	p := attemptPod(attemptCases()["task-manual-no-code"])
	if len(p.Containers) != 1 || len(p.InitContainers) != 1 || *p.InitContainers[0].RestartPolicy != corev1.ContainerRestartPolicyAlways {
		t.Error("the sidecar is not a native one")
	}
}

func TestP64TheJobsDeadlineIsLaterThanThePlatforms(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		timeout, grace time.Duration
		want           int64
	}{
		"rounded up":  {timeout: 1500 * time.Millisecond, want: 2 + 30 + 120},
		"own grace":   {timeout: time.Minute, grace: 90 * time.Second, want: 60 + 90 + 120},
		"no deadline": {},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			got := Job(attempt(func(a *Attempt) { a.Timeout, a.Grace = c.timeout, c.grace })).Spec.ActiveDeadlineSeconds
			if c.want == 0 && got != nil || c.want != 0 && (got == nil || *got != c.want) {
				t.Errorf("got %v, want %d", got, c.want)
			}
		})
	}
}

func TestP90NothingPreemptsAnInstance(t *testing.T) {
	t.Parallel()
	values := map[string]int32{}
	for _, c := range PriorityClasses() {
		values[*c.Name] = *c.Value
		if *c.GlobalDefault {
			t.Errorf("%s is the default of the whole cluster", *c.Name)
		}
	}
	if !(values[PriorityInteractive] > values[PriorityOnline] &&
		values[PriorityOnline] > values[PriorityTest] && values[PriorityTest] > values[PriorityIdle]) {
		t.Errorf("the order is wrong: %v", values)
	}
}

func TestNamesAndLabelsAreValidForTheLongestName(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		id := ident.New(ident.Instance)
		i := instance(func(i *Instance) {
			i.ID = id
			i.Name = ident.ObjectName(rapid.String().Draw(t, "name"), id)
			i.Title, i.OwnerEmail = rapid.String().Draw(t, "title"), rapid.String().Draw(t, "email")
			i.Start = rapid.Int64Range(1, 1<<40).Draw(t, "start")
		})
		set := StatefulSet(i)
		for k, v := range set.Spec.Template.Labels {
			if wrong := validation.IsValidLabelValue(v); wrong != nil {
				t.Fatalf("label %s=%q: %v", k, v, wrong)
			}
		}
		// The controller's own label holds the name and a hash of ten characters.
		if wrong := validation.IsValidLabelValue(i.Name + "-5d8b9c7f6d"); wrong != nil {
			t.Fatalf("revision of %q: %v", i.Name, wrong)
		}
		for _, name := range []string{i.Name, LoginSecretName(i), HostKeySecretName(i)} {
			if wrong := validation.IsDNS1123Subdomain(name); wrong != nil {
				t.Fatalf("name %q: %v", name, wrong)
			}
		}
		if wrong := validation.IsDNS1035Label(*Service(i).Name); wrong != nil {
			t.Fatalf("Service %q: %v", *Service(i).Name, wrong)
		}
		for _, p := range Service(i).Spec.Ports {
			if wrong := validation.IsDNS1123Label(*p.Name); wrong != nil {
				t.Fatalf("port %q: %v", *p.Name, wrong)
			}
		}
	})
}

func TestContainerPortNamesAreValid(t *testing.T) {
	t.Parallel()
	for name, i := range instanceCases() {
		numbers := map[int32]bool{}
		for _, p := range instancePod(i).Containers[0].Ports {
			if wrong := validation.IsValidPortName(*p.Name); wrong != nil {
				t.Errorf("%s: port %q: %v", name, *p.Name, wrong)
			}
			if numbers[*p.ContainerPort] {
				t.Errorf("%s: port %d stands twice", name, *p.ContainerPort)
			}
			numbers[*p.ContainerPort] = true
		}
	}
}

func TestOwnersAreSetWhenThereIsOne(t *testing.T) {
	t.Parallel()
	owner := &Owner{APIVersion: "apps/v1", Kind: "StatefulSet", Name: "x", UID: "1-2"}
	i := instance(func(i *Instance) { i.Owner = owner })
	for name, refs := range map[string]int{
		"Service":  len(Service(i).OwnerReferences),
		"login":    len(LoginSecret(i, Login{}).OwnerReferences),
		"hostkeys": len(HostKeySecret(i, nil).OwnerReferences),
	} {
		if refs != 1 {
			t.Errorf("%s has %d owners", name, refs)
		}
	}
}
