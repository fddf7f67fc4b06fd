package manifest

// Manager is the field manager of every server-side apply, and the value of LabelManagedBy.
const Manager = "goblinlab"

// The labels of GoblinLab's objects. Their values are ids and words of fixed
// sets, which are valid label values by construction; what people typed stands
// in annotations (P40).
const (
	LabelManagedBy = "app.kubernetes.io/managed-by"
	LabelPartOf    = "app.kubernetes.io/part-of"
	LabelComponent = "app.kubernetes.io/component"

	LabelInstanceID = "goblinlab.io/instance-id"
	LabelVolumeID   = "goblinlab.io/volume-id"
	LabelShareID    = "goblinlab.io/share-id"
	LabelFlowID     = "goblinlab.io/flow-id"
	LabelRunID      = "goblinlab.io/run-id"
	LabelTaskID     = "goblinlab.io/task-id"
	LabelAttemptID  = "goblinlab.io/attempt-id"
	LabelAttempt    = "goblinlab.io/attempt" // its number, from 1
	LabelOwnerID    = "goblinlab.io/owner-id"
	LabelTeamID     = "goblinlab.io/team-id"
	LabelClass      = "goblinlab.io/class"     // online or test
	LabelExecMode   = "goblinlab.io/exec-mode" // manual or scheduled
	LabelSecretID   = "goblinlab.io/secret-id"
	LabelType       = "goblinlab.io/type" // TypeEnvironment, TypeJob
)

// LabelQueue is Kueue's label of a team's queue; set where Kueue is installed.
const LabelQueue = "kueue.x-k8s.io/queue-name"

// The annotations. They hold what is needed to make the database anew (P42).
const (
	AnnotationName        = "goblinlab.io/display-name"
	AnnotationOwnerEmail  = "goblinlab.io/owner-email"
	AnnotationGeneration  = "goblinlab.io/generation"
	AnnotationStart       = "goblinlab.io/start" // number of the start, from 1
	AnnotationImageID     = "goblinlab.io/image-id"
	AnnotationVolumeID    = "goblinlab.io/volume-id"    // of the volume behind a share's
	AnnotationLogicalTime = "goblinlab.io/logical-time" // RFC 3339
	AnnotationHide        = "goblinlab.io/hide"         // keys of a Secret whose values must not appear in a log
	AnnotationFolderUsage = "goblinlab.io/folder-usage" // of a PersistentVolume of the local Kubernetes: {"bytes", "inodes", "at"} of what is in its folder
	AnnotationSafeToEvict = "cluster-autoscaler.kubernetes.io/safe-to-evict"
)

// The values of LabelComponent.
const (
	ComponentInstance = "instance"
	ComponentTask     = "task"
	ComponentVolume   = "volume"
	ComponentShare    = "share"
	ComponentTeam     = "team"
	ComponentCluster  = "cluster"
	ComponentBuild    = "build"
	ComponentFiles    = "files" // the file helper
	ComponentPull     = "pull-secret"
)

// The values of LabelType.
const (
	TypeEnvironment = "development-environment"
	TypeJob         = "job"
)

// The values of LabelExecMode.
const (
	ModeManual    = "manual"
	ModeScheduled = "scheduled"
)

// The names of the main containers.
const (
	ContainerInstance = "notebook"
	ContainerTask     = "task"
)

// The ports of an instance's apps.
const (
	PortNotebook    int32 = 8888
	PortVSCode      int32 = 8080
	PortSSH         int32 = 22
	PortTensorBoard int32 = 6006
	PortStatus      int32 = 9999 // of the start-up program
)

// Places inside containers.
const (
	HomePath     = "/home/goblin"
	CodePath     = "/code"
	HostKeysPath = "/etc/goblinlab/ssh-host-keys"
	TokenDir     = "/run/secrets/goblinlab" // not /run/goblinlab, where the start-up program writes
	TokenPath    = TokenDir + "/" + tokenFile

	tokenFile = "token"
)

// GPUResource is the extended resource of a GPU.
const GPUResource = "nvidia.com/gpu"

// SelectManaged picks everything that GoblinLab made.
const SelectManaged = LabelManagedBy + "=" + Manager
