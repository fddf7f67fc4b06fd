package reason

// The codes. Each has the words "reason.<code>" and "advice.<code>" in both
// languages. They are stored: never change one.
const (
	// The pod was not made.
	QuotaExceeded = "quota-exceeded" // resource, requested, used, limit, quota
	LimitRange    = "limit-range"    // detail
	PodSecurity   = "pod-security"   // detail
	PodRefused    = "pod-refused"    // detail
	PodNotCreated = "pod-not-created"
	Suspended     = "suspended"

	// It has no node.
	Unschedulable     = "unschedulable" // nodes, causes, and countA causeA sepB countB causeB … for the words
	LargerThanAnyNode = "larger-than-any-node"
	FitsNoNode        = "fits-no-node"
	NoNodeTakesIt     = "no-node-takes-it"
	Preempting        = "preempting"
	SchedulingGated   = "scheduling-gated"
	Scheduling        = "scheduling"

	// Its volumes are not there.
	VolumePending = "volume-pending"
	VolumeFailed  = "volume-failed"
	VolumeNoClass = "volume-no-class"
	VolumeLost    = "volume-lost"
	VolumeMissing = "volume-missing"
	VolumeInUse   = "volume-in-use"
	AttachFailed  = "attach-failed"
	MountFailed   = "mount-failed"
	ConfigMissing = "config-missing"

	// Its image is not there.
	Pulling            = "pulling"
	PullingAgain       = "pulling-again"
	ImageNotFound      = "image-not-found"
	ImageDenied        = "image-unauthorized" // no credentials were given
	ImageCredentials   = "image-credentials"  // those that were given do not open it
	ImageSecretMissing = "image-secret-missing"
	ImageRateLimited   = "image-rate-limited"
	ImageNoHost        = "image-no-host"
	ImageNoNetwork     = "image-no-network"
	ImageTLS           = "image-tls"
	ImagePlainHTTP     = "image-plain-http"
	ImageRegistry      = "image-registry-error"
	ImageInterrupted   = "image-interrupted"
	ImageInvalidName   = "image-invalid-name"
	ImagePlatform      = "image-platform"
	ImageNeverPull     = "image-never-pull"
	ImageHostOnly      = "image-host-only" // the local Kubernetes runs without root
	ImagePull          = "image-pull"
	NodeDiskFull       = "node-disk-full"

	// Its program does not start, or ended.
	SandboxFailed        = "sandbox-failed"
	ContainerCreating    = "container-creating"
	InitRunning          = "init-running"
	CommandNotFound      = "command-not-found"
	CommandNotExecutable = "command-not-executable"
	WorkingDir           = "working-dir"
	StartFailed          = "start-failed"
	Exit                 = "exit" // it ended, and was not started again
	ExitSignal           = "exit-signal"
	Crash                = "crash" // it ends and is started again
	CrashSignal          = "crash-signal"
	OOMKilled            = "oom-killed"
	ProcessOOMKilled     = "process-oom-killed" // in a container that goes on
	DiskExceeded         = "disk-exceeded"
	Starting             = "starting"
	NotReady             = "not-ready"

	// Its node or somebody else took it away.
	NodeLost      = "node-lost"
	NodeRefused   = "node-refused"
	NodeShutdown  = "node-shutdown"
	Evicted       = "evicted"
	Preempted     = "preempted"
	Disrupted     = "disrupted"
	PodDeleted    = "pod-deleted"
	EndUnseen     = "end-unseen" // the node's runtime was not there to see it
	Terminating   = "pod-terminating"
	StuckStopping = "pod-stuck"

	// The platform ended it, or nothing is wrong.
	Deadline        = "deadline"
	PendingDeadline = "pending-deadline"
	WasStopped      = "stopped"
	Completed       = "completed"

	Unknown = "unknown"
)

// Codes are all of them.
func Codes() []string {
	return []string{
		QuotaExceeded, LimitRange, PodSecurity, PodRefused, PodNotCreated, Suspended,
		Unschedulable, LargerThanAnyNode, FitsNoNode, NoNodeTakesIt, Preempting, SchedulingGated, Scheduling,
		VolumePending, VolumeFailed, VolumeNoClass, VolumeLost, VolumeMissing, VolumeInUse, AttachFailed, MountFailed,
		ConfigMissing,
		Pulling, PullingAgain, ImageNotFound, ImageDenied, ImageCredentials, ImageSecretMissing, ImageRateLimited,
		ImageNoHost, ImageNoNetwork, ImageTLS, ImagePlainHTTP, ImageRegistry, ImageInterrupted, ImageInvalidName,
		ImagePlatform, ImageNeverPull, ImageHostOnly, ImagePull, NodeDiskFull,
		SandboxFailed, ContainerCreating, InitRunning, CommandNotFound, CommandNotExecutable, WorkingDir, StartFailed,
		Exit, ExitSignal, Crash, CrashSignal, OOMKilled, ProcessOOMKilled, DiskExceeded, Starting, NotReady,
		NodeLost, NodeRefused, NodeShutdown, Evicted, Preempted, Disrupted, PodDeleted, EndUnseen, Terminating, StuckStopping,
		Deadline, PendingDeadline, WasStopped, Completed, Unknown,
	}
}
