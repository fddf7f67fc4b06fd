package devinit

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOutputHidesTheUsersSecretsP96(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	file, token := filepath.Join(dir, "key"), filepath.Join(dir, "token")
	for path, text := range map[string]string{file: "file-secret\n", token: "gbl_token-secret"} {
		if err := os.WriteFile(path, []byte(text), 0o400); err != nil {
			t.Fatal(err)
		}
	}
	var b strings.Builder
	out := NewOutput(&b)
	out.keep(dir, []App{{Name: "lab"}}, strings.NewReplacer())
	out.hide(masker([]string{"API_KEY=env-secret", "PLAIN=not-hidden", "GOBLINLAB_HIDDEN=API_KEY," + file + "," + dir + "/none", "GOBLINLAB_TOKEN_FILE=" + token}))
	fmt.Fprint(out.Prefixed("lab"), "env-secret not-hidden\nfile-secret gbl_token-secret")
	w := out.Prefixed("lab") // a line in pieces, with a secret across their border
	long := strings.Repeat("x", maxLine-5) + "env-secret and file-secret\n"
	copyLines(w, strings.NewReader(long))
	data, _, err := out.logOf("lab", 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	for where, text := range map[string]string{"container": b.String(), "file": string(data)} {
		whole := strings.ReplaceAll(strings.ReplaceAll(text, "\n[lab] ", ""), "\n", "")
		for _, secret := range []string{"env-secret", "file-secret", "token-secret"} {
			if strings.Contains(whole, secret) {
				t.Errorf("%s: %s is there", where, secret)
			}
		}
		if !strings.Contains(text, "*** not-hidden") || !strings.Contains(text, "*** ***") || !strings.Contains(text, "and ***") {
			t.Errorf("%s: %.200q", where, text)
		}
	}
}
