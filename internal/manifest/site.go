package manifest

import (
	"path"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

const defaultLXCFS = "/var/lib/lxcfs"

// The files that lxcfs answers for a container, below its directory as below "/".
var lxcfsFiles = []string{
	"/proc/cpuinfo",
	"/proc/diskstats",
	"/proc/loadavg",
	"/proc/meminfo",
	"/proc/stat",
	"/proc/uptime",
	"/sys/devices/system/cpu/online",
}

// profile adds the volumes of an administrator's profile.
func (s *storage) profile(p Profile) {
	if p.LXCFS {
		s.lxcfs(or(p.LXCFSPath, defaultLXCFS))
	}
	if p.LocalTime && !s.paths["/etc/localtime"] {
		s.volume("localtime").WithHostPath(corev1ac.HostPathVolumeSource().WithPath("/etc/localtime"))
		s.mount("localtime", "/etc/localtime", "", true)
	}
}

// lxcfs mounts each file from the file of its own name. The directory is mounted
// as well, with HostToContainer, so that a restarted lxcfs is seen again.
func (s *storage) lxcfs(dir string) {
	s.volume("lxcfs").WithHostPath(corev1ac.HostPathVolumeSource().WithPath(dir).WithType(corev1.HostPathDirectory))
	s.mount("lxcfs", dir, "", true)
	s.mounts[len(s.mounts)-1].WithMountPropagation(corev1.MountPropagationHostToContainer)
	for i, file := range lxcfsFiles {
		name := "lxcfs-" + strconv.Itoa(i)
		s.volume(name).WithHostPath(corev1ac.HostPathVolumeSource().
			WithPath(path.Join(dir, file)).WithType(corev1.HostPathFile))
		s.mount(name, file, "", true)
	}
}

// What a sidecar gets that states nothing: limits must always be set (P87).
var sidecarResources = spec.Resources{CPUMilli: 100, MemoryBytes: 128 << 20}

// sidecar builds a native sidecar, an init container that is kept running: a
// plain second container would keep a Job's pod from ever completing.
func sidecar(sc Sidecar, c Container) *corev1ac.ContainerApplyConfiguration {
	r := sc.Resources
	if r.CPUMilli <= 0 {
		r.CPUMilli = sidecarResources.CPUMilli
	}
	if r.MemoryBytes <= 0 {
		r.MemoryBytes = sidecarResources.MemoryBytes
	}
	var env environment
	env.users(sc.Env, nil)
	out := corev1ac.Container().
		WithName(sc.Name).
		WithImage(sc.Image).
		WithImagePullPolicy(corev1.PullIfNotPresent).
		WithRestartPolicy(corev1.ContainerRestartPolicyAlways).
		WithResources(requirements(r, c.Overcommit, 0)).
		WithTerminationMessagePolicy(corev1.TerminationMessageFallbackToLogsOnError).
		WithEnv(env.list...).
		WithSecurityContext(corev1ac.SecurityContext().
			WithAllowPrivilegeEscalation(false).
			WithCapabilities(capabilities(nil, c.Profile.Security.Capabilities)))
	if len(sc.Command) > 0 {
		out.WithCommand(verbatim(sc.Command)...)
	}
	if len(sc.Args) > 0 {
		out.WithArgs(verbatim(sc.Args)...)
	}
	if home, ok := c.home(); ok && sc.Home {
		m := corev1ac.VolumeMount().WithName("home").WithMountPath(HomePath)
		if home.SubPath != "" {
			m.WithSubPath(home.SubPath)
		}
		if home.ReadOnly {
			m.WithReadOnly(true)
		}
		out.WithVolumeMounts(m)
	}
	return out
}
