package carry

import (
	"strings"

	"github.com/goblinlab/goblinlab/internal/spec"
)

// EnvCommand is the variable that holds what a run ran, in an instance that was
// made to look into it: `eval "$TASK_COMMAND"` runs it in every shell there.
const EnvCommand = "TASK_COMMAND"

// Line is a command for a POSIX shell: in folder dir when there is one, with
// variables for it alone.
func Line(dir string, env []spec.EnvVar, words []string) string {
	var parts []string
	if dir != "" {
		parts = append(parts, "cd", Quote(dir), "&&")
	}
	for _, v := range env {
		parts = append(parts, v.Name+"="+Quote(v.Value))
	}
	for _, w := range words {
		parts = append(parts, Quote(w))
	}
	return strings.Join(parts, " ")
}

// Quote is a word as a POSIX shell reads it back. One with nothing special in it
// stays as it is, for people read it.
func Quote(word string) string {
	if word != "" && !strings.ContainsFunc(word, special) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

func special(r rune) bool {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9':
		return false
	}
	return !strings.ContainsRune("-_./:,@%+", r) // no "=": a first word with it would be an assignment
}
