package cli

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLabelsOfANode(t *testing.T) {
	t.Parallel()
	got, err := parseLabels([]string{"node-pool=gpu", "empty=", "a=b=c"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(map[string]string{"node-pool": "gpu", "empty": "", "a": "b=c"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for flag, want := range map[string]string{"novalue": "must be key=value", "=x": "must be key=value"} {
		if _, err := parseLabels([]string{flag}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", flag, err)
		}
	}
	if _, err := parseLabels([]string{"a=1", "a=2"}); err == nil || !strings.Contains(err.Error(), "given twice") {
		t.Errorf("a key twice: %v", err)
	}
}
