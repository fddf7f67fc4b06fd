package main

import (
	"os"
	"strings"
	"testing"
)

func TestASignInLinkNeedsAGoblinLab(t *testing.T) {
	dir := t.TempDir() + "/nothing"
	c := root()
	c.SetArgs([]string{"sign-in-link", "--data", dir})
	err := c.ExecuteContext(t.Context())
	if err == nil || !strings.Contains(err.Error(), "no GoblinLab in "+dir) {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a folder was made: %v", err)
	}
}
