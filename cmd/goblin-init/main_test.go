package main

import (
	"strings"
	"testing"
)

func TestDispatchRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		args    []string
		environ []string
		want    string
	}{
		"an unknown command":                 {[]string{"goblin-init", "sh"}, nil, usage},
		"more than one word":                 {[]string{"goblin-init", "apps", "all"}, nil, usage},
		"a home that is none":                {[]string{"goblin-init"}, []string{"GOBLINLAB_HOME=here"}, "absolute folder"},
		"a check when nothing runs":          {[]string{"goblin-init", "healthcheck"}, []string{"GOBLINLAB_STATUS_ADDR=:1"}, "does not answer"},
		"the table when nothing runs":        {[]string{"goblin-init", "apps"}, []string{"GOBLINLAB_STATUS_ADDR=:1"}, "does not answer"},
		"files without a secret":             {[]string{"goblin-init", "files", "-credentials", "/nowhere"}, nil, "secret"},
		"files with a word too many":         {[]string{"goblin-init", "files", "now"}, nil, "flags alone"},
		"secrets that nobody handed over":    {[]string{"goblin-init"}, []string{"GOBLIN_INIT_SECRETS_FD=x"}, "GOBLIN_INIT_SECRETS_FD"},
		"a hand-over of the standard output": {[]string{"goblin-init"}, []string{"GOBLIN_INIT_SECRETS_FD=1"}, "GOBLIN_INIT_SECRETS_FD"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			err := dispatch(tc.args, tc.environ)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("got %v, want something about %q", err, tc.want)
			}
		})
	}
}
