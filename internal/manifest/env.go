package manifest

import (
	"strings"

	corev1ac "k8s.io/client-go/applyconfigurations/core/v1"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// The variables that only the platform sets. Preflight refuses them in a
// user's list; here they are passed over, in case an old row still has one.
const (
	EnvPassword     = "PASSWORD"
	EnvRootPassword = "ROOT_PASSWORD"
	EnvToken        = "GOBLINLAB_TOKEN"      // key of a Secret; programs get it as a file
	EnvTokenFile    = "GOBLINLAB_TOKEN_FILE" // where that file is
	EnvHidden       = "GOBLINLAB_HIDDEN"     // variables and files whose values the start-up program takes out of logs
	EnvURL          = "GOBLINLAB_URL"
	EnvHome         = "GOBLINLAB_HOME"
	EnvInstanceID   = "GOBLINLAB_INSTANCE_ID"
	EnvFlowID       = "GOBLINLAB_FLOW_ID"
	EnvTaskID       = "GOBLINLAB_TASK_ID"
	EnvRunID        = "GOBLINLAB_RUN_ID"
	EnvAttempt      = "GOBLINLAB_ATTEMPT"
	EnvLogicalTime  = "GOBLINLAB_LOGICAL_TIME"
	EnvOutputs      = "GOBLINLAB_OUTPUTS" // the file for what later tasks may read
)

// ReservedEnv reports whether a variable is the platform's own.
func ReservedEnv(name string) bool {
	return name == EnvPassword || name == EnvRootPassword || strings.HasPrefix(name, "GOBLINLAB_")
}

// Verbatim doubles every "$", so that Kubernetes, which expands "$(NAME)" and
// "$$" in commands, arguments and variables, gives programs the text as it was
// written. A lone "$" before a character outside ASCII is doubled for a reason
// too: the expansion copies that character's first byte alone.
func Verbatim(text string) string { return strings.ReplaceAll(text, "$", "$$") }

func verbatim(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = Verbatim(t)
	}
	return out
}

// environment is an ordered set of variables: each name once, the last value
// at the first one's place, since a list with a name twice cannot be applied.
type environment struct {
	list  []*corev1ac.EnvVarApplyConfiguration
	index map[string]int
}

func (e *environment) put(v *corev1ac.EnvVarApplyConfiguration) {
	if e.index == nil {
		e.index = map[string]int{}
	}
	if at, ok := e.index[*v.Name]; ok {
		e.list[at] = v
		return
	}
	e.index[*v.Name] = len(e.list)
	e.list = append(e.list, v)
}

// value sets a variable unless its value is empty.
func (e *environment) value(name, value string) {
	if value != "" {
		e.put(corev1ac.EnvVar().WithName(name).WithValue(Verbatim(value)))
	}
}

func (e *environment) secret(name, secret, key string, optional bool) {
	ref := corev1ac.SecretKeySelector().WithName(secret).WithKey(key)
	if optional {
		ref.WithOptional(true)
	}
	e.put(corev1ac.EnvVar().WithName(name).WithValueFrom(corev1ac.EnvVarSource().WithSecretKeyRef(ref)))
}

// users adds the variables of a user, which may be empty but not the platform's.
func (e *environment) users(plain []spec.EnvVar, secrets []SecretEnv) {
	for _, v := range plain {
		if !ReservedEnv(v.Name) {
			e.put(corev1ac.EnvVar().WithName(v.Name).WithValue(Verbatim(v.Value)))
		}
	}
	for _, s := range secrets {
		if !ReservedEnv(s.Name) {
			e.secret(s.Name, s.Secret, s.Key, false)
		}
	}
}

// hidden tells the start-up program where secrets are: names and paths alone.
func (c Container) hidden(e *environment) { e.value(EnvHidden, strings.Join(c.Hidden, ",")) }

func (c Container) common(e *environment) {
	e.value("TZ", c.TimeZone)
	e.value("HADOOP_USER", c.HadoopUser)
	e.value(EnvURL, c.PlatformURL)
	e.value(EnvHome, HomePath)
}
