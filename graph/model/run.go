package model

import (
	"time"

	"github.com/goblinlab/goblinlab/ent"
	"github.com/goblinlab/goblinlab/internal/lang"
	"github.com/goblinlab/goblinlab/internal/spec"
)

// Task is what a run executes.
type Task struct {
	*ent.Task
	Team    *Team // when selected
	Image   *Image
	Volumes map[string]*Volume // of its mounts and code, when selected
	Shares  map[string]*Share  // of its mounts and code, when selected
	Known   map[string]*Secret // of those that it uses, when selected
}

// IsNode says that it has a global id.
func (*Task) IsNode() {}

// Command is the program with its first arguments.
func (t *Task) Command() []string { return list(t.Spec.Command) }

// Args are appended to the command.
func (t *Task) Args() []string { return list(t.Spec.Args) }

// WorkingDir is where it starts.
func (t *Task) WorkingDir() string { return t.Spec.WorkingDir }

// Env is the user's own environment.
func (t *Task) Env() []spec.EnvVar { return list(t.Spec.Env) }

// Secrets that each attempt gets.
func (t *Task) Secrets() []*SecretUse { return secretUses(t.Spec.Secrets, t.Known) }

// Resources as asked for.
func (t *Task) Resources() spec.Resources { return t.Spec.Resources }

// Mounts as asked for.
func (t *Task) Mounts() []*Mount { return mounts(t.Spec.Mounts, t.Volumes, t.Shares) }

// Code is the folder of its script.
func (t *Task) Code() *Code {
	if t.Spec.Code == nil {
		return nil
	}
	return &Code{Code: *t.Spec.Code, Volume: t.Volumes[t.Spec.Code.VolumeID]}
}

// Frozen is the copy that is mounted in the place of the code.
func (t *Task) Frozen() *spec.FrozenCode { return t.Spec.Frozen }

// Class of its work.
func (t *Task) Class() spec.Class { return t.Spec.Class }

// TimeoutSeconds of an attempt; 0 for none.
func (t *Task) TimeoutSeconds() int64 { return int64(t.Spec.Timeout / time.Second) }

// PendingTimeoutSeconds of an attempt.
func (t *Task) PendingTimeoutSeconds() int64 { return int64(t.Spec.Pending / time.Second) }

// Retries after failures of the task's own.
func (t *Task) Retries() int { return t.Spec.Retries }

// Run is one execution of a task.
type Run struct {
	*ent.Run
	Task      *Task      // when selected
	Team      *Team      // when selected
	Owner     *User      // when selected
	Attempts  []*Attempt // when selected, oldest first
	StoppedBy *User      // when selected
	FlowRun   *FlowRun   // when selected
	Can       *RunPermissions
	Lang      lang.Lang
}

// IsNode says that it has a global id.
func (*Run) IsNode() {}

// Reason why it waits or why it ended.
func (r *Run) Reason() *Reason { return NewReason(r.Run.Reason, r.Lang) }

// CurrentAttempt is the newest one.
func (r *Run) CurrentAttempt() *Attempt {
	if len(r.Attempts) == 0 {
		return nil
	}
	return r.Attempts[len(r.Attempts)-1]
}

// Attempt is one try of a run.
type Attempt struct {
	*ent.Attempt
	Lang lang.Lang
}

// IsNode says that it has a global id.
func (*Attempt) IsNode() {}

// Reason why it waits or why it ended.
func (a *Attempt) Reason() *Reason { return NewReason(a.Attempt.Reason, a.Lang) }

// Timeline of its start.
func (a *Attempt) Timeline() []*Phase { return phases(a.Attempt.Timeline) }

// Job is the name of its Job.
func (a *Attempt) Job() string { return a.JobName }

// Log says what is stored of its log.
func (a *Attempt) Log() *LogInfo {
	return &LogInfo{Bytes: a.LogBytes, Lines: a.LogLines, Complete: a.LogComplete, Truncated: a.LogTruncated,
		RemovedAt: a.LogRemovedAt, KeptDays: a.LogKeptDays}
}
