package manifest

import (
	"maps"
	"path"
	"slices"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/quantity"
)

const defaultSecretMode = 0o400

// storage gathers the volumes of a pod and the mounts of its main container.
// A claim becomes one volume however often it is mounted; a path takes the
// first mount that asks for it, and preflight has refused the second of a user's.
type storage struct {
	volumes []*corev1ac.VolumeApplyConfiguration
	mounts  []*corev1ac.VolumeMountApplyConfiguration
	claims  map[string]*claim
	paths   map[string]bool
}

type claim struct {
	name   string
	source *corev1ac.PersistentVolumeClaimVolumeSourceApplyConfiguration
}

func newStorage() *storage { return &storage{claims: map[string]*claim{}, paths: map[string]bool{}} }

func (s *storage) next() string { return "v" + strconv.Itoa(len(s.volumes)) }

func (s *storage) volume(name string) *corev1ac.VolumeApplyConfiguration {
	v := corev1ac.Volume().WithName(name)
	s.volumes = append(s.volumes, v)
	return v
}

func (s *storage) mount(volume, at, subPath string, readOnly bool) {
	s.paths[at] = true
	m := corev1ac.VolumeMount().WithName(volume).WithMountPath(at)
	if subPath != "" {
		m.WithSubPath(subPath)
	}
	if readOnly {
		m.WithReadOnly(true)
	}
	s.mounts = append(s.mounts, m)
}

// claimMount mounts a claim. The volume itself is read-only when each of its
// mounts is: then the kubelet changes no ownership on it either (P22).
func (s *storage) claimMount(name string, m Mount) {
	if s.paths[m.Path] {
		return
	}
	c, known := s.claims[m.Claim]
	if !known {
		c = &claim{name: or(name, s.next()), source: corev1ac.PersistentVolumeClaimVolumeSource().WithClaimName(m.Claim)}
		if m.ReadOnly {
			c.source.WithReadOnly(true)
		}
		s.volume(c.name).WithPersistentVolumeClaim(c.source)
		s.claims[m.Claim] = c
	}
	if !m.ReadOnly {
		c.source.ReadOnly = nil
	}
	s.mount(c.name, m.Path, m.SubPath, m.ReadOnly)
}

func (s *storage) platform(m PlatformMount) {
	if s.paths[m.Path] {
		return
	}
	switch {
	case m.Claim != "":
		s.claimMount("", Mount{Claim: m.Claim, Path: m.Path, SubPath: m.SubPath, ReadOnly: m.ReadOnly})
	case m.HostPath != "":
		name := s.next()
		s.volume(name).WithHostPath(corev1ac.HostPathVolumeSource().WithPath(m.HostPath))
		s.mount(name, m.Path, m.SubPath, m.ReadOnly)
	case m.NFSServer != "":
		name := s.next()
		source := corev1ac.NFSVolumeSource().WithServer(m.NFSServer).WithPath(m.NFSPath)
		if m.ReadOnly {
			source.WithReadOnly(true)
		}
		s.volume(name).WithNFS(source)
		s.mount(name, m.Path, m.SubPath, m.ReadOnly)
	}
}

func (s *storage) secret(name string, f SecretFile) {
	if s.paths[f.Path] {
		return
	}
	mode := f.Mode
	if mode == 0 {
		mode = defaultSecretMode
	}
	source := corev1ac.SecretVolumeSource().WithSecretName(f.Secret).WithDefaultMode(mode)
	if f.Optional {
		source.WithOptional(true)
	}
	for _, key := range slices.Sorted(maps.Keys(f.Items)) {
		source.WithItems(corev1ac.KeyToPath().WithKey(key).WithPath(f.Items[key]))
	}
	subPath := ""
	if f.Key != "" {
		subPath = path.Base(f.Path)
		source.WithItems(corev1ac.KeyToPath().WithKey(f.Key).WithPath(subPath))
	}
	name = or(name, s.next())
	s.volume(name).WithSecret(source)
	s.mount(name, f.Path, subPath, true)
}

// shared is /dev/shm in memory, which counts against the container's limit.
func (s *storage) shared(bytes int64) {
	s.volume("shm").WithEmptyDir(corev1ac.EmptyDirVolumeSource().
		WithMedium(corev1.StorageMediumMemory).
		WithSizeLimit(quantity.BytesQuantity(bytes)))
	s.mount("shm", "/dev/shm", "", false)
}

// home is what stands at HomePath: a mount of the user's takes the place of the home volume.
func (c Container) home() (Mount, bool) {
	for _, m := range c.Mounts {
		if m.Path == HomePath {
			return m, true
		}
	}
	return Mount{Claim: c.Home, Path: HomePath, SubPath: c.HomeSubPath}, c.Home != ""
}

// common adds what instances and attempts share, except the platform's mounts,
// which yield to all others and come last.
func (s *storage) common(c Container) {
	if home, ok := c.home(); ok {
		s.claimMount("home", home)
	}
	shm := c.SharedMemory
	if shm <= 0 {
		shm = max(c.Resources.MemoryBytes/2, 1)
	}
	s.shared(shm)
	for _, m := range c.Mounts {
		s.claimMount("", m)
	}
	for _, f := range c.SecretFiles {
		s.secret("", f)
	}
}

// token is the file with the token of the container's own programs.
func (s *storage) token(secret string) {
	s.secret("token", SecretFile{Secret: secret, Path: TokenDir, Items: map[string]string{EnvToken: tokenFile}, Optional: true})
}

func (s *storage) site(c Container) {
	for _, m := range c.Platform {
		s.platform(m)
	}
	s.profile(c.Profile)
}
