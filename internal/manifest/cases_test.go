package manifest

import (
	"time"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// Values that a careless builder could print.
const (
	secretPassword = "ohW7eiT9ahgh"
	secretRoot     = "Eeng0Oshai3u"
	secretToken    = "glpat-Aegh6ohN"
)

const (
	teamID     = "team-d4k1q0c2h5s6u0a3b7gg"
	instanceID = "ins-d4k1q0c2h5s6u0a3b7h0"
	attemptID  = "att-d4k1q0c2h5s6u0a3b7hg"
	volumeID   = "vol-d4k1q0c2h5s6u0a3b7i0"
	ownerID    = "usr-d4k1q0c2h5s6u0a3b7ig"
	flowID     = "flw-d4k1q0c2h5s6u0a3b7j0"
	runID      = "run-d4k1q0c2h5s6u0a3b7jg"
	taskID     = "task-d4k1q0c2h5s6u0a3b7k0"
	imageID    = "img-d4k1q0c2h5s6u0a3b7kg"
	namespace  = "gl-vision-" + teamID
	homeClaim  = "home-vol-d4k1q0c2h5s6u0a3b7l0"
	dataClaim  = "imagenet-" + volumeID
)

func object(name, id string) Object {
	return Object{
		Namespace: namespace, Name: name + "-" + id, ID: id,
		OwnerID: ownerID, TeamID: teamID,
		OwnerEmail: "li.lei@example.org", Title: "李雷's 训练 <#1> 🚀",
		Generation: 3,
	}
}

func container() Container {
	return Container{
		Image:       "registry.example.org/goblin/pytorch:2.9",
		Resources:   spec.Resources{CPUMilli: 4000, MemoryBytes: 16 << 30},
		Home:        homeClaim,
		TimeZone:    "Asia/Shanghai",
		PlatformURL: "https://lab.example.org",
	}
}

// instance is a plain one; changes make it a case.
func instance(changes ...func(*Instance)) Instance {
	i := Instance{
		Object: object("resnet", instanceID), Container: container(),
		Start: 7, Running: true, Class: spec.ClassTest, ImageID: imageID,
	}
	i.Escalation = true
	for _, change := range changes {
		change(&i)
	}
	return i
}

// attempt is a plain one; changes make it a case.
func attempt(changes ...func(*Attempt)) Attempt {
	a := Attempt{
		Object: object("train", attemptID), Container: container(),
		FlowID: flowID, RunID: runID, TaskID: taskID, Number: 2,
		ExecMode: ModeScheduled, Class: spec.ClassTest, ImageID: imageID,
		LogicalTime: time.Date(2026, 11, 29, 3, 0, 0, 0, time.UTC),
		Code:        &Code{Claim: homeClaim, SubPath: "projects/resnet"},
		Timeout:     90*time.Minute + 300*time.Millisecond,
	}
	a.Command = []string{"python", "train.py"}
	a.Args = []string{"--day", "2026-11-29", "--note", "$(HOME) costs $$5 and 中$文"}
	for _, change := range changes {
		change(&a)
	}
	return a
}

// instanceCases are golden files with the StatefulSet and the Service of an instance.
func instanceCases() map[string]Instance {
	return map[string]Instance{
		"instance":         instance(),
		"instance-stopped": instance(func(i *Instance) { i.Running = false }),
		"instance-gpu":     instance(func(i *Instance) { i.Resources.GPU, i.EphemeralStorage = 2, 20<<30 }),
		"instance-zero-gpu": instance(func(i *Instance) {
			i.Resources.GPU = 0
			i.SharedMemory = 2 << 30
		}),
		"instance-mounts": instance(func(i *Instance) {
			i.Mounts = []Mount{
				{Claim: dataClaim, Path: "/data/imagenet", ReadOnly: true},
				{Claim: "scratch-vol-d4k1q0c2h5s6u0a3b7lg", Path: "/scratch", SubPath: "li/tmp"},
				{Claim: homeClaim, Path: "/papers", SubPath: "papers", ReadOnly: true},
			}
			i.Platform = []PlatformMount{
				{Claim: "datasets", Path: "/datasets", ReadOnly: true},
				{NFSServer: "nfs.example.org", NFSPath: "/logs", Path: "/shared/logs"},
				{Claim: "other", Path: "/scratch"},
			}
			i.SecretFiles = []SecretFile{
				{Secret: "keytab-sec-d4k1q0c2h5s6u0a3b7m0", Key: "keytab", Path: "/etc/security/user.keytab"},
				{Secret: "git-sec-d4k1q0c2h5s6u0a3b7mg", Path: "/etc/goblinlab/git"},
			}
		}),
		"instance-private-registry": instance(func(i *Instance) {
			i.PullSecrets = []string{"registry-team"}
			i.Profile.PullSecrets = []string{"registry-site", "registry-team"}
		}),
		"instance-extra-ports": instance(func(i *Instance) {
			i.Ports = []spec.Port{{Name: "gradio", Number: 7860}, {Name: "api", Number: 5000}, {Name: "again", Number: 5000}}
			i.Spark = &SparkPorts{Driver: 20010, BlockManager: 20011, UI: 20012}
			i.HadoopUser = "li_lei"
			i.Env = []spec.EnvVar{
				{Name: "TZ", Value: "UTC"}, {Name: "GREETING", Value: "hello $(USER) $$"}, {Name: "EMPTY", Value: ""},
				{Name: "PASSWORD", Value: "mine"}, {Name: "GOBLINLAB_URL", Value: "https://elsewhere.example.org"},
			}
			i.SecretEnv = []SecretEnv{{Name: "WANDB_API_KEY", Secret: "wandb-sec-d4k1q0c2h5s6u0a3b7n0", Key: "value"}}
		}),
		"instance-secrets": instance(func(i *Instance) {
			i.Env = []spec.EnvVar{{Name: "GIT_CONFIG_COUNT", Value: "1"}, {Name: "GIT_CONFIG_VALUE_0", Value: `!f() { if [ "$1" = get ]; then cat /x; fi; }; f`}}
			i.SecretEnv = []SecretEnv{{Name: "WANDB_API_KEY", Secret: UserSecretName(i.Name, i.Start, 0), Key: "key"}}
			i.SecretFiles = []SecretFile{{Secret: UserSecretName(i.Name, i.Start, 1), Path: "/etc/goblinlab/git/1"}}
			i.PullSecrets = []string{UserSecretName(i.Name, i.Start, 2)}
			i.Hidden = []string{"WANDB_API_KEY", "/etc/goblinlab/git/1/token"}
		}),
		"instance-tenant-selector": instance(func(i *Instance) {
			i.Scheduling.NodeSelector = map[string]string{"tenant": "vision"}
		}),
		"instance-overcommit": instance(func(i *Instance) {
			i.Overcommit = spec.Overcommit{CPU: 3, Memory: 1.5}
		}),
		"instance-lxcfs-profile": instance(func(i *Instance) {
			group := int64(1000)
			i.Profile = Profile{
				LXCFS: true, LocalTime: true,
				HostAliases: []HostAlias{{IP: "10.0.0.9", Names: []string{"namenode", "namenode.example.org"}}},
				Sidecars: []Sidecar{{
					Name: "shipper", Image: "registry.example.org/site/shipper:1", Home: true,
					Args: []string{"--to", "$(SINK)"}, Env: []spec.EnvVar{{Name: "SINK", Value: "logs"}},
				}},
				Security: Security{FSGroup: &group, Groups: []int64{2000}, Capabilities: []string{"SYS_PTRACE", "CHOWN"}},
			}
		}),
		"instance-user-namespaces": instance(func(i *Instance) {
			i.Escalation = false
			i.Profile = Profile{Security: Security{UserNamespaces: true}}
		}),
		"instance-any-image": instance(func(i *Instance) {
			i.Probe = ProbeNone
			i.Command = []string{"/bin/sh", "-c"}
			i.Args = []string{"echo $$; exec sleep infinity"}
			i.Escalation, i.Restricted = false, true
			i.Home = ""
		}),
	}
}

// attemptCases are golden files with the Job of an attempt.
func attemptCases() map[string]Attempt {
	return map[string]Attempt{
		"task-test": attempt(),
		"task-online": attempt(func(a *Attempt) {
			a.Class = spec.ClassOnline
			a.Overcommit = spec.Overcommit{CPU: 2}
			a.TokenSecret = AttemptTokenName(*a)
			a.Queue = "vision"
		}),
		"task-online-pool": attempt(func(a *Attempt) {
			a.Class = spec.ClassOnline
			a.Scheduling.Online = Pool{Key: "example.org/pool", Value: "production", Weight: 20}
		}),
		"task-gpu": attempt(func(a *Attempt) {
			a.Resources.GPU = 1
			a.Scheduling.GPU = Taint{Key: "example.org/gpu", Value: "yes"}
			a.Mounts = []Mount{{Claim: dataClaim, Path: "/data", ReadOnly: true}}
		}),
		"task-code-writable": attempt(func(a *Attempt) {
			a.Code.Writable = true
			a.Code.Claim = dataClaim
			a.WorkingDir = "/code/sub"
			a.Env = []spec.EnvVar{{Name: "PYTHONUNBUFFERED", Value: ""}}
			a.Timeout = 0
			a.Grace = 2 * time.Minute
			a.TTL = 10 * time.Minute
		}),
		"task-manual-no-code": attempt(func(a *Attempt) {
			a.Code = nil
			a.ExecMode = ""
			a.LogicalTime = time.Time{}
			a.Profile.Sidecars = []Sidecar{{Name: "proxy", Image: "registry.example.org/site/proxy:1"}}
		}),
	}
}

func teamCases() map[string]Team {
	o := Object{Namespace: namespace, ID: teamID, Title: "视觉 Vision", OwnerEmail: "han@example.org", Generation: 1}
	return map[string]Team{
		"team": {
			Object: o,
			Quota: spec.Quota{
				CPUMilli: 64_000, MemoryBytes: 256 << 30, GPU: 8, StorageBytes: 2 << 40, Volumes: 50, Pods: 100,
			},
			Overcommit:  spec.Overcommit{CPU: 2, Memory: 1},
			PullSecrets: []string{"registry-team"},
			Gateways: []map[string]string{
				{"kubernetes.io/metadata.name": "goblinlab-system"}, {"kubernetes.io/metadata.name": "ingress-nginx"}, {},
			},
		},
		"team-none-allowed": {Object: o, Quota: spec.Quota{GPU: spec.None, Volumes: spec.None, Pods: spec.None}},
		"team-no-limits":    {Object: o, Security: "privileged"},
	}
}

func volumeCases() map[string]Volume {
	return map[string]Volume{
		"volume": {
			Object: object("imagenet", volumeID), StorageClass: "fast", AccessMode: "ReadWriteMany", SizeBytes: 500 << 30,
		},
		"volume-default-class": {Object: object("home", volumeID), SizeBytes: 20 << 30},
	}
}

func filesCases() map[string]Files {
	f := Files{Object: object("imagenet", volumeID), Claim: dataClaim, Image: "registry.example.org/goblin/files:1"}
	f.Owner = &Owner{APIVersion: "v1", Kind: "PersistentVolumeClaim", Name: dataClaim, UID: "0c5a8a0e-6f0f-4d0a-9a53-5f3a0d4f0f00"}
	f.Name = FilesName(volumeID, false)
	held := f
	held.ReadOnly, held.Node, held.Name = true, "gpu-3", FilesName(volumeID, true)
	return map[string]Files{"files": f, "files-read-only-on-its-node": held}
}
